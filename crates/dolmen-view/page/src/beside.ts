// The run that is compared with the one that is shown: a picture beside it, at the same time and from the same eye.

import type { Theme } from "./bodies";
import { element } from "./layout";
import { lengthText, stepName } from "./panels";
import { Picture } from "./picture";
import type { Described, Frame, World } from "./protocol";

/** What a run is called over its picture. */
const titleOf = ({ name, driver }: Described): string =>
  `${name}${driver ? ` · ${driver.name}${driver.step === null ? "" : ` ${stepName(driver.step)} s`}` : ""}`;

export class Beside {
  private readonly pane = element("div", { class: "pane", id: "beside", label: "The run beside" });
  private readonly captions = [element("p", { class: "caption" }), element("p", { class: "caption", id: "apart" })];
  private picture: Picture | null = null;
  private world: Described | null = null;
  private frame: Frame | null = null;
  private theme: Theme = "light";
  /** Which of the two was turned last: the other one follows. */
  private isLeading = false;
  /** Places in the run that is shown of the bodies of this one that have the same name; −1 for none. */
  private partners: number[] = [];
  private isSameScene = false;
  private names: string[] = [];
  private isFresh = false;

  constructor(private readonly view: HTMLElement, private readonly mainPane: HTMLElement, private readonly main: Picture) {
    this.pane.setAttribute("role", "region");
    this.main.onTurn = () => { this.isLeading = false; };
  }

  /** Shows what is beside a world, or nothing. */
  show(world: World): void {
    const beside = world.beside ?? null;
    if (beside === null) {
      this.close();
      return;
    }
    if (this.picture === null) {
      this.view.insertBefore(this.pane, this.mainPane.nextSibling);
      this.view.classList.add("two");
      this.picture = new Picture(this.pane);
      this.picture.canvas.setAttribute("aria-label", "The run beside, at the same time");
      this.picture.canDrag = false;
      this.picture.onTurn = () => { this.isLeading = true; };
      this.picture.setTheme(this.theme);
      this.mainPane.append(this.captions[0]);
      this.pane.append(this.captions[1]);
    }
    if (this.world?.generation !== beside.generation) {
      this.frame = null;
      this.picture.show(beside);
    }
    this.world = beside;
    const places = new Map(world.bodies.map((body, i) => [body.name, i]));
    this.partners = beside.bodies.map((body) => places.get(body.name) ?? -1);
    this.names = beside.bodies.map((body) => body.name);
    this.isSameScene = this.partners.every((place) => place >= 0) && this.partners.length === world.bodies.length;
    this.captions[0].textContent = titleOf(world);
    this.captions[1].textContent = titleOf(beside);
    this.isFresh = true;
  }

  private close(): void {
    if (this.picture === null) return;
    this.picture.dispose();
    [this.picture, this.world, this.frame] = [null, null, null];
    this.pane.remove();
    for (const caption of this.captions) caption.remove();
    this.view.classList.remove("two");
  }

  take(frame: Frame): void {
    if (this.picture === null) return;
    this.frame = frame;
    this.picture.place(frame);
    this.isFresh = true;
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.picture?.setTheme(theme);
  }

  /** The picture of the run that is shown leads again. */
  lead(): void {
    this.isLeading = false;
    if (!this.isSameScene) this.picture?.refit();
  }

  get isStale(): boolean {
    return this.picture?.isStale ?? false;
  }

  /** Whether a frame has come that was not drawn yet. */
  get isNews(): boolean {
    return this.picture !== null && this.isFresh;
  }

  draw(isMoving: boolean, shown: Frame | null): void {
    const { picture, world, frame } = this;
    if (picture === null || world === null) return;
    [picture.shown, picture.showEdges] = [this.main.shown, this.main.showEdges];
    if (this.isSameScene) {
      if (this.isLeading) this.main.lookFrom(picture);
      else picture.lookFrom(this.main);
    }
    picture.draw(isMoving);
    this.isFresh = false;
    if (frame && shown) this.tell(world, frame, shown);
  }

  /** How far bodies of the same name are from each other, at most, and which one that is; −1 for none. */
  private furthest(world: Described, frame: Frame, shown: Frame): [number, number] {
    let [most, whose] = [NaN, -1];
    this.partners.forEach((place, id) => {
      if (place < 0 || world.bodies[id].kind === "fixed" || 3 * place + 2 >= shown.x.length) return;
      const apart = Math.hypot(...[0, 1, 2].map((k) => frame.x[3 * id + k] - shown.x[3 * place + k]));
      if (!(apart <= most)) [most, whose] = [apart, id];
    });
    return [most, whose];
  }

  private tell(world: Described, frame: Frame, shown: Frame): void {
    const [most, whose] = this.furthest(world, frame, shown);
    const told = whose < 0 ? "" : ` · furthest apart: ${this.names[whose]}, ${lengthText(most)}`;
    const text = `${titleOf(world)}${told}`;
    if (this.captions[1].textContent !== text) this.captions[1].textContent = text;
  }

  /** For tests: what is seen of it. */
  look(shown: Frame) {
    const { frame, world } = this;
    return frame && world && { t: frame.t, x: Array.from(frame.x), driver: world.driver, names: this.names, apart: this.furthest(world, frame, shown)[0] };
  }
}
