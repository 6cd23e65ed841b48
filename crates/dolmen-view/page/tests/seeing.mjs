// What there is to see and to change on the page, each by numbers that are known: part of browser.mjs.

import assert from "node:assert/strict";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { dolmen, folder, look, near, open, shoot, until, view } from "./harness.mjs";

const G = 9.81;
/** Numbers of a contact: point, normal, force, friction, flags, the two bodies. */
const CONTACT = 13;

/** A scene of one's own. */
function scene(name, text) {
  const path = join(folder, `${name}.toml`);
  writeFileSync(path, `format = 1\ngravity = [0, 0, -${G}]\nrun = { duration = 60 }\n${text}`);
  return path;
}

const FLOOR = '{ name = "floor", kind = "fixed", shape = { kind = "plane", normal = [0, 0, 1] } }';

/** Goes to the next event of a kind; when it was. */
async function nextOf(page, kind) {
  for (let tries = 0; tries < 20; tries += 1) {
    const { events } = await look(page);
    await page.click("#do-event");
    const seen = await until(page, (s) => !s.busy && s.events > events);
    const found = seen.happened.slice(events - seen.events).find((event) => event.kind === kind);
    if (found) return found.t;
  }
  throw new Error(`no ${kind} among twenty events`);
}

/** Writes into the form of constants and applies it. */
async function change(page, values) {
  const { generation } = await look(page);
  await page.click("#tab-change");
  for (const [name, value] of Object.entries(values)) await page.fill(`#change-${name}`, String(value));
  await page.click("#apply");
  await until(page, (s) => s.generation > generation && s.head === 0);
}

export const seeing = {
  /** A ball from 1 m lands after √(2/g), and again after (1 + 2 e) of that; a block at 5 m/s stops after v/(μ g). */
  async "gravity, restitution and friction can be changed"() {
    const { url } = await view("bouncing-ball");
    const page = await open(url);
    await change(page, { gz: -4, restitution: 0.25 });
    near(await nextOf(page, "collision"), Math.sqrt(2 / 4), 1e-12, "the first landing");
    near(await nextOf(page, "collision"), 1.5 * Math.sqrt(2 / 4), 1e-12, "the second");
    // What is out of range is refused where it is written.
    const { generation } = await look(page);
    await page.fill("#change-restitution", "1.5");
    await page.click("#apply");
    assert.equal(await page.locator("#change-restitution:invalid").count(), 1, "a restitution of 1.5 is taken");
    assert.equal((await look(page)).generation, generation, "it started again all the same");
    await page.click("#reset");
    await until(page, (s) => s.generation > generation && s.head === 0);
    near(await nextOf(page, "collision"), Math.sqrt(2 / G), 1e-12, "the first landing as the scene has it");
    near(await nextOf(page, "collision"), 2.8 * Math.sqrt(2 / G), 1e-12, "the second");
    await page.selectOption("#scenes", "a15-sliding-block");
    await until(page, (s) => s.scene === "a15-sliding-block");
    await change(page, { friction: 0.25 });
    near(await nextOf(page, "rest"), 5 / (0.25 * G), 1e-9, "when the block stops");
    await shoot(page, "changed");
    await page.context().close();
  },

  /** A box of 2 kg rests under 2 g, one of 1 kg slides at μ = 0.5: arrows, cones, axes and boxes for each, numbers of both. */
  async "forces, cones, axes and bounding boxes are drawn"() {
    const box = '{ kind = "box", size = [1, 1, 1] }';
    const { url } = await view(scene("two-boxes", `contact = { friction = 0.5 }\nbody = [ ${FLOOR},
      { name = "resting", shape = ${box}, mass = 2, position = [0, 0, 0.5] },
      { name = "sliding", shape = ${box}, mass = 1, position = [0, 3, 0.5], velocity = [3, 0, 0] } ]`));
    const page = await open(url);
    await page.click("#do-step");
    const plain = await until(page, (s) => s.t > 0);
    for (const key of ["c", "a", "k"]) await page.keyboard.press(key);
    const seen = await until(page, (s) => s.marks.forces === 8 && s.marks.cones === 8);
    const id = (name) => seen.names.indexOf(name);
    const sums = {};
    for (let c = 0; c < seen.touches.length; c += CONTACT) {
      const row = seen.touches.slice(c, c + CONTACT);
      const [body, sign] = row[11] === id("floor") ? [row[12], -1] : [row[11], 1];
      sums[body] = [0, 1, 2].map((k) => (sums[body]?.[k] ?? 0) + sign * row[6 + k]);
      near(row[9], 0.5, 1e-6, "the friction of a contact");
    }
    // Forces are sent in single precision.
    [0, 0, 2 * G].forEach((f, k) => near(sums[id("resting")][k], f, 1e-5, `force ${k} on what rests`));
    [-0.5 * G, 0, G].forEach((f, k) => near(sums[id("sliding")][k], f, 1e-5, `force ${k} on what slides`));
    // Arrows show what acts on the boxes, and not on the floor.
    [-0.5 * G, 0, 3 * G].forEach((f, k) => near(seen.marks.pushed[k], f, 1e-5, `part ${k} of the sum of all arrows`));
    await shoot(page, "forces");
    for (const key of ["c", "a", "k"]) await page.keyboard.press(key);
    await until(page, (s) => s.marks.forces === 0 && s.marks.cones === 0 && s.effort.lines === plain.effort.lines);
    for (const [key, lines] of [["b", 2 * 12], ["x", 2 * 3]]) {
      await page.keyboard.press(key);
      await until(page, (s) => s.effort.lines === plain.effort.lines + lines);
      await shoot(page, `lines-${key}`);
      await page.keyboard.press(key);
      await until(page, (s) => s.effort.lines === plain.effort.lines);
    }
    await page.keyboard.press("v");
    await until(page, (s) => s.marks.velocities === 1);
    await page.keyboard.press("v");
    // A click in the picture selects; the panel tells what acts.
    await page.click("#tab-body");
    const [x, y] = seen.screen[id("resting")];
    await page.mouse.click(x, y);
    await until(page, (s) => s.selected === id("resting"));
    const fact = (name) => page.evaluate((name) => [...document.querySelectorAll("#panel-body dt")].find((term) => term.textContent === name)?.nextElementSibling?.textContent, name);
    await page.waitForFunction(() => document.querySelector("#panel-body dl")?.textContent?.includes("all forces"));
    assert.equal(await fact("weight, N"), "19.62");
    assert.equal((await fact("contact force, N")).split(/\s+/)[2], "19.62");
    assert.equal(await fact("contacts"), "4");
    await page.selectOption("#bodies", { label: "sliding" });
    await until(page, (s) => s.selected === id("sliding"));
    await page.waitForFunction(() => document.querySelector("#panel-body dd")?.textContent === "sliding");
    const speed = 3 - 0.5 * G * seen.t;
    near(Number(await fact("translational energy, J")), 0.5 * speed * speed, 1e-4 * speed * speed, "the energy of what slides");
    await page.waitForFunction(() => /all forces, N−4.905 /.test(document.querySelector("#panel-body dl")?.textContent ?? ""));
    await shoot(page, "numbers");
    await page.context().close();
  },

  /** Limits are drawn besides frames: a sector for an angle, a rail for a way, a cone for a ball joint. */
  async "limits of joints are drawn"() {
    const lines = async (limits) => {
      const joint = (name, kind, y, more) => `{ name = "${name}", kind = "${kind}", a = "${name}", at = [0, ${y}, 1], axis = [0, 1, 0]${limits ? more : ""} }`;
      const bar = (name, y) => `{ name = "${name}", shape = { kind = "box", size = [1, 0.1, 0.1] }, mass = 1, position = [0.5, ${y}, 1] }`;
      const { url } = await view(scene(limits ? "limits" : "no-limits", `body = [ ${bar("h", 0)}, ${bar("s", 1)}, ${bar("b", 3)} ]
        joint = [ ${joint("h", "hinge", 0, ", limit = [{ lower_deg = -30, upper_deg = 60 }]")},
          ${joint("s", "slider", 1, ", limit = [{ lower = -0.2, upper = 0.4 }]")},
          ${joint("b", "ball", 3, ", cone_deg = 40")} ]`));
      const page = await open(url);
      const before = await until(page, (s) => s.joints === 3);
      await page.keyboard.press("j");
      const seen = await until(page, (s) => s.effort.lines > before.effort.lines);
      await shoot(page, limits ? "limits" : "no-limits");
      await page.context().close();
      return seen.effort.lines - before.effort.lines;
    };
    const [free, bound] = [await lines(false), await lines(true)];
    // A quarter of a turn in pieces of 7.5°, its two ends and a hand; a rail with two stops of two lines; a whole round and its axis.
    assert.equal(bound - free, 12 + 2 + 1 + (1 + 4) + (48 + 1), `${free} lines without limits, ${bound} with them`);
  },

  /** At 1/100 of the speed no more than a hundredth of the real time is simulated; as fast as possible a minute takes less than half. */
  async "speeds go from a hundredth to as fast as possible"() {
    const { url } = await view("stack-of-bricks");
    const page = await open(url);
    await page.selectOption("#speed", { label: "× 1/100" });
    const started = Date.now();
    await page.keyboard.press("Escape");
    await page.click("#do-play");
    await until(page, (s) => s.t > 0.002 && s.running);
    await page.click("#do-play");
    const slow = await until(page, (s) => !s.running);
    const passed = (Date.now() - started) / 1000;
    assert.ok(slow.t <= 0.01 * passed, `${slow.t} s were simulated in ${passed} s`);
    // Keys go through all speeds, and stop at either end.
    for (let i = 0; i < 12; i += 1) await page.keyboard.press("+");
    assert.equal(await page.locator("#speed").evaluate((speed) => speed.selectedOptions[0].text), "as fast as possible");
    await page.click("#do-play");
    // This waits for half a minute at most.
    const fast = await until(page, (s) => s.t === 60 && !s.running);
    near(fast.head, 60, 0, "the end");
    for (let i = 0; i < 12; i += 1) await page.keyboard.press("-");
    assert.equal(await page.locator("#speed").evaluate((speed) => speed.selectedOptions[0].text), "× 1/100");
    await page.context().close();
  },

  /** Every key that the help lists does what it says. */
  async "every key of the help works"() {
    const { url } = await view("wrecking-ball");
    const page = await open(url);
    await page.keyboard.press("?");
    const listed = await page.locator("dialog kbd").allTextContents();
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog:not([open])", { state: "attached" });
    const tried = new Set(["?", "Esc"]);
    const press = async (name, key, condition) => {
      tried.add(name);
      await page.keyboard.press(key);
      return until(page, condition);
    };
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    await press("Space", "Space", (s) => s.running && s.t > 0);
    const paused = await press("Space", "Space", (s) => !s.running);
    await press("→", "ArrowRight", (s) => s.t > paused.t);
    await press("←", "ArrowLeft", (s) => Math.abs(s.t - paused.t) < 0.02);
    await press("Home", "Home", (s) => s.t === 0 && s.head > 0);
    await press("End", "End", (s) => s.t === s.head);
    await press("E", "e", (s) => !s.busy && s.events > 0);
    await press("R", "r", (s) => s.head === 0);
    await press("PgDn", "PageDown", (s) => s.selected === 0);
    await press("PgUp", "PageUp", (s) => s.selected === -1);
    const moved = async (name, key) => {
      const before = (await look(page)).marks.eye;
      return press(name, key, (s) => Math.hypot(...s.marks.eye.map((x, k) => x - before[k])) > 1e-3);
    };
    tried.add("Shift");
    tried.add("← ↑ → ↓");
    tried.add("Shift ← ↑ → ↓");
    for (const key of ["ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"]) await moved("Shift", `Shift+${key}`);
    await moved("[", "[");
    await moved("]", "]");
    await moved("[", "[");
    await moved("F", "f");
    for (const [name, id] of [["C", "contacts"], ["A", "forces"], ["K", "cones"], ["V", "velocities"], ["X", "axes"], ["B", "boxes"], ["J", "joints"], ["W", "witnesses"], ["N", "names"], ["G", "edges"]]) {
      const box = page.locator(`#show-${id}`);
      const was = await box.isChecked();
      await press(name, name.toLowerCase(), () => true);
      assert.equal(await box.isChecked(), !was, name);
    }
    await page.waitForFunction(() => [...document.querySelectorAll(".labels span")].some((label) => label.textContent.length > 0));
    const slower = await page.locator("#speed").evaluate((speed) => speed.selectedIndex);
    await press("−", "-", () => true);
    assert.equal(await page.locator("#speed").evaluate((speed) => speed.selectedIndex), slower - 1);
    await press("+", "+", () => true);
    assert.equal(await page.locator("#speed").evaluate((speed) => speed.selectedIndex), slower);
    await press("M", "m", (s) => s.beside !== null);
    await press("M", "m", (s) => s.beside === null);
    await press("P", "p", () => true);
    await page.waitForSelector("#panel", { state: "hidden" });
    await page.keyboard.press("p");
    await page.waitForSelector("#panel", { state: "visible" });
    const was = await theme();
    await press("T", "t", () => true);
    assert.notEqual(await theme(), was);
    const [saved] = await Promise.all([page.waitForEvent("download"), press("S", "s", () => true)]);
    assert.equal(saved.suggestedFilename(), "wrecking-ball.html");
    // A body that moves is pulled by keys alone.
    const movable = await page.evaluate(() => window.dolmen.world.bodies.findIndex((body) => body.kind === "dynamic"));
    await page.click("#tab-body");
    await page.selectOption("#bodies", String(movable));
    await page.locator("#bodies").evaluate((select) => select.blur());
    await press("D", "d", (s) => s.hand !== null);
    const from = (await look(page)).hand.to;
    await page.keyboard.press("ArrowUp");
    await until(page, (s) => Math.hypot(...s.hand.to.map((x, k) => x - from[k])) > 1e-3);
    await press("D", "d", (s) => s.hand === null);
    await page.keyboard.press("Escape");
    await until(page, (s) => s.selected === -1);
    await page.keyboard.press("PageDown");
    await until(page, (s) => s.selected === 0);
    await page.keyboard.press("Escape");
    await until(page, (s) => s.selected === -1);
    assert.deepEqual(listed.filter((key) => !tried.has(key)), [], "keys that were not tried");
    await shoot(page, "all-overlays");
    await page.context().close();
  },

  /** The page is dark where the reader's system is, and says what it does: pictures a second, simulated by real time. */
  async "it is dark where it should be and says how fast it is"() {
    const { url } = await view("double-pendulum");
    const page = await open(url, { colorScheme: "dark" });
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    await page.keyboard.press("Space");
    await page.waitForFunction(() => /[1-9]\d* pictures\/s · [\d.]+ × real time/.test(document.getElementById("fps")?.textContent ?? ""));
    await page.click("#tab-show");
    await page.waitForFunction(() => /pictures a second[1-9]/.test(document.querySelector("#panel-show dl")?.textContent ?? ""));
    // The tab was clicked, and has the focus; a click does not mean that a key presses it again.
    await page.keyboard.press("Space");
    const paused = await until(page, (s) => !s.running);
    assert.ok(paused.t < 10, "it ran to its end");
    await page.waitForFunction(() => document.getElementById("status")?.textContent?.startsWith("paused at "));
    // Reached by keys, it is pressed.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Space");
    await page.waitForTimeout(200);
    assert.ok(!(await look(page)).running, "Space ran it, and did not press the tab");
    // A click into a plot goes to that time.
    await page.click("#tab-plots");
    const seen = await look(page);
    await page.waitForFunction(() => document.querySelector(".legend")?.textContent?.includes("kinetic"));
    const box = await page.locator(".plot canvas").first().boundingBox();
    await page.mouse.click(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
    await until(page, (s) => s.t > 0 && s.t < seen.head);
    await page.context().close();
  },

  /** The pull is part of the run: the ledger balances, and going back shows the hand again. */
  async "the hand is recorded"() {
    const { url } = await view(scene("pulled", `body = [ ${FLOOR}, { name = "ball", shape = { kind = "sphere", radius = 0.5 }, mass = 3, position = [0, 0, 2] } ]`), "--set", "gravity=[0,0,0]");
    const page = await open(url);
    const seen = await look(page);
    const [x, y] = seen.screen[seen.names.indexOf("ball")];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 80, y - 30, { steps: 5 });
    const held = await until(page, (s) => s.hand !== null && s.t > 0.2);
    assert.equal(held.marks.hand, 1, "arrows of the hand");
    await page.mouse.up();
    await until(page, (s) => s.hand === null && s.t > held.t);
    await page.keyboard.press("Space");
    const after = await until(page, (s) => !s.running);
    const [kinetic, potential, work] = after.ledger;
    const lost = after.ledger.slice(3, 5).reduce((a, b) => a + b, 0);
    assert.ok(work > 1e-6, `the hand did ${work} J`);
    // Work is integrated with the motion, to its tolerance.
    near(kinetic + potential + lost, work, 1e-8 * work, "the energy that came in");
    await page.evaluate((t) => window.dolmen.source.send({ do: "seek", t }), held.t);
    await until(page, (s) => s.hand !== null && s.t < s.head && s.marks.hand === 1);
    await page.context().close();
  },

  /** A hundred balls over ten seconds: less than 3 MB, opened from disk, with events, curves and all of the time. */
  async "many bodies in an exported file open from disk"() {
    dolmen("export", "box-of-hard-spheres", "--to", "html", "--for", "10", "--out", "gas.html");
    const path = join(folder, "gas.html");
    const { size } = statSync(path);
    assert.ok(size < 3_000_000, `${size} bytes`);
    const page = await open(pathToFileURL(path).href);
    const seen = await look(page);
    assert.ok(seen.names.length >= 100, `${seen.names.length} bodies`);
    near(seen.head, 10, 1e-9, "the end");
    const last = seen.happened.at(-1);
    assert.ok(seen.events > 5000 && last.t > 9.9 && last.kind === "collision" && last.impulse > 0, `${seen.events} events, the last ${JSON.stringify(last)}`);
    await page.keyboard.press("End");
    await until(page, (s) => s.t === 10);
    await page.click("#tab-events");
    await page.locator("ol.events button").first().click();
    await until(page, (s) => s.t < 10);
    await page.click("#tab-plots");
    await page.waitForFunction(() => document.querySelector(".legend")?.textContent?.includes("kinetic"));
    await shoot(page, "many-replay");
    await page.context().close();
  },
};
