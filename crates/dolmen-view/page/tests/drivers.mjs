// Every driver on the page, and two runs side by side: part of browser.mjs.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { dolmen, folder, look, near, open, shoot, until, view } from "./harness.mjs";

const BOX = '{ kind = "box", size = [0.4, 0.4, 0.4] }';
const FLOOR = '{ name = "floor", kind = "fixed", shape = { kind = "plane", normal = [0, 0, 1] } }';

function scene(name, run, bodies) {
  const path = join(folder, `${name}.toml`);
  writeFileSync(path, `format = 1\ngravity = [0, 0, -10]\nrun = { duration = 20${run} }\ncontact = { restitution = 0.2, friction = 0.5 }\nbody = [ ${[FLOOR, ...bodies].join(", ")} ]\n`);
  return path;
}

const tower = (run) => scene("tower", run, [0, 1, 2].map((i) => `{ name = "box ${i}", mass = 1, shape = ${BOX}, position = [${0.05 * i}, 0, ${0.5 + 0.6 * i}] }`));

export const drivers = {
  /** The scene's driver is shown; another is chosen with its step; what it reached is told; forces, events and the hand work in it. */
  async "the driver and its step are chosen on the page"() {
    const { url } = await view(tower(""), "--driver", "fixed", "--step", "1/240");
    const page = await open(url);
    const chosen = (id) => page.locator(`#${id} option:checked`).textContent();
    assert.deepEqual([await chosen("driver"), await chosen("step")], ["fixed steps", "1/240 s"]);
    await page.keyboard.press("Space");
    const moved = await until(page, (s) => s.t > 1.5 && s.running && s.quality.worstOverlap > 0);
    assert.ok(moved.quality.worstOverlap < 0.02, `overlap ${moved.quality.worstOverlap} m`);
    await page.waitForFunction(() => /overlap ≤ .*energy drift ≤ /.test(document.getElementById("quality").textContent));
    await page.keyboard.press("Space");
    await until(page, (s) => !s.running);
    for (const key of ["c", "a", "k"]) await page.keyboard.press(key);
    const forces = await until(page, (s) => s.marks.forces > 0 && s.marks.cones > 0);
    // All three boxes are carried by the floor: what arrows show adds up to the weights, as the boxes on each other cancel. They may still rock.
    assert.ok(forces.marks.pushed[2] > 0, `${forces.marks.pushed}`);
    await shoot(page, "fixed-forces");
    for (const key of ["c", "a", "k"]) await page.keyboard.press(key);
    // Going back shows the past again.
    await page.locator("#time").focus();
    await page.keyboard.press("Home");
    await until(page, (s) => s.t === 0 && s.head > 1.5);
    await page.keyboard.press("e");
    await until(page, (s) => !s.busy && s.t > 0 && s.happened.length > 0);
    // By keys alone: the selected box is lifted.
    await page.keyboard.press("End");
    await page.locator("#bodies").evaluate(() => window.dolmen.select(2));
    await page.keyboard.press("d");
    await until(page, (s) => s.hand !== null);
    for (let i = 0; i < 6; i += 1) await page.keyboard.press("ArrowUp");
    const held = await until(page, (s) => s.hand !== null && Math.abs(s.ledger[2]) > 0.05);
    await page.keyboard.press("d");
    await until(page, (s) => s.hand === null);
    assert.ok(Number.isFinite(held.ledger[2]));
    // Another driver, and another step: each starts the scene again.
    await page.getByRole("combobox", { name: "Driver", exact: true }).selectOption("exact");
    await until(page, (s) => s.driver.name === "exact" && s.generation > held.generation);
    assert.equal(await page.locator("#step").isVisible(), false, "the exact driver has no step");
    await page.getByRole("combobox", { name: "Driver", exact: true }).selectOption("fixed");
    await until(page, (s) => s.driver.name === "fixed");
    await page.getByRole("combobox", { name: "Step", exact: true }).selectOption({ label: "1/30 s" });
    const slow = await until(page, (s) => Math.abs(s.driver.step - 1 / 30) < 1e-12);
    // A scene that starts again goes on if the one before did.
    if (!slow.running) await page.keyboard.press("Space");
    await until(page, (s) => s.t > 0.3 && s.generation === slow.generation);
    await page.context().close();
  },

  /** The teaching loop is watched, and its back-steps are in the list and on the time line, live and in a file. */
  async "back-steps of the teaching loop are marked"() {
    const path = scene("taught", ', driver = "intro"', [`{ name = "cube", mass = 1, shape = ${BOX}, position = [0, 0, 1.2] }`]);
    const { url } = await view(path);
    const page = await open(url);
    assert.equal(await page.locator("#driver option:checked").textContent(), "teaching loop");
    await page.keyboard.press("e");
    const seen = await until(page, (s) => !s.busy && s.events > 1);
    const back = seen.happened.find((event) => event.kind === "back-step");
    assert.ok(back && back.trials > 5, JSON.stringify(seen.happened));
    near(back.t, Math.sqrt(0.2), 1e-6, "when it went back to");
    await page.click("#tab-events");
    await page.waitForFunction(() => /back-step.*trials/.test(document.querySelector("ol.events")?.textContent ?? ""));
    const inked = () => page.evaluate(() => {
      const canvas = document.querySelector(".timeline canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      // The violet of back-steps, on light ground.
      let count = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i] === 0x64 && data[i + 1] === 0x53 && data[i + 2] === 0xb5) count += 1;
      return count;
    });
    await page.evaluate(() => window.dolmen.setTheme("light"));
    assert.ok((await inked()) > 4, "nothing is marked on the time line");
    await shoot(page, "back-steps");
    await page.context().close();
    dolmen("export", path, "--to", "html", "--for", "2", "--out", "taught.html");
    const replay = await open(pathToFileURL(join(folder, "taught.html")).href);
    await replay.keyboard.press("e");
    const shown = await until(replay, (s) => s.t > 0);
    assert.ok(shown.happened.some((event) => event.kind === "back-step"), "the file has none");
    assert.equal(shown.driver.name, "intro");
    await replay.context().close();
  },

  /** A run is kept beside a new one with another driver: both at one time, from one eye, with how far they are apart, and both curves. */
  async "two runs are compared side by side"() {
    const { url } = await view(tower(""));
    const page = await open(url);
    await page.getByRole("button", { name: "Compare" }).click();
    await until(page, (s) => s.beside && s.beside.driver.name === "exact");
    await page.getByRole("combobox", { name: "Driver", exact: true }).selectOption("fixed");
    await until(page, (s) => s.driver.name === "fixed" && s.beside);
    await page.keyboard.press("Space");
    await until(page, (s) => s.t > 0.4 && s.beside?.t > 0.4);
    await page.keyboard.press("Space");
    await until(page, (s) => !s.running);
    await page.evaluate(() => window.dolmen.source.send({ do: "seek", t: 0.1 }));
    const seen = await until(page, (s) => s.t === 0.1 && s.beside?.t === 0.1 && s.beside.apart > 0);
    // Both fall freely: fixed steps are ½ g h t too low, h the sub-step 1/480 s.
    near(seen.beside.apart, 0.5 * 10 * 0.1 / 480, 2e-4, "how far they are apart");
    await page.waitForFunction(() => /exact.*furthest apart: box/.test(document.getElementById("apart").textContent));
    const boxes = await page.evaluate(() => [...document.querySelectorAll("#view canvas")].map((canvas) => { const { left, width } = canvas.getBoundingClientRect(); return [left, width]; }));
    assert.equal(boxes.length, 2);
    assert.ok(Math.abs(boxes[0][1] - boxes[1][1]) <= 3 && boxes[1][0] >= boxes[0][0] + boxes[0][1] - 1, JSON.stringify(boxes));
    await page.waitForFunction(() => document.querySelector(".legend")?.textContent?.includes("the run beside"));
    await shoot(page, "beside");
    await page.keyboard.press("m");
    await until(page, (s) => s.beside === null);
    assert.equal(await page.locator("#view canvas").count(), 1);
    await page.context().close();
    // Two scenes from the start.
    const both = await view("bouncing-ball", "--beside", tower(', driver = "fixed"'));
    const other = await open(both.url);
    await until(other, (s) => s.scene === "bouncing-ball" && s.beside?.driver.name === "fixed");
    await other.keyboard.press("Space");
    await until(other, (s) => s.t > 0.2 && s.beside.t === s.t);
    await other.context().close();
  },
};
