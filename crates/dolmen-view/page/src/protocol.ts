// What the server sends and what it takes: see message.rs and stage.rs.

export type Vec3 = [number, number, number];

export interface ShapeData {
  vertices: number[];
  triangles: number[];
  normals: number[];
  edges: number[];
  floor: boolean;
}

export interface BodyData {
  name: string;
  kind: "dynamic" | "fixed" | "kinematic";
  shape: number;
  shape_name: string;
  origin: Vec3;
  radius: number | null;
  mass: number | null;
  moments: (number | null)[];
  axes: [number, number, number, number];
  inertia: number[];
  material: string | null;
}

/** A joint: its frames (origin; x, y, z, w) in its bodies, a first; null is the world. */
export interface JointData {
  name: string;
  kind: string;
  bodies: [number | null, number | null];
  frames: [Vec3, [number, number, number, number]][];
  /** x, y, z and the turns about them. */
  locked: boolean[];
  /** Axis, smallest, largest; null is no bound. */
  limits: [string, number | null, number | null][];
  /** How far the z axes may lean from each other, rad. */
  cone: number | null;
  /** Of a rod or rope, m. */
  length: number | null;
}

/** What takes a world through time; the length of its steps, s, if it has steps of one length. */
export interface Driver {
  name: "exact" | "fixed" | "intro";
  step: number | null;
  /** Of fixed steps. */
  substeps?: number;
}

/** What is described of a world. */
export interface Described {
  generation: number;
  name: string;
  title: string;
  /** Null if what is shown was simulated elsewhere. */
  driver: Driver | null;
  gravity: Vec3;
  up: Vec3;
  materials: { restitution: Vec3; friction: (number | null)[]; enabled: boolean; law: string };
  centre: Vec3;
  size: number;
  bodies: BodyData[];
  shapes: ShapeData[];
  particles: { name: string; count: number }[];
  joints: JointData[];
}

export interface World extends Described {
  type: "world";
  end: number | null;
  base: number;
  error: string | null;
  changes: { gravity: Vec3 | null; restitution: number | null; friction: number | null };
  scenes: { name: string; title: string }[];
  /** The run that is compared with this one. */
  beside?: Described | null;
}

export type Mark =
  | { kind: "point"; at: Vec3; colour: Vec3 }
  | { kind: "line"; from: Vec3; to: Vec3; colour: Vec3 }
  | { kind: "label"; at: Vec3; text: string; colour: Vec3 };

/** Numbers of a contact: point, normal, force, friction, flags, body a, body b. */
export const CONTACT = 13;
/** Numbers of a witness: point, normal, separation, half side, whether of edges, body a, body b. */
export const WITNESS = 11;

export interface Frame {
  generation: number;
  t: number;
  head: number;
  rate: number;
  share: number;
  running: boolean;
  stopped: boolean;
  busy: boolean;
  isEvent: boolean;
  hand: { body: number; at: Vec3; to: Vec3 } | null;
  /** Total force and torque on the selected body. */
  load: { body: number; force: Vec3; torque: Vec3 } | null;
  collisions: number;
  steps: number;
  events: number;
  islands: [number, number];
  /** Kinetic, potential, work, lost in collisions, to friction, in closing. */
  ledger: number[];
  /** Momentum, angular momentum. */
  momenta: number[];
  /** Of all frames that were shown, which one: where one is missing, it was dropped. */
  number: number;
  /** Changes whenever any body has moved. */
  version: number;
  count: number;
  x: Float64Array;
  q: Float32Array;
  /** Velocities and spins; of the selected body only, unless all are looked at. */
  twist: Float32Array;
  particles: Float32Array;
  /** Rows of contacts; of the selected body only, unless all are looked at. */
  contacts: Float32Array;
  /** How many contacts there are. */
  touching: number;
  witnesses: Float32Array;
  effort: Effort | null;
  quality: Quality;
  marks: Mark[];
}

/** How good the simulation was so far; not a number where its driver does not tell. */
export interface Quality {
  /** The deepest overlap in the last step and so far, m. */
  overlap: number;
  worstOverlap: number;
  /** The largest error of a joint, m or rad. */
  jointError: number;
  /** What energy, work and losses do not add up to, now and at most, J. */
  drift: number;
  worstDrift: number;
  /** Of the body that lost most of its time, s. */
  lostTime: number;
}

/**
 * What the solvers had to do; with fixed steps in the last one: sub-steps as evaluations, pairs as searches, manifolds as separations; with
 * the update loop for teaching trials of back-stepping as rejected.
 */
export interface Effort {
  rejected: number;
  evaluations: number;
  searches: number;
  separations: number;
  byWitness: number;
  timeSteps: number;
  residual: number;
}

export interface EventRow {
  t: number;
  kind: string;
  a: number;
  b: number;
  impulse: number;
  note: string;
  /** Parts of a step that were tried to find the instant; zero but for a back-step. */
  trials: number;
}

export type EventJson = [number, string, number, number, Vec3, number, number, string, number];

export const eventOf = (row: EventJson): EventRow => ({
  t: row[0], kind: row[1], a: row[2], b: row[3], impulse: row[5], note: row[7], trials: row[8],
});

/** What is wrong with the text of a scene; lines and columns from 1. */
export interface Mistake {
  line: number;
  column: number;
  text: string;
  help: string | null;
}

export type Quantity =
  | "kinetic" | "potential" | "total" | "work" | "lost" | "error" | "contacts"
  | "lost_in_collisions" | "lost_to_friction" | "closing"
  | "px" | "py" | "pz" | "lx" | "ly" | "lz"
  | "x" | "y" | "z" | "vx" | "vy" | "vz" | "speed" | "wx" | "wy" | "wz" | "spin" | "contact_force";

/** What is sent only while it is looked at. */
export interface See {
  witnesses: boolean;
  velocities: boolean;
  contacts: boolean;
}

export type Command =
  | { do: "run" } | { do: "pause" } | { do: "step" } | { do: "step_back" } | { do: "next_event" } | { do: "restart" }
  | { do: "speed"; value: number | null }
  | { do: "seek"; t: number }
  | { do: "grab"; body: number; at: Vec3; to: Vec3 } | { do: "move"; to: Vec3 } | { do: "release" }
  | { do: "change"; gravity?: Vec3; restitution?: number; friction?: number }
  | { do: "select"; body: number | null }
  | ({ do: "see" } & See)
  | { do: "scene"; name: string }
  | { do: "driver"; name: Driver["name"] | null; step?: number }
  | { do: "beside"; keep: boolean }
  | { do: "text" } | { do: "edit"; text: string } | { do: "share" };

export interface Curves {
  times: Float64Array;
  values: Float64Array[];
}

/** Where frames come from: a server, or a recording in the page itself. */
export interface Source {
  readonly live: boolean;
  onWorld: (world: World) => void;
  onFrame: (frame: Frame) => void;
  /** Of the run that is compared with the one that is shown. */
  onBeside: (frame: Frame) => void;
  onEvents: (events: EventRow[], from: number) => void;
  onStop: (text: string) => void;
  onNote: (text: string) => void;
  onViolation: (text: string) => void;
  onConnection: (state: "open" | "lost" | "refused") => void;
  /** The text of the scene that is shown, if it has one. */
  onText: (text: string | null) => void;
  /** Whether the text that was to run did: no mistakes. */
  onEdited: (mistakes: Mistake[]) => void;
  /** All that was recorded as one page, or why not. */
  onFile: (name: string, text: string | null, error: string | null) => void;
  start(): void;
  send(command: Command): void;
  /** The page has drawn a frame. */
  drawn(): void;
  /** `beside`: of the run that is compared with the one that is shown. */
  plot(body: number | null, quantities: Quantity[], beside?: boolean): Promise<Curves | null>;
}

const HEAD = 76;
/** Where in the head the selected body is, in full: position, orientation, velocity, spin. */
const EXACT = 56;
const ONE = 32767;

/** Reads frames. They tell what has changed since the last one, so this remembers where everything is. */
export class FrameReader {
  private generation = -1;
  private version = 0;
  private x = new Float64Array(0);
  private q = new Float32Array(0);
  private twist = new Float32Array(0);
  private contacts = new Float32Array(0);

  /** `centre`: where positions are told from. Arrays of the frame are those of the next one, too. */
  read(buffer: ArrayBuffer, centre: Vec3): Frame {
    const head = new Float64Array(buffer, 0, HEAD);
    const [count, particles, contacts, marks, moved, layout] = [head[7], head[8], head[9], head[10], head[52], head[54]];
    if (head[1] !== this.generation || 3 * count !== this.x.length) {
      this.generation = head[1];
      [this.x, this.q, this.twist] = [new Float64Array(3 * count), new Float32Array(4 * count), new Float32Array(6 * count)];
    }
    let at = 8 * HEAD;
    const take = (floats: number) => {
      const view = new Float32Array(buffer, at, floats);
      at += 4 * floats;
      return view;
    };
    const ranks = layout & 1 ? new Uint32Array(buffer, at, moved) : null;
    if (ranks) at += 4 * moved;
    const places = take(3 * moved);
    const turns = new Int16Array(buffer, at, 4 * moved);
    at += 8 * moved;
    const twists = layout & 2 ? take(6 * moved) : null;
    this.place(moved, ranks, places, turns, twists, centre);
    if (layout & 8) this.placeExactly(head);
    if (moved > 0) this.version += 1;
    const points = take(3 * particles);
    const touching = take(CONTACT * contacts);
    if (layout & 4) this.contacts = touching;
    const witnesses = take(WITNESS * head[42]);
    const flags = head[6];
    const three = (i: number): Vec3 => [head[i], head[i + 1], head[i + 2]];
    return {
      generation: head[1], t: head[2], head: head[3], rate: head[4], share: head[5], number: head[53], version: this.version,
      running: (flags & 1) !== 0, stopped: (flags & 2) !== 0, busy: (flags & 4) !== 0, isEvent: (flags & 8) !== 0,
      hand: flags & 16 ? { body: head[28], at: three(29), to: three(32) } : null,
      load: flags & 32 ? { body: head[41], force: three(35), torque: three(38) } : null,
      collisions: head[11], steps: head[12], events: head[13], islands: [head[14], head[15]],
      ledger: Array.from(head.subarray(16, 22)), momenta: Array.from(head.subarray(22, 28)),
      count, x: this.x, q: this.q, twist: this.twist, particles: points, contacts: this.contacts, touching: head[51], witnesses,
      effort: {
        rejected: head[43], evaluations: head[44], searches: head[45], separations: head[46], byWitness: head[47],
        timeSteps: head[48], residual: head[50],
      },
      quality: {
        overlap: head[70], worstOverlap: head[49], jointError: head[71], drift: head[72], worstDrift: head[73], lostTime: head[74],
      },
      marks: marks > 0 ? JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, at, marks))) as Mark[] : NO_MARKS,
    };
  }

  private place(
    moved: number, ranks: Uint32Array | null, places: Float32Array, turns: Int16Array, twists: Float32Array | null, centre: Vec3,
  ): void {
    const { x, q, twist } = this;
    for (let i = 0; i < moved; i += 1) {
      const id = ranks ? ranks[i] : i;
      for (let k = 0; k < 3; k += 1) x[3 * id + k] = places[3 * i + k] + centre[k];
      for (let k = 0; k < 4; k += 1) q[4 * id + k] = turns[4 * i + k] / ONE;
      if (twists) for (let k = 0; k < 6; k += 1) twist[6 * id + k] = twists[6 * i + k];
    }
  }

  private placeExactly(head: Float64Array): void {
    const id = head[55];
    for (let k = 0; k < 3; k += 1) this.x[3 * id + k] = head[EXACT + k];
    for (let k = 0; k < 4; k += 1) this.q[4 * id + k] = head[EXACT + 3 + k];
    for (let k = 0; k < 6; k += 1) this.twist[6 * id + k] = head[EXACT + 7 + k];
  }
}

const NO_MARKS: Mark[] = [];
