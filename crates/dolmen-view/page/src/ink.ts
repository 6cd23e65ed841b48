// Colours of what is drawn over the bodies: Okabe and Ito's, which colour-blind people can tell apart, darkened or lightened until
// they stand out from the ground; the style sheet has them, for light and for dark.

import * as THREE from "three";

export const INK = {
  red: new THREE.Color(), green: new THREE.Color(), blue: new THREE.Color(), pink: new THREE.Color(), sky: new THREE.Color(),
  yellow: new THREE.Color(), violet: new THREE.Color(),
};

/** x, y, z, and the first, second and third principal axis. */
export const AXES = [INK.red, INK.green, INK.blue];

/** Takes the colours of the present theme; whoever holds one of them has the new one. */
export function takeInk(): void {
  const style = getComputedStyle(document.documentElement);
  for (const [name, colour] of Object.entries(INK)) colour.set(style.getPropertyValue(`--${name}`).trim() || "#808080");
}
