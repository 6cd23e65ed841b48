// The text of the scene: shown, changed, and run at once. What is changed stays in this browser until it is saved as a file.

import { element, saveFile } from "./layout";
import type { Mistake } from "./protocol";

/** Where drafts are kept. */
export interface Drafts {
  get(key: string): string | null;
  /** Null forgets. */
  set(key: string, value: string | null): void;
}

export class SceneEditor {
  readonly element = element("div", { class: "editor" });
  private readonly area = element("textarea", { id: "scene-text", label: "Text of the scene" });
  private readonly mistakes = element("ol", { class: "mistakes", id: "mistakes", label: "Mistakes" });
  private readonly note = element("p", { class: "soft", id: "scene-note" });
  private readonly drafts: Drafts;
  private name = "";
  /** The text as the scene that is shown has it. */
  private original = "";

  constructor(drafts: Drafts, run: (text: string) => void) {
    this.drafts = drafts;
    this.area.spellcheck = false;
    this.area.setAttribute("aria-describedby", "scene-note mistakes");
    this.area.addEventListener("input", () => this.keep());
    const press = (id: string, text: string, act: () => void) => {
      const made = element("button", { id, text });
      made.type = "button";
      made.addEventListener("click", act);
      return made;
    };
    this.area.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        run(this.area.value);
      }
    });
    this.mistakes.setAttribute("role", "list");
    this.element.append(
      this.note, this.area, this.mistakes,
      element("div", { class: "row" },
        press("run-text", "Run this text", () => run(this.area.value)),
        press("undo-text", "As it was", () => { this.area.value = this.original; this.keep(); }),
        press("save-text", "Save as a file", () => saveFile("scene.toml", this.area.value, "text/plain"))),
    );
    this.tell();
  }

  /** The text of the scene that is shown; a draft of it that was kept stands instead. */
  show(name: string, text: string | null): void {
    [this.name, this.original] = [name, text ?? ""];
    this.area.value = this.drafts.get(`text.${name}`) ?? this.original;
    this.mistakes.replaceChildren();
    this.tell(text === null);
  }

  /** What is wrong with the text that was to run; each leads to its place. */
  refuse(mistakes: Mistake[]): void {
    this.mistakes.replaceChildren(...mistakes.map((mistake) => {
      const go = element("button", { text: `line ${mistake.line}, column ${mistake.column}: ${mistake.text}${mistake.help ? ` (${mistake.help})` : ""}` });
      go.type = "button";
      go.addEventListener("click", () => this.go(mistake));
      return element("li", {}, go);
    }));
    this.area.setAttribute("aria-invalid", String(mistakes.length > 0));
    if (mistakes.length > 0) this.go(mistakes[0]);
  }

  private go({ line, column }: Mistake): void {
    const lines = this.area.value.split("\n");
    const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    // Columns count characters, places of a text area count units of UTF-16.
    const at = before + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
    this.area.focus();
    this.area.setSelectionRange(at, Math.max(at, before + (lines[line - 1] ?? "").length));
  }

  private keep(): void {
    this.drafts.set(`text.${this.name}`, this.area.value === this.original ? null : this.area.value);
    this.tell();
  }

  private tell(isMissing = false): void {
    this.note.textContent = isMissing
      ? "This world has no text. What is written here runs in its place."
      : this.area.value === this.original
        ? "Ctrl+Enter runs the text. It can name no files."
        : "Changed, and kept in this browser only. Ctrl+Enter runs it.";
  }
}
