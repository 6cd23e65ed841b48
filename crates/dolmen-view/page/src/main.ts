// The page: puts the parts together and keeps them in step with what comes from the source.

import "./style.css";
import { floorStep, niceStep, type Theme } from "./bodies";
import { SceneEditor } from "./editor";
import { button, counted, element, helpDialog, icon, saveFile, Tabs } from "./layout";
import { LiveSource } from "./live";
import type { Shown } from "./overlays";
import { Beside } from "./beside";
import { bodyFacts, effortFacts, EventList, Facts, number, qualityFacts, qualityText, stepName } from "./panels";
import { Picture } from "./picture";
import { FIRST, PlotView } from "./plots";
import type { Driver, EventRow, Frame, Source, Vec3, World } from "./protocol";
import { findReplay } from "./replay";
import { Timeline } from "./timeline";

/** Steps to choose from, s, of each driver that has steps of one length. */
const STEPS: Record<Driver["name"], number[]> = {
  exact: [],
  fixed: [1 / 30, 1 / 60, 1 / 120, 1 / 240, 1 / 480, 1 / 960],
  intro: [1 / 25, 1 / 50, 1 / 100, 1 / 200, 1 / 400],
};
const DRIVERS: [Driver["name"], string][] = [["exact", "exact events"], ["fixed", "fixed steps"], ["intro", "teaching loop"]];

const SPEEDS: (number | null)[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, null];

/** What is remembered from visit to visit; a browser that forbids it forgets. */
const memory = {
  get(key: string): string | null {
    try { return localStorage.getItem(`dolmen.${key}`); } catch { return null; }
  },
  set(key: string, value: string | null): void {
    try {
      if (value === null) localStorage.removeItem(`dolmen.${key}`);
      else localStorage.setItem(`dolmen.${key}`, value);
    } catch { /* forgotten */ }
  },
};

/** What the script takes for a picture, ms; without what the graphics card does with it. */
class Cost {
  pictures = 0;
  total = 0;
  longest = 0;

  add(took: number): void {
    this.pictures += 1;
    this.total += took;
    this.longest = Math.max(this.longest, took);
  }

  /** The mean since the last time that this was asked. */
  recent(): number {
    const mean = (this.total - this.known.total) / Math.max(this.pictures - this.known.pictures, 1);
    this.known = { pictures: this.pictures, total: this.total };
    return mean;
  }

  private known = { pictures: 0, total: 0 };
}

class App {
  private readonly source: Source;
  private readonly picture: Picture;
  private readonly timeline: Timeline;
  private readonly events: EventList;
  private readonly facts = new Facts();
  private readonly statistics = new Facts();
  private readonly plots: PlotView[];
  private readonly tabs = new Tabs();
  private readonly help: HTMLDialogElement;
  private readonly title = element("h1", { id: "title" });
  private readonly scenes = element("select", { id: "scenes", label: "Scene" });
  private readonly speed = element("select", { id: "speed", label: "Speed" });
  private readonly driver = element("select", { id: "driver", label: "Driver" });
  private readonly step = element("select", { id: "step", label: "Step" });
  private readonly quality = element("span", { class: "quality", id: "quality" });
  private readonly beside: Beside;
  private readonly clock = element("output", { id: "clock", label: "Time" });
  private readonly banner = element("div", { class: "banner", id: "banner" });
  private readonly status = element("div", { class: "visually-hidden", id: "status" });
  private readonly play: HTMLButtonElement;
  private readonly panel = element("aside", { class: "panel", id: "panel", label: "Details" });
  private readonly editor = new SceneEditor(memory, (text) => this.source.send({ do: "edit", text }));
  private readonly change = element("form", { class: "change", id: "change" });
  private readonly fps = element("span", { class: "fps", id: "fps" });
  private readonly waiting = element("p", { class: "waiting", id: "waiting", text: "Loading the scene …" });
  /** What arrows and signs in the picture mean. */
  private readonly legend = element("ul", { class: "signs", id: "signs", label: "Signs in the picture" });
  private readonly noBody = element("p", { class: "soft", text: "Click a body in the picture, choose one here, or press Page Down." });
  private world: World | null = null;
  private frame: Frame | null = null;
  private isFresh = false;
  /** Frames that came since the last picture; each is answered, drawn or not. */
  private received = 0;
  private ticked = 0;
  private isDirty = true;
  private started = false;
  private drawn = { count: 0, since: performance.now() };
  private drew = 0;
  private readonly cost = new Cost();
  private asked = 0;
  private marked = 0;
  private wrote = 0;
  private plotted = -1;
  private hidden = false;
  /** Whether the focus is where it is by keys, and not by a click. */
  private cameByKeys = false;

  constructor(root: HTMLElement, source: Source) {
    this.source = source;
    const view = element("main", { class: "view", id: "view" });
    this.play = button("play", "Run", "Space", () => this.toggle());
    this.events = new EventList((event) => this.goTo(event));
    this.timeline = new Timeline((t) => this.source.send({ do: "seek", t }));
    this.plots = FIRST.map((first) => new PlotView(this.source, first, (t) => this.source.send({ do: "seek", t })));
    this.help = helpDialog(this.source.live);
    this.banner.setAttribute("role", "alert");
    this.banner.hidden = true;
    this.status.setAttribute("role", "status");
    root.append(this.header(), view, this.panel, this.footer(), this.help, this.status);
    const pane = element("div", { class: "pane" });
    view.append(pane);
    this.picture = new Picture(pane);
    this.beside = new Beside(view, pane, this.picture);
    pane.append(element("div", { class: "told" }, this.quality, this.fps));
    view.append(this.waiting, this.banner, this.legend);
    this.fillPanel();
    this.setTheme((memory.get("theme") as Theme | null) ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
    if (memory.get("panel") === "hidden" || innerWidth < 700) this.togglePanel();
    this.connect();
    document.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("pointerdown", () => { this.cameByKeys = false; }, { capture: true });
    for (const plot of this.plots) plot.element.addEventListener("stale", () => { this.plotted = -1; });
    this.tabs.element.addEventListener("chosen", () => { this.plotted = -1; this.isDirty = true; });
    requestAnimationFrame(() => this.tick());
  }

  // -- parts ---------------------------------------------------------------------------------------------------------

  private header(): HTMLElement {
    const brand = element("span", { class: "brand" });
    brand.innerHTML = '<svg viewBox="0 0 32 32" aria-hidden="true"><path d="M3 12 7 6h18l4 6zM7 14h5v12H7zm13 0h5v12h-5z"/></svg>';
    brand.append("Dolmen");
    this.scenes.addEventListener("change", () => {
      this.started = false;
      this.source.send({ do: "scene", name: this.scenes.value });
    });
    this.scenes.hidden = !this.source.live;
    return element("header", { class: "bar top" }, brand, this.scenes, this.title, element("span", { class: "grow" }),
      button("fit", "See everything", "F", () => this.refit()),
      ...(this.source.live ? [this.compare] : []),
      ...(this.source.live ? [button("share", "Save this run as one file", "S", () => this.source.send({ do: "share" }))] : []),
      button("theme", "Light or dark", "T", () => this.setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark")),
      button("panel", "Side panel", "P", () => this.togglePanel()),
      button("help", "Help", "?", () => this.help.showModal()));
  }

  private readonly compare = button("compare", "Compare", "M", () => this.toggleBeside());

  /** The choice of what takes the world through time. */
  private chooseDriver(): HTMLElement {
    for (const [name, text] of DRIVERS) this.driver.append(new Option(text, name));
    const send = (step?: number) => {
      this.source.send({ do: "driver", name: this.driver.value as Driver["name"], step });
      if (this.frame?.running) this.source.send({ do: "run" });
    };
    this.driver.title = "What takes the scene through time; it starts again";
    this.driver.addEventListener("change", () => send());
    this.step.title = "The length of a step, s; the scene starts again";
    this.step.addEventListener("change", () => send(Number(this.step.value)));
    const both = element("div", { class: "driver", label: "Driver" }, this.driver, this.step);
    both.setAttribute("role", "group");
    both.hidden = !this.source.live;
    return both;
  }

  private showDriver(driver: Driver | null): void {
    this.driver.value = driver?.name ?? "exact";
    const steps = [...STEPS[driver?.name ?? "exact"]];
    const { step } = driver ?? { step: null };
    if (step !== null && !steps.some((one) => Math.abs(one - step) < 1e-9 * one)) steps.push(step);
    steps.sort((a, b) => b - a);
    this.step.hidden = step === null;
    this.step.replaceChildren(...steps.map((one) => {
      const isIt = step !== null && Math.abs(one - step) < 1e-9 * one;
      return new Option(`${stepName(one)} s`, String(one), isIt, isIt);
    }));
  }

  /** Keeps the run that is shown beside a new one, or lets go of it. */
  private toggleBeside(): void {
    if (!this.source.live) return;
    const keep = !this.world?.beside;
    this.source.send({ do: "beside", keep });
    this.status.textContent = keep ? "the run so far is kept beside a new one: change its driver, its step or its scene" : "one run is shown";
  }

  private footer(): HTMLElement {
    for (const value of SPEEDS) {
      const text = value === null ? "as fast as possible" : value < 1 ? `× 1/${Math.round(1 / value)}` : `× ${value}`;
      this.speed.append(new Option(text, String(value), value === 1, value === 1));
    }
    this.speed.addEventListener("change", () => this.sendSpeed());
    const buttons = element("div", { class: "buttons" },
      button("restart", this.source.live ? "Restart" : "To the start", "R", () => this.restart()),
      button("back", "One frame back", "ArrowLeft", () => this.source.send({ do: "step_back" })),
      this.play,
      button("step", "One frame further", "ArrowRight", () => this.source.send({ do: "step" })),
      button("event", "Next event", "E", () => this.source.send({ do: "next_event" })));
    return element("footer", { class: "bar bottom" }, buttons, this.clock, this.timeline.element, this.chooseDriver(), this.speed);
  }

  private fillPanel(): void {
    const bodies = element("select", { id: "bodies", label: "Selected body" });
    bodies.addEventListener("change", () => this.select(Number(bodies.value)));
    this.bodies = bodies;
    this.tabs.add("body", "Body", bodies, this.noBody, this.facts.element);
    this.tabs.add("plots", "Plots", ...this.plots.map((plot) => plot.element));
    this.tabs.add("events", "Events", this.events.element);
    this.tabs.add("show", "Show", this.toggles(), element("h2", { text: "Statistics" }), this.statistics.element);
    if (this.source.live) {
      this.tabs.add("change", "Change", this.change);
      this.tabs.add("text", "Text", this.editor.element);
    }
    this.panel.append(this.tabs.element);
    this.tabs.choose("plots");
  }

  private bodies!: HTMLSelectElement;
  private boxes = new Map<string, HTMLInputElement>();

  private toggles(): HTMLElement {
    const rows: [keyof Shown | "edges", string, string][] = [
      ["edges", "edges", "G"], ["contacts", "contact points and normals", "C"], ["forces", "contact forces on what moves", "A"],
      ["cones", "friction cones", "K"], ["velocities", "velocities", "V"], ["axes", "centres of mass, principal axes", "X"],
      ["boxes", "bounding boxes", "B"], ["joints", "joint frames and limits", "J"],
      ["witnesses", "separating planes", "W"], ["names", "names", "N"],
    ];
    const list = element("fieldset", { class: "toggles" }, element("legend", { text: "Show in the picture" }));
    for (const [name, text, key] of rows) {
      const box = element("input", { id: `show-${name}` });
      box.type = "checkbox";
      box.checked = name === "edges" ? this.picture.showEdges : this.picture.shown[name];
      box.addEventListener("change", () => {
        if (name === "edges") this.picture.showEdges = box.checked;
        else this.picture.shown[name] = box.checked;
        if (["witnesses", "velocities", "contacts", "forces", "cones"].includes(name)) this.see();
        this.writeSigns();
        this.isDirty = true;
      });
      this.boxes.set(key.toLowerCase(), box);
      list.append(element("label", {}, box, text, element("kbd", { text: key })));
    }
    return list;
  }

  private fillChange(world: World): void {
    const fields: [string, string, number | null, string][] = [
      ["gx", "gravity x, m/s²", world.gravity[0], "any"], ["gy", "gravity y, m/s²", world.gravity[1], "any"],
      ["gz", "gravity z, m/s²", world.gravity[2], "any"],
      ["restitution", "restitution of every surface", world.changes.restitution, "0…1"],
      ["friction", "friction of every surface", world.changes.friction, "0 or more"],
    ];
    const [e, mu] = [world.materials?.restitution ?? [0, 0], world.materials?.friction ?? [0, 0]];
    const range = (r: (number | null)[]) => (r[0] === r[1] ? number(r[0] ?? Infinity, 3) : `${number(r[0] ?? Infinity, 3)} … ${number(r[1] ?? Infinity, 3)}`);
    const inputs = fields.map(([name, label, value]) => {
      const input = element("input", { id: `change-${name}` });
      input.type = "number";
      input.step = "any";
      input.name = name;
      if (name === "restitution") [input.min, input.max, input.placeholder] = ["0", "1", `as in the scene: ${range(e)}`];
      if (name === "friction") [input.min, input.placeholder] = ["0", `as in the scene: ${range(mu)}`];
      if (value !== null) input.value = String(value);
      return element("label", {}, label, input);
    });
    const apply = element("button", { text: "Apply and restart", id: "apply" });
    const reset = element("button", { text: "As in the scene", id: "reset" });
    reset.type = "button";
    reset.addEventListener("click", () => this.source.send({ do: "change" }));
    const note = element("p", { class: "soft", text: "The scene starts again with these. Empty fields stay as the scene has them." });
    this.change.replaceChildren(note, ...inputs, element("div", { class: "row" }, apply, reset));
    this.change.onsubmit = (event) => {
      event.preventDefault();
      const value = (name: string) => {
        const text = (this.change.elements.namedItem(name) as HTMLInputElement).value;
        return text === "" ? undefined : Number(text);
      };
      const gravity = ["gx", "gy", "gz"].map((name) => value(name) ?? 0) as Vec3;
      this.source.send({ do: "change", gravity, restitution: value("restitution"), friction: value("friction") });
    };
  }

  // -- what comes ------------------------------------------------------------------------------------------------------

  private connect(): void {
    const { source } = this;
    source.onWorld = (world) => this.showWorld(world);
    source.onFrame = (frame) => {
      this.frame = frame;
      this.isFresh = true;
      this.received += 1;
      this.timeline.know(frame.head);
    };
    source.onBeside = (frame) => this.beside.take(frame);
    source.onEvents = (events) => { this.events.add(events); this.timeline.setEvents(this.events.all); this.isDirty = true; };
    source.onStop = (text) => this.say(`It cannot go on: ${text}`, "stop");
    source.onViolation = (text) => this.say(`A law is violated: ${text}`, "stop");
    source.onNote = (text) => this.say(`Note: ${text}`, "stop");
    source.onText = (text) => this.editor.show(this.world?.name ?? "", text);
    source.onEdited = (mistakes) => {
      this.editor.refuse(mistakes);
      this.status.textContent = mistakes.length > 0 ? `${mistakes.length} mistakes in the text` : "the text runs";
      if (mistakes.length === 0) source.send({ do: "run" });
    };
    source.onFile = (name, text, error) => {
      if (text !== null) saveFile(name, text, "text/html");
      else this.say(`The run cannot be saved: ${error}`, "stop");
    };
    source.onConnection = (state) => {
      if (state === "open") this.say("");
      else this.say(state === "lost" ? "The connection is lost. Trying to get it back … If dolmen view has ended, start it again and open the address that it prints." : "The server closed the connection. Trying again …", "lost");
    };
    this.picture.onSelect = (id) => this.select(id);
    this.picture.canDrag = source.live;
    let pending: Vec3 | null = null;
    this.picture.dragging = {
      grab: (body, at, to) => {
        this.source.send({ do: "grab", body, at, to });
        if (!this.frame?.running) this.source.send({ do: "run" });
      },
      // The mouse may be faster than pictures; one message a picture is enough.
      move: (to) => {
        if (pending === null) setTimeout(() => { if (pending) this.source.send({ do: "move", to: pending }); pending = null; }, 30);
        pending = to;
      },
      release: () => { pending = null; this.source.send({ do: "release" }); },
    };
    source.start();
  }

  private showWorld(world: World): void {
    const names = (of: World | null) => of?.bodies?.map((body) => body.name).join("\n");
    const isNew = this.world?.name !== world.name || names(this.world) !== names(world);
    this.world = world;
    this.frame = null;
    this.drawnVersion = -1;
    this.events.clear();
    this.timeline.setEvents([]);
    this.timeline.setEnd(world.end ?? 0);
    for (const plot of this.plots) plot.clear();
    this.plotted = -1;
    this.title.textContent = world.title;
    document.title = `${world.title} · Dolmen`;
    this.scenes.replaceChildren(...world.scenes.map((scene) => {
      const option = new Option(scene.name, scene.name, scene.name === world.name, scene.name === world.name);
      option.title = scene.title;
      return option;
    }));
    this.waiting.hidden = true;
    if (isNew && this.source.live) this.source.send({ do: "text" });
    if (world.error !== null && !world.bodies) {
      this.showDriver(world.driver);
      this.say(`This scene cannot be shown: ${world.error}`, "stop");
      return;
    }
    this.say(world.error ? `It cannot start: ${world.error}` : "", "stop");
    this.picture.show(world);
    this.showDriver(world.driver);
    this.beside.show(world);
    this.compare.setAttribute("aria-pressed", String(Boolean(world.beside)));
    this.compare.title = world.beside ? "Show one run only (M)" : "Keep this run beside a new one, to compare them (M)";
    this.bodies.replaceChildren(new Option("no body selected", "-1"), ...counted(world.bodies.slice(0, 5000).map((body) => body.name)).map((i) => new Option(world.bodies[i].name, String(i))));
    if (isNew) {
      this.select(-1);
      for (const plot of this.plots) plot.setBodies(world.bodies.map((body) => body.name));
    }
    this.bodies.value = String(this.picture.selected);
    if (this.source.live) this.fillChange(world);
    this.sendSpeed();
    // A page that comes back, or a simulation that starts again, does not know what is shown.
    if (this.picture.selected >= 0) this.source.send({ do: "select", body: this.picture.selected });
    this.see();
    // A moving picture moves by itself, unless the reader has asked for less motion.
    if (!this.started && !matchMedia("(prefers-reduced-motion: reduce)").matches && !world.error) this.source.send({ do: "run" });
    this.started = true;
    this.isDirty = true;
  }

  private say(text: string, kind = ""): void {
    this.banner.hidden = text === "";
    this.banner.className = `banner ${kind}`;
    this.banner.textContent = text;
  }

  // -- what is done -----------------------------------------------------------------------------------------------------

  private toggle(): void {
    this.source.send({ do: this.frame?.running || this.frame?.busy ? "pause" : "run" });
  }

  private restart(): void {
    this.source.send({ do: "restart" });
  }

  private sendSpeed(): void {
    const text = this.speed.value;
    this.source.send({ do: "speed", value: text === "null" ? null : Number(text) });
  }

  private select(id: number): void {
    this.picture.select(id);
    this.bodies.value = String(id);
    this.noBody.hidden = id >= 0;
    if (id < 0) this.facts.set([]);
    this.source.send({ do: "select", body: id < 0 ? null : id });
    if (id >= 0 && this.tabs.chosen !== "plots") this.tabs.choose("body");
    this.plotted = -1;
    this.isDirty = true;
  }

  /** Says what is looked at: the rest is not sent. */
  private see(): void {
    const { witnesses, velocities, contacts, forces, cones } = this.picture.shown;
    this.source.send({ do: "see", witnesses, velocities, contacts: contacts || forces || cones });
  }

  private goTo(event: EventRow): void {
    this.source.send({ do: "seek", t: event.t });
  }

  private refit(): void {
    this.picture.refit();
    this.beside.lead();
    this.isDirty = true;
  }

  private togglePanel(): void {
    this.hidden = !this.hidden;
    document.body.classList.toggle("no-panel", this.hidden);
    memory.set("panel", this.hidden ? "hidden" : "shown");
    this.plotted = -1;
    this.isDirty = true;
  }

  private setTheme(theme: Theme): void {
    document.documentElement.dataset.theme = theme;
    memory.set("theme", theme);
    this.picture.setTheme(theme);
    this.beside.setTheme(theme);
    for (const plot of this.plots) plot.draw();
    this.timeline.draw();
    this.isDirty = true;
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    const isTyping = target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === "number");
    if (event.key === "Tab") this.cameByKeys = true;
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
    // Space presses a button that was reached by keys; after a click on a button it means run or pause.
    const isButton = this.cameByKeys && (target instanceof HTMLButtonElement || (target instanceof HTMLInputElement && target.type === "checkbox"));
    const box = this.boxes.get(event.key.toLowerCase());
    if (box) { box.click(); return; }
    const acts: Record<string, () => void> = {
      ArrowRight: () => this.source.send({ do: "step" }),
      ArrowLeft: () => this.source.send({ do: "step_back" }),
      Home: () => this.source.send({ do: "seek", t: 0 }),
      End: () => this.source.send({ do: "seek", t: this.frame?.head ?? 0 }),
      e: () => this.source.send({ do: "next_event" }),
      r: () => this.restart(),
      f: () => this.refit(),
      s: () => { if (this.source.live) this.source.send({ do: "share" }); },
      m: () => this.toggleBeside(),
      d: () => this.hold(),
      p: () => this.togglePanel(),
      t: () => this.setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"),
      "?": () => this.help.showModal(),
      "+": () => this.changeSpeed(1),
      "=": () => this.changeSpeed(1),
      "-": () => this.changeSpeed(-1),
      PageDown: () => this.selectNext(1),
      PageUp: () => this.selectNext(-1),
      "[": () => this.picture.turn(0, 0, 1 / 1.2),
      "]": () => this.picture.turn(0, 0, 1.2),
      Escape: () => { if (!this.picture.letGo()) this.select(-1); },
    };
    if (event.key === " " && !isButton) { event.preventDefault(); this.toggle(); return; }
    if (event.shiftKey && event.key.startsWith("Arrow")) {
      event.preventDefault();
      const [right, up] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key] ?? [0, 0];
      this.picture.turn(0.15 * right, 0.1 * up);
      return;
    }
    const pull = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (pull && this.picture.isHolding) {
      event.preventDefault();
      this.picture.moveHand(0.1 * pull[0], 0.1 * pull[1]);
      return;
    }
    const act = acts[event.key] ?? acts[event.key.toLowerCase()];
    if (act) { event.preventDefault(); act(); }
  }

  /** Takes the selected body in hand, or lets it go. */
  private hold(): void {
    if (this.picture.letGo()) this.status.textContent = "let go";
    else if (this.picture.takeInHand()) this.status.textContent = "in hand: arrows pull it, D lets it go";
    else this.status.textContent = "select a body that moves first";
  }

  /** The body after or before the selected one; past the last, none. */
  private selectNext(by: number): void {
    const { world } = this;
    if (!world || world.bodies.length === 0) return;
    const count = world.bodies.length + 1;
    const next = ((this.picture.selected + 1 + by + count) % count) - 1;
    this.select(next);
    this.status.textContent = next >= 0 ? `${world.bodies[next].name} selected` : "no body selected";
  }

  private changeSpeed(by: number): void {
    const next = Math.max(0, Math.min(SPEEDS.length - 1, this.speed.selectedIndex + by));
    this.speed.selectedIndex = next;
    this.sendSpeed();
  }

  // -- drawing -----------------------------------------------------------------------------------------------------------

  private tick(): void {
    requestAnimationFrame(() => this.tick());
    const began = performance.now();
    const { frame, world } = this;
    if (frame && world && (this.isFresh || this.isDirty)) {
      this.picture.place(frame);
      this.write(world, frame);
      if (this.isFresh) this.drawn.count += 1;
    }
    for (; this.received > 0; this.received -= 1) this.source.drawn();
    const now = performance.now();
    const isMoving = Boolean(frame?.running || frame?.busy) || this.picture.isStale;
    // A picture that would be the same is not drawn again: that is dear without a graphics card. One that was drawn in haste is,
    // when there is time.
    const isHasty = this.picture.isCoarse && !isMoving && now - this.drew > 150;
    if ((this.isFresh && this.isNews()) || this.isDirty || this.picture.isStale || this.beside.isStale || isHasty) {
      this.picture.draw(isMoving);
      this.beside.draw(isMoving, frame);
      this.drawnVersion = frame?.version ?? -1;
      if (!isHasty) this.picture.watch(now - this.ticked);
      this.drew = now;
      this.cost.add(performance.now() - began);
    }
    this.ticked = now;
    [this.isFresh, this.isDirty] = [false, false];
    if (now - this.drawn.since > 500) {
      const rate = (1000 * this.drawn.count) / (now - this.drawn.since);
      this.drawn = { count: 0, since: now };
      if (frame) this.writeStatistics(frame, rate);
    }
    if (world && frame && now - this.asked > 300 && !this.hidden && this.tabs.chosen === "plots" && frame.head !== this.plotted) {
      this.asked = now;
      this.plotted = frame.head;
      for (const plot of this.plots) void plot.refresh(world, this.picture.selected);
    }
  }

  /** Whether a frame that has come would look otherwise than the last picture: bodies at rest need not be drawn again. */
  private isNews(): boolean {
    const { frame, picture } = this;
    const isMore = Object.values(picture.shown).includes(true) || picture.selected >= 0;
    return frame === null || frame.version !== this.drawnVersion || this.beside.isNews || isMore || frame.particles.length > 0 || frame.marks.length > 0 || frame.hand !== null;
  }

  private drawnVersion = -1;

  private write(world: World, frame: Frame): void {
    const wasRunning = this.play.dataset.state;
    const state = frame.running || frame.busy ? "running" : "paused";
    if (wasRunning !== state) {
      this.play.dataset.state = state;
      this.play.replaceChildren(icon(state === "running" ? "pause" : "play"));
      this.play.setAttribute("aria-label", state === "running" ? "Pause" : "Run");
      this.play.title = state === "running" ? "Pause (Space)" : "Run (Space)";
      this.status.textContent = `${state} at ${number(frame.t, 4)} seconds`;
    }
    // Texts and the slider move twenty times a second: every change of them is laid out and painted.
    const now = performance.now();
    if (state === "running" && now - this.wrote < 50) return;
    this.wrote = now;
    const step = niceStep(Math.max(frame.head, world.end ?? 0, 1e-9) / 2000);
    const decimals = Math.max(0, Math.min(12, -Math.floor(Math.log10(step))));
    this.clock.textContent = frame.t < 1e6 ? `${frame.t.toFixed(decimals)} s` : `${frame.t.toExponential(4)} s`;
    this.timeline.set(frame.t, frame.head);
    if (this.hidden) return;
    if (this.tabs.chosen === "body") {
      const id = this.picture.selected;
      if (id >= 0) this.facts.set(bodyFacts(world, frame, id));
    } else if (this.tabs.chosen === "events") this.events.show(world, frame.t);
    else if (this.tabs.chosen === "plots" && (!frame.running || now - this.marked > 100)) {
      // The mark of the present moves ten times a second: curves are dear to draw.
      this.marked = now;
      for (const plot of this.plots) plot.setTime(frame.t);
    }
  }

  /** The signs that are in the picture now, each by its form as well as by its colour. */
  private writeSigns(): void {
    const { shown, scale } = this.picture;
    const rows: [string, string, string][] = [];
    if (shown.contacts) rows.push(["green", "●", "sticks"], ["red", "○", "slides"]);
    if (shown.forces) rows.push(["red", "▲", `contact force, longest ${number(scale.force, 2)} N`]);
    if (shown.cones) rows.push(["green", "▽", "friction cone"]);
    if (shown.velocities) rows.push(["blue", "◆", `velocity, longest ${number(scale.speed, 2)} m/s`]);
    if (shown.axes) rows.push(["red", "1", "principal axis"], ["green", "2", ""], ["blue", "3", ""]);
    if (shown.joints) rows.push(["red", "x", "axes of joints"], ["green", "y", ""], ["blue", "z", ""], ["pink", "◔", "limits"]);
    if (shown.witnesses) rows.push(["sky", "□", "plane of a face"], ["yellow", "⊠", "plane along two edges"]);
    if (this.frame?.hand) rows.push(["pink", "⬤", "the hand"]);
    const text = JSON.stringify(rows);
    if (text === this.legend.dataset.rows) return;
    this.legend.dataset.rows = text;
    this.legend.replaceChildren(...rows.map(([colour, sign, words]) => {
      const item = element("li", {}, element("b", { class: `sign ${colour}`, text: sign }), words);
      if (words === "") item.classList.add("tight");
      return item;
    }));
  }

  private writeStatistics(frame: Frame, rate: number): void {
    const isMoving = frame.running || frame.busy;
    const square = this.world?.bodies ? `squares of ${number(floorStep(this.world))} m` : "";
    // How fast it goes is known after a moment.
    const ratio = frame.rate > 0 ? ` · ${number(frame.rate, 2)} × real time` : "";
    this.quality.textContent = qualityText(frame.quality);
    this.fps.textContent = isMoving ? `${square} · ${Math.round(rate)} pictures/s${ratio}` : square;
    this.writeSigns();
    if (this.hidden || this.tabs.chosen !== "show") return;
    this.statistics.set([
      ...(this.world?.driver ? [["driver", driverName(this.world.driver)] as [string, string]] : []),
      ["pictures a second", isMoving ? String(Math.round(rate)) : "–"],
      ["script for a picture, ms", isMoving ? number(this.cost.recent(), 2) : "–"],
      ["simulated by real time", isMoving ? number(frame.rate, 3) : "–"],
      ["share spent simulating", isMoving ? `${Math.round(100 * frame.share)} %` : "–"],
      ["simulated so far, s", number(frame.head, 6)],
      ["events", String(frame.events)],
      ["collisions", String(frame.collisions)],
      [this.world?.driver?.name === "exact" ? "steps of integrators" : "steps", String(frame.steps)],
      ...(frame.effort ? effortFacts(frame.effort, this.world?.driver ?? null) : []),
      ...(frame.islands[0] > 0 ? [["islands", `${frame.islands[0]}, ${frame.islands[1]} in closed form`] as [string, string]] : []),
      ...qualityFacts(frame.quality),
      ["contacts now", String(frame.touching)],
      ["bodies", String(frame.count)],
      ["particles", String(frame.particles.length / 3)],
    ]);
  }

  /** For tests: what is seen now. */
  look() {
    const { frame, world } = this;
    return frame && world && this.picture.screenOf(0) && {
      t: frame.t, head: frame.head, running: frame.running, busy: frame.busy, events: this.events.all.length,
      scene: world.name, names: world.bodies.map((body) => body.name), x: Array.from(frame.x), q: Array.from(frame.q),
      driver: world.driver, quality: frame.quality, beside: this.beside.look(frame),
      hand: frame.hand, ledger: frame.ledger, contacts: frame.touching, touches: Array.from(frame.contacts), number: frame.number,
      generation: frame.generation, happened: this.events.all.slice(-20), marks: this.picture.marks,
      drawings: Object.fromEntries(["point", "line", "label"].map((kind) => [`${kind}s`, frame.marks.filter((mark) => mark.kind === kind).length])),
      screen: world.bodies.map((_, id) => this.picture.screenOf(id)), selected: this.picture.selected,
      witnesses: frame.witnesses.length / 11, cost: { pictures: this.cost.pictures, total: this.cost.total, longest: this.cost.longest }, joints: world.joints.length, effort: this.picture.effort,
    };
  }
}

/** In a few words. */
function driverName(driver: Driver): string {
  const text = DRIVERS.find(([name]) => name === driver.name)?.[1] ?? driver.name;
  return driver.step === null ? text : `${text}, ${stepName(driver.step)} s${driver.substeps ? ` by ${driver.substeps}` : ""}`;
}

const root = document.getElementById("app");
if (root) {
  findReplay()
    .then((replay) => { (window as unknown as { dolmen: App }).dolmen = new App(root, replay ?? new LiveSource()); })
    .catch((error: unknown) => { root.textContent = `This page cannot be shown: ${String(error)}. Try a newer browser.`; });
}
