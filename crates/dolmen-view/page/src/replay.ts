// Frames from a recording inside the page: see export/html.rs. Between keys bodies move as in recording.rs.

import { rotateBack } from "./panels";
import {
  type Command, CONTACT, type Curves, eventOf, type EventJson, type EventRow, type Frame, type Quantity, type Source, type World,
} from "./protocol";

interface Head extends World {
  head: number;
  stop: string | null;
  interval: number;
  samples: number;
  tracks: number[];
  contact_frames: number;
  particle_frames: number;
  events: EventJson[];
  statistics: number[];
}

/** Numbers of a key: t, position, orientation, velocity, spin, jump. */
const KEY = 15;
/** Numbers of a sample: t, ledger, momenta. */
const SAMPLE = 13;

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
function between(keys: Float32Array, a: number, b: number, t: number, out: { x: Float64Array; q: Float32Array; twist: Float32Array }, id: number, centre: V): void {
  const h = keys[b] - keys[a];
  const s = h > 0 ? Math.min(Math.max((t - keys[a]) / h, 0), 1) : 1;
  const three = (i: number): V => [keys[i], keys[i + 1], keys[i + 2]];
  const q_a: Q = [keys[a + 4], keys[a + 5], keys[a + 6], keys[a + 7]];
  const q_b: Q = [keys[b + 4], keys[b + 5], keys[b + 6], keys[b + 7]];
  const [x_a, x_b, v_a, w_a] = [three(a + 1), three(b + 1), three(a + 8), three(a + 11)];
  const jump = keys[b + 14];
  let [v_0, v_1, w_0, w_1] = [v_a, three(b + 8), w_a, three(b + 11)];
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
    out.twist[6 * id + k] = isEnd ? keys[b + 8 + k] : v_0[k] + s * (v_1[k] - v_0[k]);
    out.twist[6 * id + 3 + k] = isEnd ? keys[b + 11 + k] : w_0[k] + s * (w_1[k] - w_0[k]);
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
  onEvents: (events: EventRow[], from: number) => void = () => {};
  onStop: (text: string) => void = () => {};
  onNote: (text: string) => void = () => {};
  onConnection: (state: "open" | "lost" | "refused") => void = () => {};

  private readonly samples: Float64Array;
  private readonly tracks: Float32Array[];
  private readonly contacts: { t: number; rows: Float32Array }[] = [];
  private readonly particles: { t: number; points: Float32Array }[] = [];
  private readonly events: EventRow[];
  private readonly hints: number[];
  private cursor = 0;
  private running = false;
  private speed = 1;
  private last = performance.now();
  private rate = 0;

  constructor(private readonly head: Head, bytes: ArrayBuffer) {
    this.samples = new Float64Array(bytes, 0, SAMPLE * head.samples);
    const rest = new Float32Array(bytes, 8 * this.samples.length);
    let at = 0;
    const take = (count: number) => rest.subarray(at, (at += count));
    this.tracks = head.tracks.map((count) => take(KEY * count));
    for (let i = 0; i < head.contact_frames; i += 1) {
      const [t, count] = take(2);
      this.contacts.push({ t, rows: take(CONTACT * count) });
    }
    const points = head.particles.reduce((sum, set) => sum + set.count, 0);
    for (let i = 0; i < head.particle_frames; i += 1) {
      const [t] = take(1);
      this.particles.push({ t, points: take(3 * points) });
    }
    this.hints = this.tracks.map(() => 0);
    this.events = head.events.map(eventOf);
  }

  start(): void {
    this.onConnection("open");
    this.onWorld(this.head);
    this.onEvents(this.events, 0);
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
  private find(keys: Float32Array, t: number, hint: number): number {
    const count = keys.length / KEY;
    let i = Math.min(hint, count - 1);
    while (i > 0 && keys[KEY * i] > t) i -= 1;
    while (i + 1 < count && keys[KEY * (i + 1)] <= t) i += 1;
    return i;
  }

  private frameAt(t: number): Frame {
    const { head } = this;
    const count = head.bodies.length;
    const [x, q, twist] = [new Float64Array(3 * count), new Float32Array(4 * count), new Float32Array(6 * count)];
    // Keys have times of single precision: an event is reached when its key is.
    const at = Math.fround(t);
    for (let id = 0; id < count; id += 1) {
      const keys = this.tracks[id];
      const i = this.find(keys, at, this.hints[id]);
      this.hints[id] = i;
      const a = KEY * i;
      const b = Math.min(a + KEY, keys.length - KEY);
      between(keys, a, b, at, { x, q, twist }, id, head.centre);
    }
    const row = SAMPLE * Math.max(0, this.sampleAt(t));
    const contacts = this.contactsAt(at);
    return {
      generation: 1, t, head: head.head, rate: this.rate, share: 0, load: null, running: this.running, stopped: head.stop !== null,
      busy: false, isEvent: false, hand: null, collisions: head.statistics[0], steps: head.statistics[1],
      events: this.events.length, islands: [head.statistics[2], head.statistics[3]],
      ledger: Array.from(this.samples.subarray(row + 1, row + 7)), momenta: Array.from(this.samples.subarray(row + 7, row + 13)),
      count, x, q, twist, particles: this.particlesAt(at), contacts, witnesses: new Float32Array(0), effort: null, marks: [],
    };
  }

  private contactsAt(t: number): Float32Array {
    return this.contacts.findLast((frame) => frame.t <= t)?.rows ?? new Float32Array(0);
  }

  private sampleAt(t: number): number {
    let [low, high] = [0, this.samples.length / SAMPLE];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.samples[SAMPLE * middle] <= t) low = middle + 1;
      else high = middle;
    }
    return low - 1;
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
    const count = this.samples.length / SAMPLE;
    const times64 = new Float64Array(count).map((_, i) => this.samples[SAMPLE * i]);
    const values = quantities.map(() => new Float64Array(count));
    for (let i = 0; i < count; i += 1) {
      const row = this.samples.subarray(SAMPLE * i, SAMPLE * (i + 1));
      const frame = body === null ? null : this.frameAt(row[0]);
      quantities.forEach((quantity, k) => {
        values[k][i] = frame && body !== null ? this.ofBody(frame, body, quantity) : this.ofWorld(row, quantity);
      });
    }
    return Promise.resolve({ times: times64, values });
  }

  private ofWorld(row: Float64Array, quantity: Quantity): number {
    const lost = row[4] + row[5] + row[6];
    const total = row[1] + row[2];
    switch (quantity) {
      case "kinetic": return row[1];
      case "potential": return row[2];
      case "total": return total;
      case "work": return row[3];
      case "lost": return lost;
      case "lost_in_collisions": return row[4];
      case "lost_to_friction": return row[5];
      case "closing": return row[6];
      case "contacts": return this.contactsAt(row[0]).length / CONTACT;
      case "error": return total - (this.samples[1] + this.samples[2]) - row[3] + lost;
      default: {
        const place = ["px", "py", "pz", "lx", "ly", "lz"].indexOf(quantity);
        return place < 0 ? NaN : row[7 + place];
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

/** The recording inside this page, if there is one. */
export function findReplay(): Source | null {
  const head = document.getElementById("replay")?.textContent;
  const numbers = document.getElementById("replay-numbers")?.textContent;
  if (!head || numbers === null || numbers === undefined) return null;
  const text = atob(numbers.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return new ReplaySource(JSON.parse(head) as Head, bytes.buffer);
}
