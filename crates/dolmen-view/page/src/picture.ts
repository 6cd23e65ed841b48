// The picture: camera, light, bodies and what is drawn over them; picking and dragging.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { across, Bodies, type Theme } from "./bodies";
import { takeInk } from "./ink";
import { Overlays, type Shown } from "./overlays";
import type { Frame, Vec3, Described } from "./protocol";

export interface Dragging {
  grab(body: number, at: Vec3, to: Vec3): void;
  move(to: Vec3): void;
  release(): void;
}

/** Pixels by those of the screen while things move, for each step of thrift; the first also gives up shadows. */
const SHARPNESS = [1, 1, 0.75, 0.6];
/** A picture that takes longer than this is too slow to look smooth, ms. */
const TOO_LONG = 45;
/** One that takes less leaves time for more, ms. */
const QUICK = 24;

/** Room around what is looked at. */
const MARGIN = 1.12;
const corner = new THREE.Vector3();

const BACKGROUND = { light: "#eceae6", dark: "#1b1f25" };

export class Picture {
  readonly canvas: HTMLCanvasElement;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly camera = new THREE.PerspectiveCamera(38, 1, 0.01, 1000);
  private readonly controls: OrbitControls;
  private readonly sun = new THREE.DirectionalLight("#ffffff", 1.9);
  private readonly sky = new THREE.HemisphereLight("#ffffff", "#b7b3aa", 1.4);
  private readonly labels: HTMLElement;
  private bodies: Bodies | null = null;
  private overlays: Overlays | null = null;
  private world: Described | null = null;
  private theme: Theme = "light";
  private frame: Frame | null = null;
  private isFollowing = true;
  /** Where keys pull, from the centre of the world. */
  private hand: THREE.Vector3 | null = null;
  private held: { body: number; plane: THREE.Plane } | null = null;
  /** Pictures in a row that took too long, and what was given up for the sake of it while things move. */
  private slow = 0;
  private thrift = 0;
  private quick = 0;
  private hopes = 3;
  /** Pixels by those of the screen in the last picture. */
  private sharpness = 1;
  private readonly isSoftware: boolean;
  shown: Shown = {
    contacts: false, forces: false, cones: false, velocities: false, axes: false, boxes: false, joints: false, witnesses: false, names: false,
  };
  showEdges = true;
  selected = -1;
  canDrag = true;
  /** Whether the camera has moved since the last picture. */
  isStale = true;
  onSelect: (id: number) => void = () => {};
  /** Somebody turns the view by hand. */
  onTurn: () => void = () => {};
  dragging: Dragging = { grab: () => {}, move: () => {}, release: () => {} };

  constructor(parent: HTMLElement) {
    const isSoftware = drawsInSoftware();
    this.isSoftware = isSoftware;
    this.renderer = new THREE.WebGLRenderer({ antialias: !isSoftware, powerPreference: "high-performance" });
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-roledescription", "view in three dimensions");
    this.canvas.setAttribute("aria-label", "The bodies of the scene; Page Down selects the next one, the question mark lists all keys");
    parent.append(this.canvas);
    this.labels = document.createElement("div");
    this.labels.className = "labels";
    this.labels.setAttribute("aria-hidden", "true");
    parent.append(this.labels);
    this.renderer.shadowMap.enabled = !isSoftware;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.sun.castShadow = !isSoftware;
    this.sun.shadow.mapSize.setScalar(2048);
    this.sun.shadow.intensity = 0.8;
    this.scene.add(this.sun, this.sun.target, this.sky);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => { this.isStale = true; });
    this.controls.addEventListener("start", () => { this.isFollowing = false; this.onTurn(); });
    this.addPointer(parent);
    new ResizeObserver(() => this.resize(parent)).observe(parent);
    this.resize(parent);
  }

  private resize(parent: HTMLElement): void {
    const [w, h] = [Math.max(parent.clientWidth, 1), Math.max(parent.clientHeight, 1)];
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2) * this.sharpness);
    this.renderer.setSize(w, h);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    this.isStale = true;
    if (this.isFollowing) this.fit();
  }

  show(world: Described): void {
    const isSame = this.world?.name === world.name && this.world.bodies.length === world.bodies.length;
    if (this.bodies) {
      this.scene.remove(this.bodies.group);
      this.bodies.dispose();
    }
    if (this.overlays) this.scene.remove(this.overlays.group);
    this.world = world;
    this.frame = null;
    this.hand = null;
    this.selected = isSame ? this.selected : -1;
    const up = new THREE.Vector3(...(world.up ?? [0, 0, 1]));
    // Up is along an axis, so that pictures stand straight on slopes, too.
    const axes = [new THREE.Vector3(1, 0, 0), new THREE.Vector3(0, 1, 0), new THREE.Vector3(0, 0, 1)];
    const best = axes.reduce((a, b) => (Math.abs(b.dot(up)) > Math.abs(a.dot(up)) + 1e-6 ? b : a), axes[2]);
    const upright = best.clone().multiplyScalar(Math.sign(best.dot(up)) || 1);
    this.camera.up.copy(upright);
    this.controls.object.up.copy(upright);
    this.sky.position.copy(upright);
    const reach = 3 * world.size;
    const [u, v] = across(upright);
    this.sun.position.copy(upright.clone().multiplyScalar(2.6 * reach).addScaledVector(u, 1.1 * reach).addScaledVector(v, -0.7 * reach));
    this.bodies = new Bodies(world, upright, this.sun.position.clone().normalize(), this.isSoftware);
    this.bodies.setTheme(this.theme);
    this.overlays = new Overlays(world);
    this.scene.add(this.bodies.group, this.overlays.group);
    this.bodies.select(this.selected);
    const shadow = this.sun.shadow.camera;
    Object.assign(shadow, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * reach, far: 6 * reach });
    shadow.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.006 * world.size;
    this.sun.shadow.bias = -0.0006;
    if (!isSame) {
      this.isFollowing = true;
      this.seen.makeEmpty();
      this.fit();
    }
  }

  /** What the ground is laid out for. */
  private ground: THREE.Box3 | null = null;
  /** Everything that was worth looking at so far, from the middle of the world. */
  private readonly seen = new THREE.Box3();
  private direction(): THREE.Vector3 {
    const up = this.camera.up;
    const [u, v] = across(up);
    return u.multiplyScalar(0.62).addScaledVector(v, -0.92).addScaledVector(up, 0.42).normalize();
  }

  /** Looks at everything that moves, or has moved: as near as it all fits. */
  fit(): void {
    const { world, frame } = this;
    if (!world) return;
    if (frame) this.look(world, frame);
    const box = this.seen.isEmpty() ? new THREE.Box3().setFromCenterAndSize(new THREE.Vector3(), new THREE.Vector3().setScalar(2 * world.size)) : this.seen;
    const target = box.getCenter(new THREE.Vector3());
    const back = this.direction();
    const right = new THREE.Vector3().crossVectors(this.camera.up, back).normalize();
    const top = new THREE.Vector3().crossVectors(back, right);
    const high = Math.tan(0.5 * THREE.MathUtils.degToRad(this.camera.fov));
    const wide = high * this.camera.aspect;
    let distance = 1e-3 * world.size;
    const p = new THREE.Vector3();
    const toCorner = (i: number) =>
      p.set(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z).sub(target);
    // What is near looks large, so the middle of the box is not the middle of the picture: the eye moves until it is.
    for (let round = 0; round < 4; round += 1) {
      distance = 1e-3 * world.size;
      for (let i = 0; i < 8; i += 1) {
        toCorner(i);
        // A corner at height y is in the picture if |y| ≤ (distance − depth) tan(half the opening); likewise across.
        const needed = Math.max(Math.abs(p.dot(right)) / wide, Math.abs(p.dot(top)) / high);
        distance = Math.max(distance, p.dot(back) + MARGIN * needed);
      }
      const [low, most] = [[1, 1], [-1, -1]];
      for (let i = 0; i < 8; i += 1) {
        toCorner(i);
        const depth = distance - p.dot(back);
        [p.dot(right) / (wide * depth), p.dot(top) / (high * depth)].forEach((at, k) => {
          low[k] = Math.min(low[k], at);
          most[k] = Math.max(most[k], at);
        });
      }
      target.addScaledVector(right, 0.5 * (low[0] + most[0]) * wide * distance).addScaledVector(top, 0.5 * (low[1] + most[1]) * high * distance);
    }
    this.ground = box.clone();
    this.bodies?.setGround(box);
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(back, distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 30 + 30 * world.size;
    this.camera.updateProjectionMatrix();
    this.controls.update();
  }

  /** Takes what moves in a frame into what was seen, with the floor below it and what stands about. */
  private look(world: Described, frame: Frame): void {
    const isFirst = this.seen.isEmpty();
    // Nothing that has flown away for good makes the rest too small to see.
    const most = 8 * world.size;
    const [cx, cy, cz] = world.centre;
    const { min, max } = this.seen;
    const { x } = frame;
    for (let id = 0; id < world.bodies.length; id += 1) {
      const body = world.bodies[id];
      if (body.kind === "fixed") continue;
      const r = Math.min(body.radius || 0.02 * world.size, most);
      corner.set(x[3 * id] - cx, x[3 * id + 1] - cy, x[3 * id + 2] - cz).clampScalar(-most, most);
      min.set(Math.min(min.x, corner.x - r), Math.min(min.y, corner.y - r), Math.min(min.z, corner.z - r));
      max.set(Math.max(max.x, corner.x + r), Math.max(max.y, corner.y + r), Math.max(max.z, corner.z + r));
    }
    for (let i = 0; i < frame.particles.length; i += 3) {
      corner.set(frame.particles[i] - cx, frame.particles[i + 1] - cy, frame.particles[i + 2] - cz).clampScalar(-most, most);
      this.seen.expandByPoint(corner);
    }
    if (!isFirst) return;
    const size = this.seen.isEmpty() ? world.size : 0.5 * this.seen.getSize(corner).length();
    world.bodies.forEach((body, id) => {
      const shape = world.shapes[body.shape];
      if (body.kind !== "fixed" || shape?.floor || !body.radius) return;
      const away = Math.hypot(x[3 * id] - cx, x[3 * id + 1] - cy, x[3 * id + 2] - cz);
      if (this.seen.isEmpty() || (body.radius < 2 * size && away < 4 * size)) this.addStanding(world, frame, id);
    });
    for (const joint of world.joints ?? []) {
      joint.bodies.forEach((id, side) => { if (id === null) this.seen.expandByPoint(corner.set(...joint.frames[side][0]).sub(new THREE.Vector3(cx, cy, cz)).clampScalar(-most, most)); });
    }
    for (const foot of this.bodies?.feet(this.seen.getCenter(new THREE.Vector3()), 4 * size) ?? []) this.seen.expandByPoint(foot);
  }

  /** Takes the corners of a body that stands still into what was seen. */
  private addStanding(world: Described, frame: Frame, id: number): void {
    const body = world.bodies[id];
    const turn = new THREE.Quaternion().fromArray(frame.q, 4 * id);
    const vertices = world.shapes[body.shape]?.vertices ?? [];
    for (let i = 0; i < vertices.length; i += 3) {
      corner.set(vertices[i] + body.origin[0], vertices[i + 1] + body.origin[1], vertices[i + 2] + body.origin[2]).applyQuaternion(turn);
      corner.set(corner.x + frame.x[3 * id] - world.centre[0], corner.y + frame.x[3 * id + 1] - world.centre[1], corner.z + frame.x[3 * id + 2] - world.centre[2]);
      this.seen.expandByPoint(corner);
    }
  }

  /** Looks from where another picture does. */
  lookFrom(other: Picture): void {
    this.isFollowing = false;
    if (this.camera.position.equals(other.camera.position) && this.controls.target.equals(other.controls.target) && this.camera.near === other.camera.near) return;
    this.camera.position.copy(other.camera.position);
    [this.camera.near, this.camera.far] = [other.camera.near, other.camera.far];
    this.controls.target.copy(other.controls.target);
    this.camera.updateProjectionMatrix();
    this.controls.update();
    if (other.ground) this.bodies?.setGround(other.ground);
    this.isStale = true;
  }

  /** Gives everything back: it is not shown any more. */
  dispose(): void {
    this.controls.dispose();
    this.bodies?.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
    this.canvas.remove();
    this.labels.remove();
  }

  refit(): void {
    this.isFollowing = true;
    this.seen.makeEmpty();
    this.fit();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    takeInk();
    this.scene.background = new THREE.Color(BACKGROUND[theme]);
    this.scene.fog = new THREE.Fog(BACKGROUND[theme], 1, 2);
    this.sky.intensity = theme === "dark" ? 1.1 : 1.35;
    this.bodies?.setTheme(theme);
  }

  select(id: number): void {
    this.selected = id;
    this.bodies?.select(id);
  }

  colourOf(id: number): string {
    return this.bodies?.colourOf(id) ?? "#888";
  }

  place(frame: Frame): void {
    this.frame = frame;
  }

  /** Whether the last picture was less sharp than the screen. */
  get isCoarse(): boolean {
    return this.sharpness < 1;
  }

  /** Draws the last frame: sharp if nothing moves, else as sharp as can be had in time. */
  draw(isMoving: boolean): void {
    const { frame, world } = this;
    const sharpness = isMoving ? SHARPNESS[this.thrift] : 1;
    if (sharpness !== this.sharpness && this.canvas.parentElement) {
      this.sharpness = sharpness;
      this.resize(this.canvas.parentElement);
    }
    if (frame && world && frame.count === world.bodies.length && this.bodies && this.overlays) {
      this.bodies.showEdges = this.showEdges;
      this.bodies.place(frame);
      if (this.isFollowing && !this.held) this.fit();
      this.overlays.place(frame, this.shown, this.selected);
      const fog = this.scene.fog as THREE.Fog | null;
      const distance = this.camera.position.distanceTo(this.controls.target);
      if (fog) [fog.near, fog.far] = [distance + 3 * world.size, distance + 13 * world.size];
      this.writeLabels();
    }
    this.renderer.render(this.scene, this.camera);
    this.isStale = false;
  }

  /** Gives up shadows of bodies on bodies, then sharpness, where pictures take too long: `took` ms since the one before. */
  watch(took: number): void {
    // Single slow ones say nothing: programs are compiled, the window was hidden.
    this.slow = took > TOO_LONG && took < 2000 ? this.slow + 1 : 0;
    this.quick = took < QUICK ? this.quick + 1 : 0;
    // What was given up in a busy moment comes back once; if that was too much, it stays away.
    if (this.quick > 120 && this.thrift > 1 && this.hopes > 0) [this.thrift, this.quick, this.hopes] = [this.thrift - 1, 0, this.hopes - 1];
    if (this.slow < 6 || this.thrift === SHARPNESS.length - 1) return;
    this.thrift += 1;
    this.slow = 0;
    this.renderer.shadowMap.enabled = false;
    this.sun.castShadow = false;
    this.isStale = true;
  }

  private writeLabels(): void {
    const labels = this.overlays?.labels.slice(0, 300) ?? [];
    while (this.labels.children.length > labels.length) this.labels.lastElementChild?.remove();
    const [w, h] = [this.canvas.clientWidth, this.canvas.clientHeight];
    labels.forEach((label, i) => {
      let item = this.labels.children[i] as HTMLElement | undefined;
      if (!item) {
        item = document.createElement("span");
        this.labels.append(item);
      }
      const p = label.at.clone().project(this.camera);
      if (item.textContent !== label.text) item.textContent = label.text;
      // The colour is beside the text: the ground behind the text is not known.
      item.style.borderLeft = label.colour ? `4px solid ${label.colour}` : "";
      item.hidden = p.z > 1 || p.z < -1;
      item.style.transform = `translate(${(0.5 + 0.5 * p.x) * w}px, ${(0.5 - 0.5 * p.y) * h}px) translate(-50%, -140%)`;
    });
  }

  /** For tests: how much was drawn in the last picture. */
  get effort(): { calls: number; lines: number; triangles: number } {
    const { calls, lines, triangles } = this.renderer.info.render;
    return { calls, lines, triangles };
  }

  /** For tests: arrows and cones in the last picture, and from where it is looked at. */
  get marks() {
    return { ...this.overlays?.drawn, eye: this.camera.position.toArray() };
  }

  /** What the longest arrows stand for. */
  get scale(): { force: number; speed: number } {
    return this.overlays?.scale ?? { force: 0, speed: 0 };
  }

  /** Turns the camera about what it looks at by angles, rad, or comes nearer by a factor: for the keyboard. */
  turn(right: number, up: number, nearer = 1): void {
    this.isFollowing = false;
    const offset = this.camera.position.clone().sub(this.controls.target);
    const upright = this.camera.up;
    const side = new THREE.Vector3().crossVectors(upright, offset).normalize();
    offset.applyAxisAngle(upright, right);
    const height = offset.angleTo(upright);
    const tilt = Math.min(Math.max(height - up, 0.05), Math.PI - 0.05) - height;
    offset.applyAxisAngle(side.applyAxisAngle(upright, right), tilt).divideScalar(nearer);
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    this.isStale = true;
  }

  /** Takes the selected body in hand at its centre of mass, for the keyboard; whether it is one that moves. */
  takeInHand(): boolean {
    const id = this.selected;
    if (id < 0 || !this.canDrag || !this.frame || this.world?.bodies[id].kind !== "dynamic") return false;
    const c = this.world.centre;
    this.hand = new THREE.Vector3(this.frame.x[3 * id] - c[0], this.frame.x[3 * id + 1] - c[1], this.frame.x[3 * id + 2] - c[2]);
    this.dragging.grab(id, [0, 0, 0], this.world3(this.hand));
    return true;
  }

  /** Moves the hand across the picture, in parts of what is seen at its distance. */
  moveHand(right: number, up: number): void {
    if (!this.hand) return;
    const forward = this.camera.getWorldDirection(new THREE.Vector3());
    const seen = this.hand.clone().sub(this.camera.position).dot(forward) * Math.tan(0.5 * THREE.MathUtils.degToRad(this.camera.fov));
    const side = new THREE.Vector3().crossVectors(forward, this.camera.up).normalize();
    const top = new THREE.Vector3().crossVectors(side, forward);
    this.hand.addScaledVector(side, right * seen).addScaledVector(top, up * seen);
    this.dragging.move(this.world3(this.hand));
  }

  /** Whether keys have a body in hand. */
  get isHolding(): boolean {
    return this.hand !== null;
  }

  /** Lets go of what keys have in hand; whether there was anything. */
  letGo(): boolean {
    if (!this.hand) return false;
    this.hand = null;
    this.dragging.release();
    return true;
  }

  /** Where a body is on the screen, px; for tests and for the keyboard. */
  screenOf(id: number): [number, number] | null {
    if (!this.frame || !this.world) return null;
    const c = this.world.centre;
    const p = new THREE.Vector3(this.frame.x[3 * id] - c[0], this.frame.x[3 * id + 1] - c[1], this.frame.x[3 * id + 2] - c[2]);
    p.project(this.camera);
    const box = this.canvas.getBoundingClientRect();
    return [box.left + (0.5 + 0.5 * p.x) * box.width, box.top + (0.5 - 0.5 * p.y) * box.height];
  }

  private ray(event: PointerEvent): THREE.Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const point = new THREE.Vector2(
      (2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height,
    );
    const caster = new THREE.Raycaster();
    caster.setFromCamera(point, this.camera);
    return caster;
  }

  private hit(event: PointerEvent): { id: number; point: THREE.Vector3 } | null {
    const found = this.bodies ? this.ray(event).intersectObjects(this.bodies.targets(), false)[0] : undefined;
    if (found?.instanceId === undefined) return null;
    return { id: (found.object.userData.ids as number[])[found.instanceId], point: found.point };
  }

  private world3(p: THREE.Vector3): Vec3 {
    const c = this.world?.centre ?? [0, 0, 0];
    return [p.x + c[0], p.y + c[1], p.z + c[2]];
  }

  private addPointer(parent: HTMLElement): void {
    let pressed: { x: number; y: number; id: number; point: THREE.Vector3 } | null = null;
    // Before the camera's own listener: a press on a body does not turn the camera.
    parent.addEventListener("pointerdown", (event) => {
      if (event.target !== this.canvas || event.button !== 0 || !event.isPrimary) return;
      const hit = this.hit(event);
      pressed = { x: event.clientX, y: event.clientY, id: hit?.id ?? -1, point: hit?.point ?? new THREE.Vector3() };
      const isMovable = hit !== null && this.canDrag && this.world?.bodies[hit.id].kind === "dynamic";
      this.controls.enabled = !isMovable;
      if (isMovable) this.canvas.setPointerCapture(event.pointerId);
    }, { capture: true });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!pressed || this.controls.enabled || !this.frame) return;
      if (!this.held) {
        if (Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) < 4) return;
        const { id, point } = pressed;
        const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new THREE.Vector3()), point);
        this.held = { body: id, plane };
        const c = this.world?.centre ?? [0, 0, 0];
        const x = new THREE.Vector3(this.frame.x[3 * id] - c[0], this.frame.x[3 * id + 1] - c[1], this.frame.x[3 * id + 2] - c[2]);
        const q = new THREE.Quaternion().fromArray(this.frame.q, 4 * id).invert();
        const at = point.clone().sub(x).applyQuaternion(q);
        this.dragging.grab(id, [at.x, at.y, at.z], this.world3(point));
      }
      const to = this.ray(event).ray.intersectPlane(this.held.plane, new THREE.Vector3());
      if (to) this.dragging.move(this.world3(to));
    });
    const end = (event: PointerEvent) => {
      if (pressed && !this.held && Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) < 4) {
        this.onSelect(pressed.id);
      }
      if (this.held) this.dragging.release();
      this.held = null;
      pressed = null;
      this.controls.enabled = true;
    };
    this.canvas.addEventListener("pointerup", end);
    this.canvas.addEventListener("pointercancel", end);
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons === 0) this.canvas.style.cursor = this.canDrag && this.hit(event) ? "grab" : "";
    });
  }
}

/** Whether there is no graphics card, so that every pixel costs. */
function drawsInSoftware(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  const names = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl && names ? String(gl.getParameter(names.UNMASKED_RENDERER_WEBGL)) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}
