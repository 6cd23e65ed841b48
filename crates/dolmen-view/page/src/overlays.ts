// What is drawn over the bodies: contacts, forces, velocities, axes, boxes, joints, separating planes, the hand, marks.

import * as THREE from "three";
import { AXES, INK } from "./ink";
import { Joints } from "./joints";
import { Faces, Lines, upload } from "./marks";
import { number } from "./panels";
import { CONTACT, type Frame, type Mark, WITNESS, type Described } from "./protocol";

export interface Shown {
  contacts: boolean;
  forces: boolean;
  cones: boolean;
  velocities: boolean;
  axes: boolean;
  boxes: boolean;
  joints: boolean;
  witnesses: boolean;
  names: boolean;
}

/** Contacts, arrows and boxes that are drawn at most: more than anyone can look at. */
const MOST = 4000;

/** Arrows of one colour: a shaft and a head each, as instances. */
class Arrows {
  readonly group = new THREE.Group();
  private readonly shafts: THREE.InstancedMesh;
  private readonly heads: THREE.InstancedMesh;
  /** How many there are. */
  count = 0;

  /** `head`: arrows of different things have different heads, and not only different colours. */
  constructor(colour: THREE.Color, private readonly width: number, head: "cone" | "diamond" | "ball") {
    const shaft = new THREE.CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0);
    const heads = {
      cone: () => new THREE.ConeGeometry(2.6, 6, 12).translate(0, 3, 0),
      diamond: () => new THREE.OctahedronGeometry(3).scale(0.8, 1, 0.8).translate(0, 3, 0),
      ball: () => new THREE.SphereGeometry(3, 12, 8).translate(0, 3, 0),
    };
    const material = new THREE.MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.92 });
    material.color = colour;
    this.shafts = new THREE.InstancedMesh(shaft, material, MOST);
    this.heads = new THREE.InstancedMesh(heads[head](), material, MOST);
    for (const mesh of [this.shafts, this.heads]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 10;
      mesh.count = 0;
      this.group.add(mesh);
    }
  }

  clear(): void {
    this.count = 0;
  }

  add(from: THREE.Vector3, along: THREE.Vector3): void {
    const length = along.length();
    if (this.count >= MOST || !(length > 1e-9 * this.width)) return;
    // A short arrow is all head, and a small one.
    const w = Math.min(this.width, length / 7);
    turn.setFromUnitVectors(Y, direction.copy(along).divideScalar(length));
    const shaft = Math.max(length - 6 * w, 0);
    this.shafts.setMatrixAt(this.count, matrix.compose(from, turn, scale.set(w, shaft, w)));
    tip.copy(from).addScaledVector(direction, shaft);
    this.heads.setMatrixAt(this.count, matrix.compose(tip, turn, scale.set(w, w, w)));
    this.count += 1;
  }

  flush(): void {
    // Room for thousands, of which only what is used is worth sending.
    for (const mesh of [this.shafts, this.heads]) {
      mesh.count = this.count;
      mesh.visible = this.count > 0;
      if (this.count > 0) upload(mesh.instanceMatrix, 16 * this.count);
    }
  }
}

const Y = new THREE.Vector3(0, 1, 0);
const matrix = new THREE.Matrix4();
const turn = new THREE.Quaternion();
const scale = new THREE.Vector3();
const direction = new THREE.Vector3();
const tip = new THREE.Vector3();

const [STICKS, SLIDES, BOX] = [INK.green, INK.red, INK.yellow];
/** Planes of a face, and planes along an edge of each. */
const WITNESSES = [INK.sky, INK.yellow];

export class Overlays {
  readonly group = new THREE.Group();
  private readonly forces: Arrows;
  private readonly velocities: Arrows;
  private readonly hand: Arrows;
  private readonly lines = new Lines();
  private readonly faces = new Faces(false);
  private readonly bounds = new Faces(true);
  private readonly joints: Joints;
  private readonly cones: THREE.InstancedMesh;
  /** Length of the longest arrow, m. */
  private readonly longest: number;
  /** Largest force and speed so far: what the longest arrow stands for. */
  private largest = { force: 0, speed: 0 };
  /** What the longest arrows stand for, N and m/s. */
  get scale(): { force: number; speed: number } {
    return this.largest;
  }

  /** The sum of the contact forces that arrows show, N. */
  private readonly pushed = new THREE.Vector3();
  /** For tests: how many arrows and cones there are, and what those of forces add up to. */
  get drawn() {
    const { forces, velocities, hand, cones, pushed } = this;
    return { forces: forces.count, velocities: velocities.count, hand: hand.count, cones: cones.count, pushed: pushed.toArray() };
  }

  /** Texts and where they are, for whoever writes them over the picture. */
  labels: { at: THREE.Vector3; text: string; colour: string }[] = [];

  constructor(readonly world: Described) {
    // Arrows are of the size of bodies, and not of the space that they move in.
    const radii = world.bodies.flatMap((body) => (body.kind === "dynamic" && body.radius ? [body.radius] : [])).sort((a, b) => a - b);
    const typical = radii[radii.length >> 1] ?? 0.1 * world.size;
    this.longest = Math.min(0.4 * world.size, 4 * typical);
    const width = Math.max(0.02 * this.longest, 0.003 * world.size);
    this.forces = new Arrows(INK.red, width, "cone");
    this.velocities = new Arrows(INK.blue, 0.8 * width, "diamond");
    this.hand = new Arrows(INK.pink, 1.3 * width, "ball");
    this.joints = new Joints(world);
    const cone = new THREE.ConeGeometry(1, 1, 24, 1, true).rotateX(Math.PI).translate(0, 0.5, 0);
    const glass = new THREE.MeshBasicMaterial({
      transparent: true, opacity: 0.3, side: THREE.DoubleSide, depthWrite: false, depthTest: false,
    });
    glass.color = INK.green;
    this.cones = new THREE.InstancedMesh(cone, glass, MOST);
    this.cones.frustumCulled = false;
    this.cones.renderOrder = 8;
    this.cones.count = 0;
    this.group.add(
      this.forces.group, this.velocities.group, this.hand.group, this.lines.group, this.faces.object, this.bounds.object, this.cones,
    );
  }

  /** Draws what is wanted of a frame. */
  place(frame: Frame, shown: Shown, selected: number): void {
    const parts = [this.forces, this.velocities, this.hand, this.lines, this.faces, this.bounds];
    parts.forEach((part) => part.clear());
    this.labels = [];
    this.placeContacts(frame, shown, selected);
    this.placeBodies(frame, shown, selected);
    this.joints.placeSkeleton(frame, this.lines);
    if (shown.joints) {
      const names = this.joints.place(frame, this.lines, this.bounds);
      if (shown.names) this.labels.push(...names.map((name) => ({ ...name, colour: "" })));
    }
    if (shown.witnesses) this.placeWitnesses(frame, selected);
    this.placeHand(frame);
    this.placeMarks(frame.marks);
    parts.forEach((part) => part.flush());
  }

  private local(x: ArrayLike<number>, i = 0): THREE.Vector3 {
    const { centre } = this.world;
    return new THREE.Vector3(x[i] - centre[0], x[i + 1] - centre[1], x[i + 2] - centre[2]);
  }

  /**
   * Whose force a contact shows: that on the selected body, on the one that moves, or on the upper one; 1 for the first of the two
   * and −1 for the second. Forces on floors point into them, where they are hidden.
   */
  private sideOf(contacts: Float32Array, c: number, selected: number): number {
    const [a, b] = [contacts[c + 11], contacts[c + 12]];
    if (selected >= 0 && (a === selected || b === selected)) return a === selected ? 1 : -1;
    const [movesA, movesB] = [a, b].map((id) => this.world.bodies[id]?.kind === "dynamic");
    if (movesA !== movesB) return movesA ? 1 : -1;
    const [x, y, z] = this.world.up ?? [0, 0, 1];
    return x * contacts[c + 3] + y * contacts[c + 4] + z * contacts[c + 5] >= 0 ? 1 : -1;
  }

  private placeContacts(frame: Frame, shown: Shown, selected: number): void {
    const isWanted = shown.contacts || shown.forces || shown.cones;
    const count = isWanted ? Math.min(frame.contacts.length / CONTACT, MOST) : 0;
    let largest = 0;
    for (let i = 0; i < count; i += 1) {
      const f = frame.contacts.subarray(CONTACT * i + 6, CONTACT * i + 9);
      largest = Math.max(largest, Math.hypot(f[0], f[1], f[2]));
    }
    this.largest.force = Math.max(largest, 0.995 * this.largest.force);
    const byForce = this.longest / (this.largest.force || 1);
    let cones = 0;
    this.pushed.set(0, 0, 0);
    for (let i = 0; i < count; i += 1) {
      const c = CONTACT * i;
      const point = this.local(frame.contacts, c);
      const side = this.sideOf(frame.contacts, c, selected);
      const normal = new THREE.Vector3().fromArray(frame.contacts, c + 3).multiplyScalar(side);
      const force = new THREE.Vector3().fromArray(frame.contacts, c + 6).multiplyScalar(side);
      this.pushed.add(force);
      const holds = (frame.contacts[c + 10] & 1) !== 0;
      if (shown.contacts) {
        if (holds) this.lines.dot(point, STICKS);
        else this.lines.ring(point, SLIDES);
        this.lines.add(point, point.clone().addScaledVector(normal, 0.4 * this.longest), holds ? STICKS : SLIDES);
      }
      if (shown.forces) this.forces.add(point, force.clone().multiplyScalar(byForce));
      const friction = frame.contacts[c + 9];
      if (shown.cones && friction > 0) {
        const height = Math.max(force.dot(normal) * byForce, 1e-6 * this.world.size);
        const width = height * Math.min(friction, 20);
        turn.setFromUnitVectors(Y, normal);
        this.cones.setMatrixAt(cones, matrix.compose(point, turn, scale.set(width, height, width)));
        cones += 1;
      }
    }
    this.cones.count = cones;
    this.cones.visible = cones > 0;
    if (cones > 0) upload(this.cones.instanceMatrix, 16 * cones);
  }

  private placeBodies(frame: Frame, shown: Shown, selected: number): void {
    let fastest = 0;
    const { twist } = frame;
    for (let i = 0; shown.velocities && i < twist.length; i += 6) {
      fastest = Math.max(fastest, Math.sqrt(twist[i] * twist[i] + twist[i + 1] * twist[i + 1] + twist[i + 2] * twist[i + 2]));
    }
    this.largest.speed = Math.max(fastest, 0.995 * this.largest.speed);
    const bySpeed = this.longest / (this.largest.speed || 1);
    const isForAll = shown.velocities || shown.axes || shown.boxes || shown.names;
    const [from, to] = isForAll ? [0, Math.min(frame.count, MOST)] : [Math.max(selected, 0), selected + 1];
    for (let id = from; id < to; id += 1) {
      const body = this.world.bodies[id];
      const isChosen = id === selected;
      if (this.world.shapes[body.shape]?.floor) continue;
      const place = this.local(frame.x, 3 * id);
      if (shown.velocities && body.kind !== "fixed") {
        this.velocities.add(place, new THREE.Vector3().fromArray(frame.twist, 6 * id).multiplyScalar(bySpeed));
      }
      if (shown.axes || isChosen) {
        this.lines.dot(place, INK.pink);
        const orientation = new THREE.Quaternion().fromArray(frame.q, 4 * id);
        orientation.multiply(new THREE.Quaternion().fromArray(body.axes));
        const reach = 1.25 * (body.radius || 0.05 * this.world.size);
        AXES.forEach((colour, k) => {
          const axis = new THREE.Vector3().setComponent(k, reach).applyQuaternion(orientation).add(place);
          this.lines.add(place, axis, colour);
          if (isChosen) this.labels.push({ at: axis, text: String(k + 1), colour: `#${colour.getHexString()}` });
        });
      }
      if (shown.boxes) this.placeBox(frame, id);
      if (shown.names || isChosen) this.labels.push({ at: place, text: body.name, colour: "" });
    }
  }

  /** The box along the axes of the world around the corners of a body's triangles; of a ball, around the ball. */
  private placeBox(frame: Frame, id: number): void {
    const body = this.world.bodies[id];
    const shape = this.world.shapes[body.shape];
    if (!shape) return;
    const orientation = new THREE.Quaternion().fromArray(frame.q, 4 * id);
    const box = new THREE.Box3();
    const p = new THREE.Vector3();
    for (let i = 0; i < shape.vertices.length; i += 3) {
      p.fromArray(shape.vertices, i);
      p.set(p.x + body.origin[0], p.y + body.origin[1], p.z + body.origin[2]).applyQuaternion(orientation);
      box.expandByPoint(p);
    }
    // Triangles of a ball lie within it, and their box would breathe as it rolls.
    if (body.shape_name === "ball") {
      const radius = p.fromArray(shape.vertices).length();
      box.setFromCenterAndSize(new THREE.Vector3(...body.origin).applyQuaternion(orientation), p.setScalar(2 * radius));
    }
    const place = this.local(frame.x, 3 * id);
    const corner = (i: number) =>
      new THREE.Vector3(
        i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z,
      ).add(place);
    for (let i = 0; i < 8; i += 1) {
      for (const bit of [1, 2, 4]) if (!(i & bit)) this.lines.add(corner(i), corner(i | bit), BOX);
    }
  }

  private placeHand(frame: Frame): void {
    if (!frame.hand) return;
    const from = this.local(frame.hand.at);
    this.hand.add(from, this.local(frame.hand.to).sub(from));
  }

  /** Between bodies that are near each other: a piece of the plane that separates them. */
  private placeWitnesses(frame: Frame, selected: number): void {
    const rows = frame.witnesses;
    for (let w = 0; w < rows.length; w += WITNESS) {
      const normal = new THREE.Vector3().fromArray(rows, w + 3);
      const middle = this.middleOf(frame, w, normal);
      const colour = WITNESSES[rows[w + 8]] ?? WITNESSES[0];
      const reach = Math.min(rows[w + 7], 0.6 * this.world.size);
      const u = new THREE.Vector3(Math.abs(normal.x) < 0.8 ? 1 : 0, Math.abs(normal.x) < 0.8 ? 0 : 1, 0);
      u.addScaledVector(normal, -u.dot(normal)).normalize().multiplyScalar(reach);
      const v = new THREE.Vector3().crossVectors(normal, u);
      const [a, b, c, d] = [[1, 1], [-1, 1], [-1, -1], [1, -1]].map(([i, k]) => middle.clone().addScaledVector(u, i).addScaledVector(v, k));
      this.faces.add(a, b, c, colour);
      this.faces.add(a, c, d, colour);
      for (const [p, q] of [[a, b], [b, c], [c, d], [d, a]]) this.lines.add(p, q, colour);
      // A plane along two edges has a cross on it.
      if (rows[w + 8] === 1) for (const [p, q] of [[a, c], [b, d]]) this.lines.add(p, q, colour);
      this.lines.add(middle, middle.clone().addScaledVector(normal, 0.5 * reach), colour);
      if (selected >= 0) this.labels.push({ at: middle, text: `${number(rows[w + 6], 3)} m`, colour: "" });
    }
  }

  /** Where a piece of a plane is drawn: before the middle of the smaller body; of two edges, where they are nearest to each other. */
  private middleOf(frame: Frame, w: number, normal: THREE.Vector3): THREE.Vector3 {
    const rows = frame.witnesses;
    const nearest = this.local(rows, w);
    const smaller = [rows[w + 9], rows[w + 10]].reduce((a, b) => (this.reachOf(b) < this.reachOf(a) ? b : a));
    if (rows[w + 8] === 1 || !Number.isFinite(this.reachOf(smaller))) return nearest;
    const centre = this.local(frame.x, 3 * smaller);
    return centre.addScaledVector(normal, nearest.sub(centre).dot(normal));
  }

  private reachOf(id: number): number {
    return this.world.bodies[id]?.radius || Infinity;
  }

  private placeMarks(marks: Mark[]): void {
    for (const mark of marks) {
      const [r, g, b] = mark.colour;
      const css = `rgb(${r},${g},${b})`;
      const colour = new THREE.Color(css);
      if (mark.kind === "point") this.lines.dot(this.local(mark.at), colour);
      else if (mark.kind === "line") this.lines.add(this.local(mark.from), this.local(mark.to), colour);
      else this.labels.push({ at: this.local(mark.at), text: mark.text, colour: css });
    }
  }
}
