// The parts of the page, as elements.

const ICONS: Record<string, string> = {
  restart: "M5 5h2.5v14H5zM19 5v14L8.5 12z",
  back: "M15 5h2.5v14H15zM13 5v14L5 12z",
  play: "M7 4.5v15l12-7.5z",
  pause: "M6.5 5h4v14h-4zM13.5 5h4v14h-4z",
  step: "M6.5 5H9v14H6.5zM11 5v14l8-7z",
  event: "M4 5v14l7-7zM14 3l-3 10h4l-1 8 6-12h-4l2-6z",
  fit: "M4 9V4h5v2H6v3zM15 4h5v5h-2V6h-3zM4 15h2v3h3v2H4zM18 15h2v5h-5v-2h3z",
  panel: "M4 5h16v14H4zM14.5 7v10H18V7z",
  theme: "M12 3a9 9 0 1 0 0 18V3z",
  share: "M11 3h2v9l3-3 1.4 1.4L12 16l-5.4-5.6L8 9l3 3zM4 15h2v4h12v-4h2v6H4z",
  compare: "M4 5h7v14H4zm2 2v10h3V7zM13 5h7v14h-7zM15 7v10h3V7z",
  help: "M11 17h2v2h-2zM12 5a4 4 0 0 0-4 4h2a2 2 0 1 1 3.2 1.6C12 11.5 11 12.3 11 14v1h2v-1c0-.8.5-1.2 1.4-2A4 4 0 0 0 12 5z",
};

export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name] ?? "");
  svg.append(path);
  return svg;
}

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K, options: { class?: string; text?: string; label?: string; id?: string } = {}, ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (options.class) made.className = options.class;
  if (options.text) made.textContent = options.text;
  if (options.label) made.setAttribute("aria-label", options.label);
  if (options.id) made.id = options.id;
  made.append(...children);
  return made;
}

/** Gives a file to keep; the browser asks where, or puts it where it puts files. */
export function saveFile(name: string, text: string, kind: string): void {
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([text], { type: kind }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Places of names in the order in which people count: b2 before b10. */
export function counted(names: string[]): number[] {
  const by = new Intl.Collator("en", { numeric: true });
  return names.map((_, i) => i).sort((i, j) => by.compare(names[i], names[j]) || i - j);
}

/** A button with a picture, a name and a key. */
export function button(name: string, label: string, key: string, act: () => void): HTMLButtonElement {
  const made = element("button", { class: "icon", label, id: `do-${name}` });
  made.type = "button";
  made.title = `${label} (${key})`;
  made.setAttribute("aria-keyshortcuts", key);
  made.append(icon(name));
  made.addEventListener("click", act);
  return made;
}

/** Parts that are shown one at a time. */
export class Tabs {
  readonly element = element("div", { class: "tabs" });
  private readonly bar = element("div", { class: "tab-bar" });
  private tabs: { button: HTMLButtonElement; panel: HTMLElement; name: string }[] = [];
  chosen = "";

  constructor() {
    this.bar.setAttribute("role", "tablist");
    this.element.append(this.bar);
    this.bar.addEventListener("keydown", (event) => {
      const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (by === 0) return;
      event.stopPropagation();
      const at = this.tabs.findIndex((tab) => tab.name === this.chosen);
      const next = this.tabs[(at + by + this.tabs.length) % this.tabs.length];
      this.choose(next.name);
      next.button.focus();
    });
  }

  add(name: string, title: string, ...content: Node[]): void {
    const tab = element("button", { text: title, id: `tab-${name}` });
    tab.type = "button";
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", `panel-${name}`);
    const panel = element("div", { class: "tab-panel", id: `panel-${name}` }, ...content);
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", `tab-${name}`);
    tab.addEventListener("click", () => this.choose(name));
    this.bar.append(tab);
    this.element.append(panel);
    this.tabs.push({ button: tab, panel, name });
    if (this.tabs.length === 1) this.choose(name);
    else this.choose(this.chosen);
  }

  choose(name: string): void {
    this.chosen = name;
    for (const tab of this.tabs) {
      const isChosen = tab.name === name;
      tab.panel.hidden = !isChosen;
      tab.button.setAttribute("aria-selected", String(isChosen));
      tab.button.tabIndex = isChosen ? 0 : -1;
    }
    this.element.dispatchEvent(new Event("chosen"));
  }
}

export const KEYS: [string, string][] = [
  ["Space", "run or pause"],
  ["→", "one frame further"],
  ["←", "one frame back"],
  ["E", "next event"],
  ["R", "restart"],
  ["+  −", "faster, slower"],
  ["Home  End", "first and last instant recorded"],
  ["F", "see everything"],
  ["S", "save this run as one file"],
  ["M", "keep this run beside a new one, to compare them"],
  ["D", "take the selected body in hand, or let it go; in hand, ← ↑ → ↓ pull it"],
  ["PgUp  PgDn", "select the body before, after"],
  ["Shift  ← ↑ → ↓", "turn the view"],
  ["[  ]", "away, nearer"],
  ["C", "contacts"],
  ["A", "contact forces"],
  ["K", "friction cones"],
  ["V", "velocities"],
  ["X", "centres of mass and principal axes"],
  ["B", "bounding boxes"],
  ["J", "joint frames and limits"],
  ["W", "separating planes"],
  ["N", "names"],
  ["G", "edges"],
  ["P", "side panel"],
  ["T", "light or dark"],
  ["?", "this help"],
  ["Esc", "close, or select nothing"],
];

/** The overlay with all keys. */
export function helpDialog(live: boolean): HTMLDialogElement {
  const dialog = element("dialog", { class: "help", label: "Help" });
  const rows = KEYS.map(([key, what]) => element("tr", {}, element("th", {}, ...key.split("  ").map((k) => element("kbd", { text: k }))), element("td", { text: what })));
  const close = element("button", { text: "Close" });
  close.type = "button";
  close.addEventListener("click", () => dialog.close());
  const mouse = live
    ? "Drag empty space to turn the view, with the right button to move it; the wheel comes closer. Click a body for its numbers; drag it to pull it by a spring whose work is in the ledger."
    : "Drag to turn the view, with the right button to move it; the wheel comes closer. Click a body for its numbers.";
  dialog.append(element("h2", { text: "Keys and mouse" }), element("p", { text: mouse }), element("table", {}, element("tbody", {}, ...rows)), close);
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  return dialog;
}
