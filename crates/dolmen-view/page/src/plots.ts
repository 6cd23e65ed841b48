// Curves over time, drawn on a canvas; a click goes to that time.

import { niceStep } from "./bodies";
import { counted } from "./layout";
import type { Curves, Quantity, Source, World } from "./protocol";

interface Plot {
  title: string;
  unit: string;
  ofBody: boolean;
  quantities: Quantity[];
  names: string[];
}

const three = (title: string, unit: string, ofBody: boolean, quantities: Quantity[]): Plot => ({ title, unit, ofBody, quantities, names: ["x", "y", "z"] });
const one = (quantity: Quantity, title: string, unit: string, ofBody: boolean): Plot => ({ title, unit, ofBody, quantities: [quantity], names: [title] });
const parts = (quantities: Quantity[], of: string, unit: string, ofBody: boolean): Plot[] =>
  quantities.map((quantity, k) => one(quantity, `${of} ${"xyz"[k]}`, unit, ofBody));

/** Everything that has a value at every instant, in groups. */
const GROUPS: [string, Plot[]][] = [
  ["The world", [
    { title: "Energy ledger", unit: "J", ofBody: false, quantities: ["kinetic", "potential", "total", "work", "lost"], names: ["kinetic", "potential", "total", "work", "lost"] },
    { title: "Ledger error", unit: "J", ofBody: false, quantities: ["error"], names: ["total − start − work + lost"] },
    { title: "Losses", unit: "J", ofBody: false, quantities: ["lost_in_collisions", "lost_to_friction", "closing"], names: ["in collisions", "to friction", "in closing"] },
    three("Momentum", "kg·m/s", false, ["px", "py", "pz"]),
    three("Angular momentum", "kg·m²/s", false, ["lx", "ly", "lz"]),
    one("contacts", "Contacts that carry force", "", false),
  ]],
  ["A body", [
    three("Position", "m", true, ["x", "y", "z"]),
    three("Velocity", "m/s", true, ["vx", "vy", "vz"]),
    one("speed", "Speed", "m/s", true),
    three("Spin", "rad/s", true, ["wx", "wy", "wz"]),
    one("spin", "Magnitude of the spin", "rad/s", true),
    one("kinetic", "Kinetic energy", "J", true),
    three("Momentum of a body", "kg·m/s", true, ["px", "py", "pz"]),
    three("Angular momentum of a body", "kg·m²/s", true, ["lx", "ly", "lz"]),
    one("contact_force", "Contact force", "N", true),
    one("contacts", "Contacts of a body", "", true),
  ]],
  ["One curve of the world", [
    one("kinetic", "Kinetic", "J", false), one("potential", "Potential", "J", false), one("total", "Total", "J", false), one("work", "Work", "J", false), one("lost", "Lost", "J", false),
    ...parts(["px", "py", "pz"], "momentum", "kg·m/s", false), ...parts(["lx", "ly", "lz"], "angular momentum", "kg·m²/s", false),
  ]],
  ["One curve of a body", [
    ...parts(["x", "y", "z"], "position", "m", true), ...parts(["vx", "vy", "vz"], "velocity", "m/s", true), ...parts(["wx", "wy", "wz"], "spin", "rad/s", true),
  ]],
];
const PLOTS: Plot[] = GROUPS.flatMap(([, plots]) => plots);
/** Which plots are shown at first. */
export const FIRST = [0, 3];

// Colour and dash together, so that neither alone must tell curves apart.
const LINES: { light: string; dark: string; dash: number[] }[] = [
  { light: "#0072b2", dark: "#56b4e9", dash: [] },
  { light: "#c05000", dark: "#e69f00", dash: [6, 3] },
  { light: "#00805c", dark: "#2fd3a4", dash: [2, 2] },
  { light: "#a8528a", dark: "#cc79a7", dash: [8, 3, 2, 3] },
  { light: "#606060", dark: "#b8b8b8", dash: [1, 3] },
];

const digits = (v: number) => (v === 0 ? "0" : !Number.isFinite(v) ? "–" : Math.abs(v) >= 1e5 || Math.abs(v) < 1e-3 ? v.toExponential(1) : String(Number(v.toPrecision(3)))).replace("-", "−");

/** Round numbers in a range, about so many. */
function ticks(low: number, high: number, count: number): number[] {
  const step = niceStep((high - low) / count);
  const found: number[] = [];
  // Whole multiples, so that zero is zero.
  for (let i = Math.ceil(low / step); i * step <= high && found.length < 20; i += 1) found.push(i * step);
  return found;
}

/** A piece of a curve, with its colour and dashes. */
function swatch(colour: string, dash: number[]): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const [svg, line] = [document.createElementNS(space, "svg"), document.createElementNS(space, "path")];
  svg.setAttribute("viewBox", "0 0 22 4");
  svg.setAttribute("aria-hidden", "true");
  line.setAttribute("d", "M0 2h22");
  line.setAttribute("stroke", colour);
  line.setAttribute("stroke-width", "2");
  line.setAttribute("stroke-dasharray", dash.join(" "));
  svg.append(line);
  return svg;
}

/** One plot with a choice of what it shows. */
export class PlotView {
  readonly element: HTMLElement;
  private readonly select: HTMLSelectElement;
  /** Whose curves: −1 is the body that is selected. */
  private readonly whose = document.createElement("select");
  private readonly canvas: HTMLCanvasElement;
  private readonly legend: HTMLElement;
  private curves: Curves | null = null;
  /** The same of the run beside. */
  private others: Curves | null = null;
  private now = 0;
  private isAsking = false;
  private box = { left: 0, right: 1, t0: 0, t1: 1 };

  constructor(private readonly source: Source, first: number, onSeek: (t: number) => void) {
    this.element = document.createElement("section");
    this.element.className = "plot";
    this.select = document.createElement("select");
    this.select.setAttribute("aria-label", "What this plot shows");
    let place = 0;
    for (const [title, plots] of GROUPS) {
      const group = document.createElement("optgroup");
      group.label = title;
      for (const plot of plots) {
        group.append(new Option(plot.title, String(place), place === first, place === first));
        place += 1;
      }
      this.select.append(group);
    }
    this.whose.setAttribute("aria-label", "Of which body");
    this.whose.hidden = true;
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    this.legend = document.createElement("div");
    this.legend.className = "legend";
    this.element.append(this.select, this.whose, this.canvas, this.legend);
    for (const choice of [this.select, this.whose]) {
      choice.addEventListener("change", () => {
        this.curves = null;
        this.whose.hidden = !PLOTS[Number(this.select.value)].ofBody;
        this.draw();
        this.element.dispatchEvent(new Event("stale"));
      });
    }
    this.canvas.addEventListener("click", (event) => {
      const { left, right, t0, t1 } = this.box;
      const x = event.clientX - this.canvas.getBoundingClientRect().left;
      onSeek(t0 + ((x - left) / (right - left)) * (t1 - t0));
    });
  }

  /** Asks for the curves again. */
  async refresh(world: World, chosen: number): Promise<void> {
    const plot = PLOTS[Number(this.select.value)];
    const pinned = Number(this.whose.value);
    const selected = pinned >= 0 ? pinned : chosen;
    if (this.isAsking) return;
    if (plot.ofBody && selected < 0) {
      this.curves = null;
      this.draw();
      return;
    }
    this.isAsking = true;
    const curves = await this.source.plot(plot.ofBody ? selected : null, plot.quantities);
    if (curves) this.curves = curves;
    this.others = await this.askBeside(world, plot, selected);
    this.isAsking = false;
    const who = plot.ofBody ? ` of ${world.bodies[selected]?.name ?? ""}` : "";
    this.canvas.setAttribute("aria-label", `${plot.title}${who} over time: ${this.says(plot)}`);
    this.draw();
  }

  /** The same curves of the run beside; a body is the one of the same name there. */
  private async askBeside(world: World, plot: Plot, selected: number): Promise<Curves | null> {
    const beside = world.beside ?? null;
    if (beside === null) return null;
    if (!plot.ofBody) return this.source.plot(null, plot.quantities, true);
    const place = beside.bodies.findIndex((body) => body.name === world.bodies[selected]?.name);
    return place < 0 ? null : this.source.plot(place, plot.quantities, true);
  }

  private says(plot: Plot): string {
    const { curves } = this;
    if (!curves || curves.times.length === 0) return "nothing yet";
    return plot.names.map((name, i) => `${name} ${digits(curves.values[i]?.at(-1) ?? NaN)} ${plot.unit}`).join(", ");
  }

  /** The bodies of another world. */
  setBodies(names: string[]): void {
    this.whose.replaceChildren(new Option("the selected body", "-1"), ...counted(names.slice(0, 5000)).map((i) => new Option(names[i], String(i))));
  }

  clear(): void {
    this.curves = null;
    this.draw();
  }

  setTime(t: number): void {
    this.now = t;
    this.draw();
  }

  draw(): void {
    const plot = PLOTS[Number(this.select.value)];
    const style = getComputedStyle(this.element);
    const isDark = document.documentElement.dataset.theme === "dark";
    const ratio = Math.min(window.devicePixelRatio, 2);
    const [w, h] = [this.canvas.clientWidth, this.canvas.clientHeight];
    if (w === 0) return;
    this.canvas.width = w * ratio;
    this.canvas.height = h * ratio;
    const pen = this.canvas.getContext("2d");
    if (!pen) return;
    pen.scale(ratio, ratio);
    pen.font = "11px system-ui, sans-serif";
    pen.fillStyle = style.color;
    const { curves, others } = this;
    const all = [...(curves?.values ?? []), ...(others?.values ?? [])];
    const finite = all.flatMap((line) => Array.from(line).filter(Number.isFinite));
    if (!curves || curves.times.length < 2 || finite.length === 0) {
      pen.globalAlpha = 0.7;
      pen.fillText(plot.ofBody ? "Select a body to see its curves." : "Nothing to plot yet.", 10, h / 2);
      this.legend.replaceChildren();
      return;
    }
    let [low, high] = finite.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
    if (high - low < 1e-12 * Math.max(Math.abs(high), Math.abs(low), 1e-300)) {
      const pad = Math.abs(high) * 0.1 || 1;
      [low, high] = [low - pad, high + pad];
    }
    const pad = 0.06 * (high - low);
    [low, high] = [low - pad, high + pad];
    const [left, right, top, bottom] = [54, w - 8, 8, h - 18];
    const ends = [curves, others].flatMap((one) => (one && one.times.length > 0 ? [one.times[0], one.times[one.times.length - 1]] : []));
    const [t0, t1] = [Math.min(...ends), Math.max(...ends)];
    this.box = { left, right, t0, t1 };
    const px = (t: number) => left + ((t - t0) / (t1 - t0)) * (right - left);
    const py = (v: number) => bottom - ((v - low) / (high - low)) * (bottom - top);
    this.drawAxes(pen, { left, right, top, bottom, low, high, t0, t1, unit: plot.unit }, px, py);
    pen.save();
    pen.beginPath();
    pen.rect(left, top, right - left, bottom - top);
    pen.clip();
    const drawLines = (of: Curves, width: number, alpha: number) => {
      of.values.forEach((line, i) => {
        const { light, dark, dash } = LINES[i % LINES.length];
        pen.strokeStyle = isDark ? dark : light;
        pen.setLineDash(alpha < 1 ? [] : dash);
        [pen.lineWidth, pen.globalAlpha] = [width, alpha];
        pen.beginPath();
        line.forEach((v, k) => (k === 0 ? pen.moveTo(px(of.times[k]), py(v)) : pen.lineTo(px(of.times[k]), py(v))));
        pen.stroke();
      });
      pen.globalAlpha = 1;
    };
    // The run beside is a broad band under the lines of the one that is shown.
    if (others) drawLines(others, 6, 0.35);
    drawLines(curves, 1.7, 1);
    pen.setLineDash([]);
    pen.strokeStyle = style.color;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(px(this.now), top);
    pen.lineTo(px(this.now), bottom);
    pen.stroke();
    pen.restore();
    this.writeLegend(plot, curves, isDark);
  }

  private drawAxes(
    pen: CanvasRenderingContext2D,
    a: { left: number; right: number; top: number; bottom: number; low: number; high: number; t0: number; t1: number; unit: string },
    px: (t: number) => number, py: (v: number) => number,
  ): void {
    pen.strokeStyle = pen.fillStyle;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const v of ticks(a.low, a.high, 4)) {
      pen.globalAlpha = 0.15;
      pen.beginPath();
      pen.moveTo(a.left, py(v));
      pen.lineTo(a.right, py(v));
      pen.stroke();
      pen.globalAlpha = 0.85;
      pen.fillText(digits(v), a.left - 5, py(v));
    }
    pen.textBaseline = "alphabetic";
    pen.textAlign = "center";
    for (const t of ticks(a.t0, a.t1, 4)) {
      if (px(t) < a.right - 16) pen.fillText(digits(t), px(t), a.bottom + 14);
    }
    pen.textAlign = "right";
    pen.fillText("s", a.right, a.bottom + 14);
    pen.globalAlpha = 1;
  }

  private writeLegend(plot: Plot, curves: Curves, isDark: boolean): void {
    let k = 0;
    while (k + 1 < curves.times.length && curves.times[k + 1] <= this.now) k += 1;
    const items = plot.names.map((name, i) => {
      const item = document.createElement("span");
      const { light, dark, dash } = LINES[i % LINES.length];
      item.append(swatch(isDark ? dark : light, dash), `${name} ${digits(curves.values[i]?.[k] ?? NaN)}`);
      return item;
    });
    const unit = document.createElement("span");
    unit.textContent = plot.unit;
    const band = document.createElement("span");
    band.textContent = this.others ? "broad bands: the run beside" : "";
    this.legend.replaceChildren(...items, unit, ...(this.others ? [band] : []));
  }
}
