// Joints over the picture: their frames, what they leave free, and the bounds of that.

import * as THREE from "three";
import { AXES, INK } from "./ink";
import type { Faces, Lines } from "./marks";
import type { Frame, JointData, Described } from "./protocol";

const ROD = INK.violet;
const BOUND = INK.pink;
const UNITS = [new THREE.Vector3(1, 0, 0), new THREE.Vector3(0, 1, 0), new THREE.Vector3(0, 0, 1)];
/** From what the angle about each axis is counted: y for x, z for y, x for z. */
const FROM = [1, 2, 0];
const NAMES = ["x", "y", "z", "turn-x", "turn-y", "turn-z"];
/** Pieces of a whole turn. */
const ROUND = 48;

interface Placed {
  origin: THREE.Vector3;
  axes: THREE.Vector3[];
}

export class Joints {
  private readonly sizes: number[];

  constructor(private readonly world: Described) {
    const joints = world.joints ?? [];
    this.sizes = joints.map((joint) => {
      const radii = joint.bodies.flatMap((id) => (id !== null && world.bodies[id].radius ? [world.bodies[id].radius ?? 0] : []));
      const least = Math.min(...radii.filter((r) => r > 0), 0.5 * world.size);
      return Math.max(0.45 * least, 0.02 * world.size);
    });
  }

  /** Rods and ropes, and what holds bodies that have no shape: without these, nothing would seem to hold them. */
  placeSkeleton(frame: Frame, lines: Lines): void {
    for (const joint of this.world.joints ?? []) {
      const bare = joint.bodies.map((id) => id !== null && this.world.bodies[id].shape < 0);
      if (joint.length === null && !bare.includes(true)) continue;
      const ends = [0, 1].map((side) => this.frameOf(frame, joint, side).origin);
      lines.add(ends[0], ends[1], ROD);
      joint.bodies.forEach((id, side) => {
        if (id === null) lines.dot(ends[side], ROD);
        else if (bare[side]) lines.add(ends[side], new THREE.Vector3().fromArray(frame.x, 3 * id).sub(new THREE.Vector3(...this.world.centre)), ROD);
      });
    }
  }

  /** Draws all joints; where their names go, for whoever writes them. */
  place(frame: Frame, lines: Lines, faces: Faces): { at: THREE.Vector3; text: string }[] {
    return (this.world.joints ?? []).map((joint, i) => {
      const [a, b] = [0, 1].map((side) => this.frameOf(frame, joint, side));
      const size = this.sizes[i];
      lines.dot(a.origin, ROD);
      lines.dot(b.origin, ROD);
      AXES.forEach((colour, k) => {
        lines.add(a.origin, a.origin.clone().addScaledVector(a.axes[k], size), colour);
        lines.add(b.origin, b.origin.clone().addScaledVector(b.axes[k], 0.6 * size), colour);
      });
      if (joint.length !== null) lines.add(a.origin, b.origin, ROD);
      this.placeFreedom(joint, a, b, size, lines);
      for (const [axis, lower, upper] of joint.limits) this.placeLimit(NAMES.indexOf(axis), lower, upper, a, b, size, lines, faces);
      if (joint.cone !== null) this.placeCone(joint.cone, a, b, 1.8 * size, lines, faces);
      return { at: a.origin, text: `${joint.name} (${joint.kind})` };
    });
  }

  private frameOf(frame: Frame, joint: JointData, side: number): Placed {
    const [point, q] = joint.frames[side];
    const id = joint.bodies[side];
    const { centre } = this.world;
    const origin = new THREE.Vector3(...point);
    const turn = new THREE.Quaternion(...q);
    if (id !== null) {
      const body = new THREE.Quaternion().fromArray(frame.q, 4 * id);
      origin.applyQuaternion(body).add(new THREE.Vector3().fromArray(frame.x, 3 * id));
      turn.premultiply(body);
    }
    origin.sub(new THREE.Vector3(...centre));
    return { origin, axes: UNITS.map((unit) => unit.clone().applyQuaternion(turn)) };
  }

  /** The axis of what turns or slides about one: a line to both sides. */
  private placeFreedom(joint: JointData, a: Placed, b: Placed, size: number, lines: Lines): void {
    const free = joint.locked.map((locked) => !locked);
    const turns = [3, 4, 5].filter((k) => free[k]);
    if (joint.length !== null) return;
    const isAbout = turns.length === 1 ? turns[0] - 3 : -1;
    for (const k of [0, 1, 2]) {
      const reach = free[k] ? 2.2 * size : k === isAbout ? 1.6 * size : 0;
      if (reach === 0) continue;
      const origin = free[k] ? b.origin : a.origin;
      lines.add(origin.clone().addScaledVector(b.axes[k], -reach), origin.clone().addScaledVector(b.axes[k], reach), AXES[k]);
    }
  }

  private placeLimit(
    axis: number, lower: number | null, upper: number | null, a: Placed, b: Placed, size: number, lines: Lines, faces: Faces,
  ): void {
    if (axis < 0) return;
    if (axis < 3) this.placeRail(b.axes[axis], lower, upper, a, b, size, lines);
    else this.placeSector(axis - 3, lower ?? -Math.PI, upper ?? Math.PI, a, b, 1.8 * size, lines, faces);
  }

  /** Bounds along an axis: a rail with a stop at either end, and where the joint is. */
  private placeRail(along: THREE.Vector3, lower: number | null, upper: number | null, a: Placed, b: Placed, size: number, lines: Lines): void {
    const now = a.origin.clone().sub(b.origin).dot(along);
    const at = (q: number) => b.origin.clone().addScaledVector(along, q);
    const [from, to] = [lower ?? now - 3 * size, upper ?? now + 3 * size];
    lines.add(at(from), at(to), BOUND);
    const across = b.axes.filter((axis) => Math.abs(axis.dot(along)) < 0.5);
    for (const end of [lower, upper]) {
      if (end === null) continue;
      for (const side of across) lines.add(at(end).addScaledVector(side, -0.4 * size), at(end).addScaledVector(side, 0.4 * size), BOUND);
    }
    lines.dot(at(now), BOUND);
  }

  /** Bounds of an angle: a sector from the smallest to the largest, and a hand where the joint is. */
  private placeSector(k: number, lower: number, upper: number, a: Placed, b: Placed, size: number, lines: Lines, faces: Faces): void {
    const [u, v] = [b.axes[FROM[k]], b.axes[(FROM[k] + 1) % 3]];
    const at = (angle: number, r: number) => a.origin.clone().addScaledVector(u, r * Math.cos(angle)).addScaledVector(v, r * Math.sin(angle));
    const span = Math.min(Math.max(upper - lower, 0), 2 * Math.PI);
    const pieces = Math.max(1, Math.ceil((ROUND * span) / (2 * Math.PI)));
    for (let i = 0; i < pieces; i += 1) {
      const [p, q] = [at(lower + (span * i) / pieces, size), at(lower + (span * (i + 1)) / pieces, size)];
      lines.add(p, q, BOUND);
      faces.add(a.origin, p, q, BOUND);
    }
    if (span < 2 * Math.PI) for (const end of [lower, lower + span]) lines.add(a.origin, at(end, size), BOUND);
    const hand = a.axes[FROM[k]];
    lines.add(a.origin, at(Math.atan2(hand.dot(v), hand.dot(u)), 1.25 * size), AXES[k]);
  }

  /** How far the axis may lean: a cone about that of b. */
  private placeCone(largest: number, a: Placed, b: Placed, size: number, lines: Lines, faces: Faces): void {
    const at = (i: number) => {
      const angle = (2 * Math.PI * i) / ROUND;
      return b.origin.clone().addScaledVector(b.axes[2], size * Math.cos(largest))
        .addScaledVector(b.axes[0], size * Math.sin(largest) * Math.cos(angle)).addScaledVector(b.axes[1], size * Math.sin(largest) * Math.sin(angle));
    };
    for (let i = 0; i < ROUND; i += 1) {
      lines.add(at(i), at(i + 1), BOUND);
      faces.add(b.origin, at(i), at(i + 1), BOUND);
    }
    lines.add(a.origin, a.origin.clone().addScaledVector(a.axes[2], 1.2 * size), AXES[2]);
  }
}
