// What is beside the picture: a body's numbers, the events, and the constants of the scene.

import { CONTACT, type Described, type Driver, type Effort, type EventRow, type Frame, type Quality, type World } from "./protocol";

export const number = (v: number, digits = 5): string => {
  if (!Number.isFinite(v)) return Number.isNaN(v) ? "–" : v > 0 ? "∞" : "−∞";
  if (v === 0) return "0";
  const text = Math.abs(v) >= 1e6 || Math.abs(v) < 1e-4 ? v.toExponential(3) : String(Number(v.toPrecision(digits)));
  return text.replaceAll("-", "−");
};

/** A table of names and values that changes its texts and nothing else. */
export class Facts {
  readonly element = document.createElement("dl");
  private cells = new Map<string, HTMLElement>();

  constructor() {
    this.element.className = "facts";
  }

  set(rows: [string, string][]): void {
    const wanted = rows.map(([name]) => name).join("|");
    if (wanted !== [...this.cells.keys()].join("|")) {
      this.cells.clear();
      this.element.replaceChildren();
      for (const [name] of rows) {
        const [term, value] = [document.createElement("dt"), document.createElement("dd")];
        term.textContent = name;
        this.element.append(term, value);
        this.cells.set(name, value);
      }
    }
    for (const [name, text] of rows) {
      const cell = this.cells.get(name);
      if (cell && cell.textContent !== text) cell.textContent = text;
    }
  }
}

/** Parts that are rounding beside the largest one are written as zero. */
const ROUNDING = 1e-14;

const vector = (values: ArrayLike<number>, at = 0) => {
  const parts = [0, 1, 2].map((k) => values[at + k]);
  const least = ROUNDING * Math.max(...parts.map(Math.abs));
  return parts.map((part) => number(Math.abs(part) <= least ? 0 : part, 4)).join("  ");
};

/** Everything about one body at an instant. */
export function bodyFacts(world: Described, frame: Frame, id: number): [string, string][] {
  const body = world.bodies[id];
  const x = frame.x.subarray(3 * id, 3 * id + 3);
  const v = frame.twist.subarray(6 * id, 6 * id + 3);
  const w = frame.twist.subarray(6 * id + 3, 6 * id + 6);
  const q = frame.q.subarray(4 * id, 4 * id + 4);
  const rows: [string, string][] = [
    ["name", body.name],
    ["is", `${body.kind} ${body.shape_name}${body.material ? `, ${body.material}` : ""}`],
    ["position, m", vector(x)],
    ["orientation", [3, 0, 1, 2].map((k) => number(q[k], 4)).join("  ")],
    ["velocity, m/s", vector(v)],
    ["spin, rad/s", vector(w)],
  ];
  if (body.kind === "dynamic" && body.mass !== null) {
    const mass = body.mass;
    const speed = Math.hypot(v[0], v[1], v[2]);
    const inBody = rotateBack(q, w);
    const rotational = 0.5 * dot(inBody, times(body.inertia, inBody));
    const height = -(world.gravity[0] * x[0] + world.gravity[1] * x[1] + world.gravity[2] * x[2]);
    rows.push(
      ["mass, kg", number(mass)],
      ["weight, N", number(mass * Math.hypot(...world.gravity))],
      ["moments, kg·m²", body.moments.map((m) => number(m ?? Infinity, 4)).join("  ")],
      ["momentum, kg·m/s", vector([mass * v[0], mass * v[1], mass * v[2]])],
      ["translational energy, J", number(0.5 * mass * speed * speed)],
      ["rotational energy, J", number(rotational)],
      ["potential energy, J", number(mass * height)],
    );
  }
  const [force, contacts] = contactForce(frame, id);
  rows.push(["contacts", String(contacts)], ["contact force, N", contacts > 0 ? vector(force) : "–"]);
  if (frame.load?.body === id) {
    rows.push(["all forces, N", vector(frame.load.force)], ["all torques, N·m", vector(frame.load.torque)]);
  }
  return rows;
}

/** A length step, s, as people say it: 1/60. */
export const stepName = (step: number): string => {
  const rate = Math.round(1 / step);
  return step < 1 && Math.abs(rate * step - 1) < 1e-9 ? `1/${rate}` : String(Number(step.toPrecision(4)));
};

/** Two digits, and no more letters than needed. */
const short = (v: number): string => (v !== 0 && (Math.abs(v) < 1e-3 || Math.abs(v) >= 1e4) ? v.toExponential(0) : String(Number(v.toPrecision(2)))).replaceAll("-", "−");

/** A length in the unit that makes a readable number. */
export const lengthText = (v: number): string => {
  const [unit, name] = v >= 0.1 ? [1, "m"] : v >= 1e-4 ? [1e-3, "mm"] : v >= 1e-7 ? [1e-6, "µm"] : [1, "m"];
  return `${short(v / unit)} ${name}`;
};

/** How good it was, as far as its driver tells: short, for the picture. */
export function qualityText(quality: Quality): string {
  const { worstOverlap, worstDrift, jointError } = quality;
  const parts: string[] = [];
  if (worstOverlap >= 0) parts.push(`overlap ≤ ${lengthText(worstOverlap)}`);
  if (jointError > 0) parts.push(`joints ≤ ${short(jointError)}`);
  if (worstDrift >= 0) parts.push(`energy drift ≤ ${short(worstDrift)} J`);
  return parts.join(" · ");
}

/** The same in full. */
export function qualityFacts(quality: Quality): [string, string][] {
  const rows: [string, number][] = [
    ["deepest overlap, m", quality.worstOverlap], ["overlap in the last step, m", quality.overlap],
    ["largest error of a joint, m or rad", quality.jointError],
    ["energy drift, J", quality.drift], ["largest energy drift, J", quality.worstDrift],
    ["time lost by a body, s", quality.lostTime],
  ];
  // What is always zero with a driver is not told.
  const isTold = ([name, value]: [string, number], i: number) => !Number.isNaN(value) && (value !== 0 || i === 0 || name.includes("energy"));
  return rows.filter(isTold).map(([name, value]) => [name, number(value, 3)]);
}

/** What the solvers had to do. */
export function effortFacts(effort: Effort, driver: Driver | null): [string, string][] {
  if (driver?.name === "fixed") {
    return [["sub-steps of the last step", String(effort.evaluations)], ["pairs", String(effort.searches)], ["manifolds with impulses", String(effort.separations)]];
  }
  if (driver?.name === "intro") return [["parts of steps tried in back-stepping", String(effort.rejected)], ["pairs so far", String(effort.searches)]];
  const share = effort.separations > 0 ? `, ${Math.round((100 * effort.byWitness) / effort.separations)} % by witness` : "";
  return [
    ["rejected steps", String(effort.rejected)],
    ["evaluations", String(effort.evaluations)],
    ["searches of pairs", String(effort.searches)],
    ["separations", `${effort.separations}${share}`],
    ["time steps", String(effort.timeSteps)],
    ["residual of contact forces", number(effort.residual, 2)],
  ];
}

const dot = (a: ArrayLike<number>, b: ArrayLike<number>) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const times = (m: number[], v: number[]) => [0, 1, 2].map((r) => m[r] * v[0] + m[3 + r] * v[1] + m[6 + r] * v[2]);

/** A vector of the world in the frame of a body. */
export function rotateBack(q: ArrayLike<number>, v: ArrayLike<number>): number[] {
  const [x, y, z, w] = [-q[0], -q[1], -q[2], q[3]];
  const a = [y * v[2] - z * v[1] + w * v[0], z * v[0] - x * v[2] + w * v[1], x * v[1] - y * v[0] + w * v[2]];
  return [v[0] + 2 * (y * a[2] - z * a[1]), v[1] + 2 * (z * a[0] - x * a[2]), v[2] + 2 * (x * a[1] - y * a[0])];
}

function contactForce(frame: Frame, id: number): [number[], number] {
  const sum = [0, 0, 0];
  let count = 0;
  for (let c = 0; c < frame.contacts.length; c += CONTACT) {
    const sign = frame.contacts[c + 11] === id ? 1 : frame.contacts[c + 12] === id ? -1 : 0;
    if (sign === 0) continue;
    count += 1;
    for (let k = 0; k < 3; k += 1) sum[k] += sign * frame.contacts[c + 6 + k];
  }
  return [sum, count];
}

/** Events that are listed at once; the ones around the present time. */
const LISTED = 200;

/** The list of events; a click goes to that instant. */
export class EventList {
  readonly element = document.createElement("div");
  private readonly list = document.createElement("ol");
  private readonly count = document.createElement("p");
  private readonly filter = document.createElement("select");
  private events: EventRow[] = [];
  /** Those of the kind that is listed, if it is one. */
  private chosen: EventRow[] = [];
  private first = -1;
  private last = -1;
  private kinds = new Set<string>();

  constructor(private readonly onGo: (event: EventRow) => void) {
    this.list.className = "events";
    this.filter.setAttribute("aria-label", "Which events are listed");
    this.filter.append(new Option("all events", ""));
    this.filter.addEventListener("change", () => {
      this.chosen = this.events.filter((event) => event.kind === this.filter.value);
      this.write(true);
    });
    this.count.className = "soft";
    this.element.append(this.filter, this.count, this.list);
  }

  get all(): EventRow[] {
    return this.events;
  }

  clear(): void {
    [this.events, this.chosen] = [[], []];
    this.write(true);
  }

  add(events: EventRow[]): void {
    for (const event of events) {
      this.events.push(event);
      if (event.kind === this.filter.value) this.chosen.push(event);
      if (this.kinds.has(event.kind)) continue;
      this.kinds.add(event.kind);
      this.filter.append(new Option(event.kind, event.kind));
    }
  }

  /** Writes the events around a time. */
  show(world: World, t: number): void {
    this.world = world;
    this.t = t;
    this.write(false);
  }

  private world: World | null = null;
  private t = 0;

  private write(again: boolean): void {
    const { world } = this;
    const shown = this.filter.value ? this.chosen : this.events;
    this.count.textContent = shown.length === 0 ? "Nothing has happened yet." : `${shown.length} so far; a click goes to that instant`;
    let [now, end] = [0, shown.length];
    while (now < end) {
      const middle = (now + end) >> 1;
      if (shown[middle].t <= this.t) now = middle + 1;
      else end = middle;
    }
    const last = Math.min(shown.length, Math.max(now + LISTED / 4, LISTED));
    const first = Math.max(0, last - LISTED);
    if (again || first !== this.first || last !== this.last || this.list.children.length !== last - first) {
      [this.first, this.last] = [first, last];
      const name = (id: number) => world?.bodies[id]?.name ?? `#${id}`;
      this.list.start = first + 1;
      this.list.replaceChildren(...shown.slice(first, last).map((event) => {
        const item = document.createElement("li");
        const button = document.createElement("button");
        button.type = "button";
        const [time, what, who] = [document.createElement("b"), document.createElement("span"), document.createElement("span")];
        time.textContent = `${number(event.t, 6)} s`;
        what.textContent = event.kind;
        what.className = `kind ${event.kind}`;
        who.textContent = `${name(event.a)} – ${name(event.b)}${event.impulse ? `, ${number(event.impulse, 3)} N·s` : ""}${event.note ? ` (${event.note})` : ""}${event.trials ? `, ${event.trials} trials` : ""}`;
        button.append(time, what, who);
        button.addEventListener("click", () => this.onGo(event));
        item.append(button);
        return item;
      }));
    }
    [...this.list.children].forEach((item, i) => {
      const isPast = first + i < now;
      item.classList.toggle("past", isPast);
      const isNow = first + i === now - 1;
      if (isNow !== item.classList.contains("now")) {
        item.classList.toggle("now", isNow);
        if (isNow) this.reveal(item as HTMLElement);
      }
    });
  }

  private reveal(item: HTMLElement): void {
    const box = this.list;
    if (box.clientHeight === 0) return;
    const top = item.offsetTop - box.offsetTop;
    if (top < box.scrollTop || top + item.offsetHeight > box.scrollTop + box.clientHeight) {
      box.scrollTop = top - box.clientHeight / 2;
    }
  }
}
