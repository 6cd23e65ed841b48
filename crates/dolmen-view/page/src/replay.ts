// Frames from a recording inside the page: see export/html.rs. Between keys bodies move as in recording.rs.

import { bytesOf, Columns, unpacked } from "./columns";
import { rotateBack } from "./panels";
import {
  type Command, CONTACT, type Curves, type EventRow, type Frame, type Mistake, type Quality, type Quantity, type Source, WITNESS,
  type World,
} from "./protocol";

interface Head extends World {
  head: number;
  stop: string | null;
  /** The law that was broken last. */
  violated?: string | null;
  interval: number;
  /** The unit of positions, m. */
  grid: number;
  frames: number;
  samples: number;
  tracks: number[];
  /** Pairs of bodies, and how many keys each has. */
  contacts: [number, number, number][];
  planes: [number, number, number][];
  particle_frames: number;
  /** How many are here, how many there were, and the words for kinds and notes. */
  events: { count: number; all: number; words: string[] };
  statistics: number[];
  /** At the end: deepest overlap, error of joints, drift of energy, that at most, time lost; null is unknown. */
  quality?: (number | null)[];
}

/** Numbers of a key: position, orientation, velocity, spin, jump. */
const KEY = 14;
/** Numbers of a sample: ledger, momenta. */
const SAMPLE = 12;
const TURN = 1 / 32767;

/** What holds from certain times on. */
interface Track {
  times: Float64Array;
  keys: Float32Array;
}

/** Contacts or planes of a pair: what holds from certain times on, as rows. */
interface PairTrack {
  bodies: [number, number];
  times: Float64Array;
  rows: Float32Array[];
}

type Q = [number, number, number, number];
type V = [number, number, number];

const times = (a: Q, b: Q): Q => [
  a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
  a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
  a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
  a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
];
const inverse = (q: Q): Q => [-q[0], -q[1], -q[2], q[3]];
const scaled = (v: V, s: number): V => [v[0] * s, v[1] * s, v[2] * s];
const turn = (q: Q, v: V): V => rotateBack(inverse(q), v) as V;
const exp = (v: V): Q => {
  const angle = Math.hypot(v[0], v[1], v[2]);
  if (angle === 0) return [0, 0, 0, 1];
  const s = Math.sin(angle / 2) / angle;
  return [v[0] * s, v[1] * s, v[2] * s, Math.cos(angle / 2)];
};
const log = (q: Q): V => {
  const sign = q[3] < 0 ? -1 : 1;
  const sine = Math.hypot(q[0], q[1], q[2]);
  if (sine === 0) return [0, 0, 0];
  const angle = 2 * Math.atan2(sine, sign * q[3]);
  return scaled([q[0], q[1], q[2]], (sign * angle) / sine);
};

/** Where a body is between two keys, into the arrays of a frame. */
function between({ times: at, keys }: Track, i: number, t: number, out: { x: Float64Array; q: Float32Array; twist: Float32Array }, id: number, centre: V): void {
  const j = Math.min(i + 1, at.length - 1);
  const [a, b] = [KEY * i, KEY * j];
  const h = at[j] - at[i];
  const s = h > 0 ? Math.min(Math.max((t - at[i]) / h, 0), 1) : 1;
  const three = (i: number): V => [keys[i], keys[i + 1], keys[i + 2]];
  const q_a: Q = [keys[a + 3], keys[a + 4], keys[a + 5], keys[a + 6]];
  const q_b: Q = [keys[b + 3], keys[b + 4], keys[b + 5], keys[b + 6]];
  const [x_a, x_b, v_a, w_a] = [three(a), three(b), three(a + 7), three(a + 10)];
  const jump = keys[b + 13];
  let [v_0, v_1, w_0, w_1] = [v_a, three(b + 7), w_a, three(b + 10)];
  if (jump !== 0 && h > 0) {
    const whole = turn(q_a, log(times(inverse(q_a), q_b)));
    const mean: V = [0, 1, 2].map((k) => (x_b[k] - x_a[k]) / h) as V;
    const turning = scaled(whole, 1 / h);
    if (jump === 1) {
      v_1 = [0, 1, 2].map((k) => 2 * mean[k] - v_a[k]) as V;
      w_1 = [0, 1, 2].map((k) => 2 * turning[k] - w_a[k]) as V;
    } else {
      [v_0, v_1, w_0, w_1] = [mean, mean, turning, turning];
    }
  }
  const [s2, s3] = [s * s, s * s * s];
  for (let k = 0; k < 3; k += 1) {
    out.x[3 * id + k] = centre[k] + (2 * s3 - 3 * s2 + 1) * x_a[k] + (s3 - 2 * s2 + s) * h * v_0[k] + (3 * s2 - 2 * s3) * x_b[k] + (s3 - s2) * h * v_1[k];
    const isEnd = s === 1;
    out.twist[6 * id + k] = isEnd ? keys[b + 7 + k] : v_0[k] + s * (v_1[k] - v_0[k]);
    out.twist[6 * id + 3 + k] = isEnd ? keys[b + 10 + k] : w_0[k] + s * (w_1[k] - w_0[k]);
  }
  const w_first = scaled(turn(inverse(q_a), w_0), h / 3);
  const w_last = scaled(turn(inverse(q_b), w_1), h / 3);
  const w_middle = log(times(times(exp(scaled(w_first, -1)), times(inverse(q_a), q_b)), exp(scaled(w_last, -1))));
  const r = 1 - s;
  const q = times(times(times(q_a, exp(scaled(w_first, 1 - r * r * r))), exp(scaled(w_middle, 3 * s2 - 2 * s3))), exp(scaled(w_last, s3)));
  const norm = Math.hypot(...q) || 1;
  for (let k = 0; k < 4; k += 1) out.q[4 * id + k] = q[k] / norm;
}

export class ReplaySource implements Source {
  readonly live = false;
  onWorld: (world: World) => void = () => {};
  onFrame: (frame: Frame) => void = () => {};
  onBeside: (frame: Frame) => void = () => {};
  onEvents: (events: EventRow[], from: number) => void = () => {};
  onStop: (text: string) => void = () => {};
  onNote: (text: string) => void = () => {};
  onViolation: (text: string) => void = () => {};
  onConnection: (state: "open" | "lost" | "refused") => void = () => {};
  onText: (text: string | null) => void = () => {};
  onEdited: (mistakes: Mistake[]) => void = () => {};
  onFile: (name: string, text: string | null, error: string | null) => void = () => {};

  private readonly sampleTimes: Float64Array;
  private readonly samples: Float64Array[];
  private readonly tracks: Track[];
  private readonly contacts: PairTrack[];
  private readonly planes: PairTrack[];
  private readonly particles: { t: number; points: Float32Array }[] = [];
  private readonly events: EventRow[];
  private readonly hints: number[];
  private cursor = 0;
  private running = false;
  private speed = 1;
  private last = performance.now();
  private rate = 0;
  private number = 0;
  private selected = -1;
  private seesPlanes = false;

  constructor(private readonly head: Head, columns: Columns) {
    const times = columns.exact(head.frames);
    const timesOf = (places: Int32Array) => Float64Array.from(places, (place) => times[place]);
    this.sampleTimes = timesOf(columns.whole(head.samples));
    this.samples = Array.from({ length: SAMPLE }, () => columns.exact(head.samples));
    this.tracks = this.readTracks(columns, timesOf);
    this.contacts = this.readContacts(columns, timesOf);
    this.planes = this.readPlanes(columns, timesOf);
    const points = head.particles.reduce((sum, set) => sum + set.count, 0);
    const places = timesOf(columns.whole(head.particle_frames));
    const parts = [0, 1, 2].map(() => columns.rough(points * head.particle_frames));
    places.forEach((t, frame) => {
      const all = new Float32Array(3 * points);
      for (let i = 0; i < 3 * points; i += 1) all[i] = parts[i % 3][frame * points + Math.floor(i / 3)] + head.centre[i % 3];
      this.particles.push({ t, points: all });
    });
    this.hints = this.tracks.map(() => 0);
    this.events = this.readEvents(columns);
  }

  private readEvents(columns: Columns): EventRow[] {
    const { count, words } = this.head.events;
    const times = columns.exact(count);
    const [kind, a, b] = [0, 1, 2].map(() => columns.whole(count));
    const impulse = columns.rough(count);
    const note = columns.whole(count);
    return Array.from(times, (t, i) => ({ t, kind: words[kind[i]], a: a[i], b: b[i], impulse: impulse[i], note: words[note[i]], trials: 0 }));
  }

  private readTracks(columns: Columns, timesOf: (places: Int32Array) => Float64Array): Track[] {
    const count = this.head.tracks.reduce((sum, keys) => sum + keys, 0);
    const times = timesOf(columns.whole(count));
    const place = [0, 1, 2].map(() => columns.whole(count));
    const rest = [0, 1, 2].map(() => columns.whole(count));
    const kind = columns.whole(count);
    const twist = [0, 1, 2, 3, 4, 5].map(() => columns.rough(count));
    const keys = new Float32Array(KEY * count);
    for (let i = 0; i < count; i += 1) {
      for (let k = 0; k < 3; k += 1) keys[KEY * i + k] = place[k][i] * this.head.grid;
      // The largest component was left out: 1 less the squares of the others is its square.
      const [largest, jump] = [kind[i] >> 2, kind[i] & 3];
      let [left, from] = [1, 0];
      for (let k = 0; k < 4; k += 1) {
        if (k === largest) continue;
        const value = rest[from][i] * TURN;
        keys[KEY * i + 3 + k] = value;
        left -= value * value;
        from += 1;
      }
      keys[KEY * i + 3 + largest] = Math.sqrt(Math.max(left, 0));
      for (let k = 0; k < 6; k += 1) keys[KEY * i + 7 + k] = twist[k][i];
      keys[KEY * i + 13] = jump;
    }
    let at = 0;
    return this.head.tracks.map((length) => {
      const from = at;
      at += length;
      return { times: times.subarray(from, at), keys: keys.subarray(KEY * from, KEY * at) };
    });
  }

  private readContacts(columns: Columns, timesOf: (places: Int32Array) => Float64Array): PairTrack[] {
    const count = this.head.contacts.reduce((sum, pair) => sum + pair[2], 0);
    const times = timesOf(columns.whole(count));
    const lengths = columns.whole(count);
    const rows = lengths.reduce((sum, length) => sum + length, 0);
    const parts = Array.from({ length: 10 }, () => columns.rough(rows));
    const flags = columns.whole(rows);
    let [key, row] = [0, 0];
    return this.head.contacts.map(([a, b, length]) => {
      const from = key;
      const found: Float32Array[] = [];
      for (; key < from + length; key += 1) {
        const made = new Float32Array(CONTACT * lengths[key]);
        for (let i = 0; i < lengths[key]; i += 1, row += 1) {
          for (let k = 0; k < 10; k += 1) made[CONTACT * i + k] = parts[k][row];
          made.set([flags[row], a, b], CONTACT * i + 10);
        }
        found.push(made);
      }
      return { bodies: [a, b], times: times.subarray(from, key), rows: found };
    });
  }

  /** Rows of planes are as in frames, but in the frame of the body that they move with: the first of the two named. */
  private readPlanes(columns: Columns, timesOf: (places: Int32Array) => Float64Array): PairTrack[] {
    const count = this.head.planes.reduce((sum, pair) => sum + pair[2], 0);
    const times = timesOf(columns.whole(count));
    const kinds = columns.whole(count);
    const rows = kinds.reduce((sum, kind) => sum + (kind > 0 ? 1 : 0), 0);
    const parts = Array.from({ length: 8 }, () => columns.rough(rows));
    let [key, row] = [0, 0];
    return this.head.planes.map(([a, b, length]) => {
      const from = key;
      const found: Float32Array[] = [];
      for (; key < from + length; key += 1) {
        const made = new Float32Array(kinds[key] > 0 ? WITNESS : 0);
        if (kinds[key] > 0) {
          for (let k = 0; k < 8; k += 1) made[k] = parts[k][row];
          made.set([(kinds[key] & 3) - 1, ...(kinds[key] & 4 ? [b, a] : [a, b])], 8);
          row += 1;
        }
        found.push(made);
      }
      return { bodies: [a, b], times: times.subarray(from, key), rows: found };
    });
  }

  start(): void {
    this.onConnection("open");
    this.onWorld(this.head);
    this.onEvents(this.events, 0);
    const { count, all } = this.head.events;
    if (count < all) this.onNote(`this file lists the first ${count} of ${all} events`);
    if (this.head.violated) this.onViolation(this.head.violated);
    if (this.head.stop) this.onStop(this.head.stop);
    this.show();
    const tick = () => {
      requestAnimationFrame(tick);
      const now = performance.now();
      const passed = Math.min((now - this.last) / 1000, 0.1);
      this.last = now;
      if (!this.running) return;
      const before = this.cursor;
      this.cursor = Math.min(this.cursor + passed * this.speed * this.head.base, this.head.head);
      this.rate = passed > 0 ? (this.cursor - before) / passed : 0;
      if (this.cursor >= this.head.head) this.running = false;
      this.show();
    };
    requestAnimationFrame(tick);
  }

  send(command: Command): void {
    const by = this.head.interval;
    switch (command.do) {
      case "run":
        if (this.cursor >= this.head.head) this.cursor = 0;
        this.running = true;
        break;
      case "pause": this.running = false; break;
      case "step": this.go(this.cursor + by); break;
      case "step_back": this.go(this.cursor - by); break;
      case "seek": this.go(command.t); break;
      case "restart": this.go(0); break;
      case "speed": this.speed = command.value ?? 100; break;
      case "select": this.selected = command.body ?? -1; break;
      case "see": this.seesPlanes = command.witnesses; break;
      case "next_event": {
        const next = this.events.find((event) => event.t > this.cursor);
        this.go(next ? next.t : this.head.head);
        break;
      }
      default: break;
    }
    this.show();
  }

  private go(t: number): void {
    this.running = false;
    this.cursor = Math.min(Math.max(t, 0), this.head.head);
  }

  drawn(): void {}

  private show(): void {
    this.onFrame(this.frameAt(this.cursor));
  }

  /** The last key at or before a time. */
  private find(times: Float64Array, t: number, hint: number): number {
    const count = times.length;
    let i = Math.min(hint, count - 1);
    while (i > 0 && times[i] > t) i -= 1;
    while (i + 1 < count && times[i + 1] <= t) i += 1;
    return i;
  }

  /** Everything at a time; of the bodies only one is placed, if one is named. */
  private frameAt(t: number, only = -1): Frame {
    const { head } = this;
    const count = head.bodies.length;
    const [x, q, twist] = [new Float64Array(3 * count), new Float32Array(4 * count), new Float32Array(6 * count)];
    for (let id = Math.max(only, 0); id < (only < 0 ? count : only + 1); id += 1) {
      const i = this.find(this.tracks[id].times, t, this.hints[id]);
      this.hints[id] = i;
      between(this.tracks[id], i, t, { x, q, twist }, id, head.centre);
    }
    const row = Math.max(0, last(this.sampleTimes, t));
    const contacts = joined(this.contacts.flatMap((pair) => pair.rows[last(pair.times, t)] ?? []));
    this.number += 1;
    const sample = this.samples.map((column) => column[row]);
    return {
      generation: 1, t, head: head.head, rate: this.rate, share: 0, load: null, running: this.running, stopped: head.stop !== null,
      busy: false, isEvent: false, hand: null, collisions: head.statistics[0], steps: head.statistics[1],
      events: this.events.length, islands: [head.statistics[2], head.statistics[3]], number: this.number, version: this.number,
      ledger: sample.slice(0, 6), momenta: sample.slice(6, 12), touching: contacts.length / CONTACT,
      count, x, q, twist, particles: this.particlesAt(t), contacts, effort: null, quality: this.qualityAt(row), marks: [],
      witnesses: this.seesPlanes ? this.planesAt(t, x, q) : new Float32Array(0),
    };
  }

  /** The drift of energy at a sample; the others are those of the end. */
  private qualityAt(row: number): Quality {
    const [worstOverlap, jointError, , worstDrift, lostTime] = (this.head.quality ?? [null, null, null, null, null]).map((value) => value ?? NaN);
    const [kinetic, potential, work, collisions, friction, closing] = this.samples.map((column) => column[row]);
    const drift = kinetic + potential - (this.samples[0][0] + this.samples[1][0]) - work + collisions + friction + closing;
    return { overlap: NaN, worstOverlap, jointError, drift, worstDrift, lostTime };
  }

  /** Planes where their bodies are; of the selected body only, if there is one. */
  private planesAt(t: number, x: Float64Array, q: Float32Array): Float32Array {
    const found: Float32Array[] = [];
    for (const { bodies, times: at, rows } of this.planes) {
      if (this.selected >= 0 && !bodies.includes(this.selected)) continue;
      const local = rows[last(at, t)];
      if (!local || local.length === 0) continue;
      const id = local[9];
      const pose: Q = [q[4 * id], q[4 * id + 1], q[4 * id + 2], q[4 * id + 3]];
      const row = Float32Array.from(local);
      row.set(turn(pose, [local[0], local[1], local[2]]).map((v, k) => v + x[3 * id + k]), 0);
      row.set(turn(pose, [local[3], local[4], local[5]]), 3);
      found.push(row);
    }
    return joined(found);
  }

  private particlesAt(t: number): Float32Array {
    const next = this.particles.findIndex((frame) => frame.t > t);
    if (next === 0) return this.particles[0].points;
    if (next < 0) return this.particles.at(-1)?.points ?? new Float32Array(0);
    const [a, b] = [this.particles[next - 1], this.particles[next]];
    const s = (t - a.t) / (b.t - a.t);
    return a.points.map((v, i) => v + s * (b.points[i] - v));
  }

  plot(body: number | null, quantities: Quantity[]): Promise<Curves | null> {
    const values = quantities.map(() => new Float64Array(this.sampleTimes.length));
    this.sampleTimes.forEach((t, i) => {
      const frame = body === null && !quantities.includes("contacts") ? null : this.frameAt(t, body ?? 0);
      quantities.forEach((quantity, k) => {
        values[k][i] = frame && body !== null ? this.ofBody(frame, body, quantity) : this.ofWorld(i, frame, quantity);
      });
    });
    return Promise.resolve({ times: this.sampleTimes, values });
  }

  private ofWorld(i: number, frame: Frame | null, quantity: Quantity): number {
    const [kinetic, potential, work, collisions, friction, closing] = this.samples.map((column) => column[i]);
    const lost = collisions + friction + closing;
    const total = kinetic + potential;
    switch (quantity) {
      case "kinetic": return kinetic;
      case "potential": return potential;
      case "total": return total;
      case "work": return work;
      case "lost": return lost;
      case "lost_in_collisions": return collisions;
      case "lost_to_friction": return friction;
      case "closing": return closing;
      case "contacts": return frame?.touching ?? NaN;
      case "error": return total - (this.samples[0][0] + this.samples[1][0]) - work + lost;
      default: {
        const place = ["px", "py", "pz", "lx", "ly", "lz"].indexOf(quantity);
        return place < 0 ? NaN : this.samples[6 + place][i];
      }
    }
  }

  /** Momentum of a body, and its angular momentum about the origin, R I Rᵀ ω and x × p. */
  private momentumOf(frame: Frame, id: number): number[] {
    const body = this.head.bodies[id];
    if (body.kind !== "dynamic") return [0, 0, 0, 0, 0, 0];
    const [x, twist] = [frame.x.subarray(3 * id, 3 * id + 3), frame.twist.subarray(6 * id, 6 * id + 6)];
    const q = Array.from(frame.q.subarray(4 * id, 4 * id + 4)) as Q;
    const w = rotateBack(q, twist.subarray(3, 6));
    const m = body.inertia;
    const spin = turn(q, [0, 1, 2].map((r) => m[r] * w[0] + m[3 + r] * w[1] + m[6 + r] * w[2]) as V);
    const p = [0, 1, 2].map((k) => (body.mass ?? 0) * twist[k]);
    return [...p, x[1] * p[2] - x[2] * p[1] + spin[0], x[2] * p[0] - x[0] * p[2] + spin[1], x[0] * p[1] - x[1] * p[0] + spin[2]];
  }

  private ofBody(frame: Frame, id: number, quantity: Quantity): number {
    const [x, twist] = [frame.x.subarray(3 * id, 3 * id + 3), frame.twist.subarray(6 * id, 6 * id + 6)];
    const place = ["x", "y", "z"].indexOf(quantity);
    if (place >= 0) return x[place];
    const momentum = ["px", "py", "pz", "lx", "ly", "lz"].indexOf(quantity);
    if (momentum >= 0) return this.momentumOf(frame, id)[momentum];
    const rate = ["vx", "vy", "vz", "wx", "wy", "wz"].indexOf(quantity);
    if (rate >= 0) return twist[rate];
    const body = this.head.bodies[id];
    switch (quantity) {
      case "speed": return Math.hypot(twist[0], twist[1], twist[2]);
      case "spin": return Math.hypot(twist[3], twist[4], twist[5]);
      case "kinetic": {
        const w = rotateBack(frame.q.subarray(4 * id, 4 * id + 4), twist.subarray(3, 6));
        const m = body.inertia;
        const l = [0, 1, 2].map((r) => m[r] * w[0] + m[3 + r] * w[1] + m[6 + r] * w[2]);
        const v = Math.hypot(twist[0], twist[1], twist[2]);
        return 0.5 * ((body.mass ?? 0) * v * v + w[0] * l[0] + w[1] * l[1] + w[2] * l[2]);
      }
      case "contacts": {
        let count = 0;
        for (let c = 0; c < frame.contacts.length; c += CONTACT) if (frame.contacts[c + 11] === id || frame.contacts[c + 12] === id) count += 1;
        return count;
      }
      case "contact_force": {
        const sum = [0, 0, 0];
        for (let c = 0; c < frame.contacts.length; c += CONTACT) {
          const sign = frame.contacts[c + 11] === id ? 1 : frame.contacts[c + 12] === id ? -1 : 0;
          for (let k = 0; k < 3; k += 1) sum[k] += sign * frame.contacts[c + 6 + k];
        }
        return Math.hypot(...sum);
      }
      default: return NaN;
    }
  }
}

/** The place of the last of some times at or before one; −1 if there is none. */
function last(times: Float64Array, t: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function joined(parts: Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The recording inside this page, if there is one. */
export async function findReplay(): Promise<Source | null> {
  const head = document.getElementById("replay")?.textContent;
  const numbers = document.getElementById("replay-numbers")?.textContent;
  if (!head || numbers === null || numbers === undefined) return null;
  return new ReplaySource(JSON.parse(head) as Head, new Columns(await unpacked(bytesOf(numbers))));
}
