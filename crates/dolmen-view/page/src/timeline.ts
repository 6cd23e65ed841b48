// The line of time: a slider over everything recorded, with ticks where something happened.

import type { EventRow } from "./protocol";

/** Ticks by kind: a colour on light and on dark ground (Okabe and Ito's, darkened or lightened to 3:1), and how much of the height. */
const TICKS: Record<string, [string, string, number, number]> = {
  collision: ["#c05000", "#e69f00", 0, 1],
  settled: ["#0072b2", "#56b4e9", 0.5, 1],
  rest: ["#00805c", "#2fd3a4", 0.5, 1],
  slide: ["#7a6f00", "#f0e442", 0, 0.5],
  break: ["#a8528a", "#cc79a7", 0, 0.5],
  "back-step": ["#6453b5", "#a99cf0", 0, 0],
};
const OTHER: [string, string, number, number] = ["#606060", "#b8b8b8", 0.25, 0.75];

export class Timeline {
  readonly element = document.createElement("div");
  private readonly slider = document.createElement("input");
  private readonly canvas = document.createElement("canvas");
  private events: EventRow[] = [];
  private end = 0;
  private head = 0;
  private isHeld = false;
  private drawn = "";

  constructor(onSeek: (t: number) => void) {
    this.element.className = "timeline";
    this.slider.type = "range";
    this.slider.id = "time";
    this.slider.min = "0";
    this.slider.step = "any";
    this.slider.value = "0";
    this.slider.setAttribute("aria-label", "Time, seconds");
    this.canvas.setAttribute("aria-hidden", "true");
    this.element.append(this.canvas, this.slider);
    this.slider.addEventListener("input", () => {
      this.isHeld = true;
      onSeek(Math.min(Number(this.slider.value), this.head));
    });
    this.slider.addEventListener("change", () => { this.isHeld = false; });
    // Arrows step by frames, wherever the focus is.
    this.slider.addEventListener("keydown", (event) => { if (event.key.startsWith("Arrow")) event.preventDefault(); });
    new ResizeObserver(() => { this.drawn = ""; this.draw(); }).observe(this.element);
  }

  setEnd(end: number): void {
    this.end = end;
    this.head = 0;
    this.draw();
  }

  setEvents(events: EventRow[]): void {
    this.events = events;
    this.draw();
  }

  /** How far one can go back and forth, known before it is drawn. */
  know(head: number): void {
    this.head = head;
  }

  set(t: number, head: number): void {
    this.head = head;
    const most = Math.max(head, this.end, 1e-12);
    this.slider.max = String(most);
    this.slider.setAttribute("aria-valuetext", `${t.toPrecision(4)} of ${head.toPrecision(4)} seconds`);
    if (!this.isHeld) this.slider.value = String(t);
    this.slider.style.setProperty("--at", `${(100 * t) / most}%`);
    this.slider.style.setProperty("--head", `${(100 * head) / most}%`);
    this.draw();
  }

  draw(): void {
    const [w, h] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const most = Math.max(this.head, this.end, 1e-12);
    const isDark = document.documentElement.dataset.theme === "dark";
    const key = `${w} ${h} ${most} ${this.events.length} ${isDark}`;
    if (w === 0 || key === this.drawn) return;
    this.drawn = key;
    const ratio = Math.min(window.devicePixelRatio, 2);
    this.canvas.width = w * ratio;
    this.canvas.height = h * ratio;
    const pen = this.canvas.getContext("2d");
    if (!pen) return;
    pen.scale(ratio, ratio);
    // The thumb of a slider stays inside its track: so do the ticks.
    const inset = 8;
    let [before, back] = [-1, -1];
    for (const event of this.events) {
      const x = inset + (event.t / most) * (w - 2 * inset);
      const [light, dark, top, bottom] = TICKS[event.kind] ?? OTHER;
      // Ticks that fall on one pixel are one tick.
      if (event.kind === "back-step") {
        if (Math.round(2 * x) === back) continue;
        back = Math.round(2 * x);
        // An arrow to the left: there the step went back to this instant.
        pen.fillStyle = isDark ? dark : light;
        pen.beginPath();
        pen.moveTo(x - 6, 0.5 * h);
        pen.lineTo(x - 1, 0.5 * h - 4);
        pen.lineTo(x - 1, 0.5 * h + 4);
        pen.fill();
        continue;
      }
      if (Math.round(2 * x) === before) continue;
      before = Math.round(2 * x);
      pen.fillStyle = isDark ? dark : light;
      pen.fillRect(x - 0.75, 1 + top * (h - 2), 1.5, (bottom - top) * (h - 2));
    }
  }
}
