// The page in a real browser: node tests/browser.mjs [PART OF A NAME], with DOLMEN the program. Pictures go to SHOTS if that is set.

import assert from "node:assert/strict";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import validator from "gltf-validator";
import { browser, dolmen, folder, look, mistakes, near, open, revive, shoot, stop, until, view } from "./harness.mjs";
import { drivers } from "./drivers.mjs";
import { faintSigns, faintTexts, spoken } from "./reading.mjs";
import { seeing } from "./seeing.mjs";

const tests = {
  /** Bodies are where the tables of a run of the same scene say. */
  async "bodies are where the record says"() {
    dolmen("run", "bouncing-ball", "--out", "run", "--samples", "41", "--quiet");
    const rows = readFileSync(join(folder, "run", "states.csv"), "utf8").trim().split("\n").map((line) => line.split(","));
    const column = (name) => rows[0].indexOf(name);
    const { url } = await view("bouncing-ball");
    const page = await open(url);
    await page.click("#do-event");
    await until(page, (s) => !s.busy && s.events > 0);
    const { head } = await look(page);
    const { names } = await look(page);
    const checked = rows.slice(1).filter((row) => Number(row[0]) <= head);
    assert.ok(checked.length > 3, "the first event is too early to compare anything");
    for (const row of checked) {
      const t = Number(row[0]);
      await page.evaluate((t) => window.dolmen.source.send({ do: "seek", t }), t);
      await until(page, (s) => Math.abs(s.t - (t)) < 1e-9);
      const { x } = await look(page);
      const at = 3 * names.indexOf(row[column("body")]);
      for (const [k, name] of ["x", "y", "z"].entries()) near(x[at + k], Number(row[column(name)]), 1e-6, `${name} at ${t} s`);
    }
    await page.context().close();
  },

  /** Pause, step, scrub and next event, by mouse and by keys. */
  async "time goes as it is told to"() {
    const { url } = await view("intro-cube");
    const page = await open(url);
    const start = await look(page);
    assert.deepEqual([start.t, start.running], [0, false], "with less motion asked for, nothing moves by itself");
    await page.click("#do-step");
    await until(page, (s) => s.t > 0 && !s.running);
    const step = (await look(page)).t;
    await page.keyboard.press("ArrowRight");
    await until(page, (s) => Math.abs(s.t - (2 * step)) < 1e-9);
    await page.keyboard.press("ArrowLeft");
    await until(page, (s) => Math.abs(s.t - (step)) < 1e-9);
    await page.click("#view canvas", { position: { x: 30, y: 200 } });
    await page.keyboard.press("Space");
    await until(page, (s) => s.running && s.t > 0.1);
    await page.keyboard.press("Space");
    await until(page, (s) => !s.running);
    const paused = await look(page);
    await page.locator("#time").evaluate((slider, t) => {
      slider.value = String(t);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      slider.dispatchEvent(new Event("change", { bubbles: true }));
    }, paused.head / 2);
    await until(page, (s) => Math.abs(s.t - (paused.head / 2)) < 1e-3);
    near((await look(page)).head, paused.head, 1e-9, "the head after scrubbing");
    await page.keyboard.press("End");
    await page.keyboard.press("e");
    await until(page, (s) => !s.busy && s.events > 0);
    await page.click("#tab-events");
    await page.locator("ol.events button").first().click();
    const first = await page.locator("ol.events b").first().textContent();
    await until(page, (s) => Math.abs(s.t - (parseFloat(first))) < 1e-3);
    await shoot(page, "events");
    await page.click("#do-restart");
    await until(page, (s) => s.t === 0 && s.head === 0);
    await page.context().close();
  },

  /** A body that is dragged follows the mouse, and the work of that is in the ledger. */
  async "a body can be dragged"() {
    const { url } = await view("intro-cube", "--set", "gravity=[0,0,0]");
    const page = await open(url);
    const seen = await look(page);
    const id = seen.names.findIndex((name) => name === "cube");
    assert.ok(id >= 0, `the scene has ${seen.names}`);
    const [x, y] = seen.screen[id];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 60, y - 40, { steps: 6 });
    await until(page, (s) => s.hand !== null && s.t > 0.05);
    await shoot(page, "drag");
    await until(page, (s) => Math.abs(s.ledger[2]) > 1e-9 && s.t > 0.3);
    await page.mouse.up();
    await until(page, (s) => s.hand === null);
    await page.keyboard.press("Space");
    const after = await look(page);
    const moved = Math.hypot(...[0, 1, 2].map((k) => after.x[3 * id + k] - seen.x[3 * id + k]));
    assert.ok(moved > 1e-3, `it moved by ${moved} m`);
    await page.context().close();
  },

  /** A click selects, the panel tells numbers, plots are drawn, keys toggle, constants change, scenes are picked. */
  async "everything around the picture works"() {
    const { url } = await view("intro-cube");
    const page = await open(url);
    await page.click("#tab-body");
    await page.selectOption("#bodies", { index: 1 });
    await until(page, (s) => s.selected === 0);
    await page.click("#do-step");
    await page.waitForFunction(() => document.querySelector("#panel-body dl")?.textContent?.includes("position"));
    for (const key of ["c", "a", "k", "v", "x", "b", "n", "g", "g"]) await page.keyboard.press(key);
    await page.click("#do-event");
    await until(page, (s) => !s.busy && s.events > 0);
    await shoot(page, "overlays");
    await page.click("#tab-plots");
    await page.waitForFunction(() => document.querySelector(".legend")?.textContent?.includes("kinetic"));
    await shoot(page, "plots");
    await page.keyboard.press("t");
    await shoot(page, "other-theme");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    await shoot(page, "help");
    await page.keyboard.press("Escape");
    await page.click("#tab-change");
    await page.fill("#change-gz", "-1.62");
    await page.click("#apply");
    await page.waitForFunction(() => window.dolmen.world.gravity[2] === -1.62);
    await page.selectOption("#scenes", "newtons-cradle");
    await until(page, (s) => s.scene === 'newtons-cradle');
    await page.context().close();
  },

  /** Joint frames and the planes between bodies are drawn on demand, and numbers of the solvers are told. */
  async "joints and separating planes are drawn"() {
    const { url } = await view("wrecking-ball");
    const page = await open(url);
    const plain = await until(page, (s) => s.joints === 6);
    await page.keyboard.press("j");
    // Three axes of each of its two frames, at least.
    await until(page, (s) => s.effort.lines >= plain.effort.lines + 6 * s.joints);
    await page.keyboard.press("w");
    const planes = await until(page, (s) => s.witnesses > 0);
    assert.ok(planes.witnesses < 40, `${planes.witnesses} planes between nine bodies`);
    await shoot(page, "joints-and-planes");
    await page.keyboard.press("w");
    await until(page, (s) => s.witnesses === 0);
    await page.click("#tab-show");
    await page.click("#do-step");
    await page.waitForFunction(() => document.querySelector("#panel-show dl")?.textContent?.includes("residual of contact forces"));
    await shoot(page, "statistics");
    await page.context().close();
  },

  /** Any quantity of any body is a curve: z of the ball falls as ½ g t². */
  async "any quantity can be plotted"() {
    const { url } = await view("bouncing-ball");
    const page = await open(url);
    await page.click("#do-event");
    await until(page, (s) => !s.busy && s.events > 0);
    const plot = page.locator(".plot").first();
    await plot.locator("select").first().selectOption({ label: "position z" });
    const { names } = await look(page);
    await plot.locator("select").nth(1).selectOption({ label: names[0] });
    await page.waitForFunction(() => /position z −?[0-9.]/.test(document.querySelector(".plot .legend")?.textContent ?? ""));
    // What is said follows with the next picture.
    await page.waitForFunction(
      (wanted) => document.querySelector(".plot canvas")?.getAttribute("aria-label")?.includes(wanted),
      `position z of ${names[0]} over time`,
    );
    await page.context().close();
  },

  /** Two thousand bodies in motion: few calls to draw, 20 bytes each, no more than two frames under way, the others dropped. */
  async "two thousand bodies move and nothing queues"() {
    const bodies = [];
    for (let i = 0; i < 2000; i += 1) {
      const at = [i % 13, Math.floor(i / 13) % 13, Math.floor(i / 169)];
      const shape = i % 2 ? '{ kind = "box", size = [0.4, 0.3, 0.2] }' : '{ kind = "sphere", radius = 0.2 }';
      bodies.push(`  { name = "b${i}", shape = ${shape}, mass = 1, position = [${at}], velocity = [${i % 7 - 3}, ${i % 5 - 2}, ${i % 3 - 1}], spin = [1, 0, ${i % 4}] },`);
    }
    const scene = join(folder, "many.toml");
    writeFileSync(scene, `format = 1\nrun = { duration = 10 }\nbody = [\n${bodies.join("\n")}\n]\n`);
    const { url } = await view(scene);
    const page = await open(url);
    let [least, under, most] = [Infinity, 0, 0];
    const numbers = [];
    page.on("websocket", (socket) => {
      socket.on("framereceived", ({ payload }) => {
        if (typeof payload === "string" || payload.readDoubleLE(0) !== 1) return;
        // Frames of all bodies; what touches comes on top of them, once they meet.
        if (payload.length > 20 * 2000) least = Math.min(least, payload.length);
        numbers.push(payload.readDoubleLE(8 * 53));
        under += 1;
        most = Math.max(most, under);
      });
      socket.on("framesent", ({ payload }) => { if (String(payload).includes('"ready"')) under -= 1; });
    });
    await page.reload();
    await page.waitForFunction(() => window.dolmen?.look());
    await page.keyboard.press("Space");
    const seen = await until(page, (s) => s.t > 0.05);
    assert.equal(seen.names.length, 2000);
    assert.ok(seen.effort.calls <= 12, `${seen.effort.calls} calls`);
    assert.ok(least < 22 * 2000, `${least} bytes`);
    await until(page, () => numbers.length > 8);
    const gaps = numbers.slice(1).map((n, i) => n - numbers[i]);
    assert.ok(gaps.every((gap) => gap > 0), "frames come in their order");
    assert.ok(most <= 2, `${most} frames were under way`);
    await shoot(page, "many");
    await page.context().close();
  },

  /** Texts have a contrast of 4.5 to 1, signs and borders of 3 to 1, in light and dark, with every panel open; all has a name. */
  async "everything can be read"() {
    const { url } = await view("intro-cube");
    const page = await open(url);
    await page.click("#do-event");
    await until(page, (s) => !s.busy && s.events > 0);
    await page.keyboard.press("PageDown");
    for (const key of ["c", "a", "k", "v", "x", "j", "w", "n"]) await page.keyboard.press(key);
    await page.keyboard.press("ArrowRight");
    let texts = 0;
    for (const theme of ["light", "dark"]) {
      if ((await page.evaluate(() => document.documentElement.dataset.theme)) !== theme) await page.keyboard.press("t");
      await page.waitForTimeout(200);
      assert.deepEqual(await page.evaluate(faintSigns), [], theme);
      for (const tab of ["body", "plots", "events", "show", "change", "text", "help", "banner"]) {
        if (tab === "help") await page.keyboard.press("?");
        else if (tab === "banner") await page.evaluate(() => window.dolmen.source.onStop("a reason"));
        else await page.click(`#tab-${tab}`);
        const { found, checked } = await page.evaluate(faintTexts);
        assert.deepEqual(found, [], `${theme}, ${tab}`);
        texts += checked;
        const { nameless, actors } = await spoken(page);
        assert.deepEqual(nameless, [], `${theme}, ${tab}`);
        assert.ok(actors >= (tab === "help" ? 1 : 12), `${actors} things to act on`);
        await shoot(page, `${theme}-${tab}`);
        if (tab === "help") await page.keyboard.press("Escape");
      }
    }
    assert.ok(texts > 400, `${texts} texts were checked`);
    const { roles } = await spoken(page);
    for (const role of ["banner", "main", "complementary", "contentinfo", "tablist", "tabpanel", "heading", "slider", "alert", "status"]) {
      assert.ok(roles.has(role), `no ${role} among ${[...roles].join(", ")}`);
    }
    await page.context().close();
  },

  /** What cannot start is shown as it stands, with the reason. */
  async "a scene that cannot start is shown"() {
    const scene = join(folder, "stuck.toml");
    const box = '{ kind = "box", size = [1, 1, 1] }';
    writeFileSync(scene, `format = 1\nrun = { duration = 1 }\nbody = [\n{ name = "a", shape = ${box}, mass = 1 },\n{ name = "b", shape = ${box}, mass = 1, position = [0.5, 0, 0] },\n]\n`);
    const { url } = await view(scene);
    const page = await open(url);
    await page.waitForFunction(() => document.getElementById("banner")?.textContent?.includes("overlap"));
    const seen = await until(page, (s) => s.names.length === 2);
    near(seen.x[3], 0.5, 1e-12, "b");
    await shoot(page, "stuck");
    await page.context().close();
  },

  /** A lost connection is said, and comes back by itself. */
  async "a lost connection is said and comes back"() {
    const { url, child } = await view("newtons-cradle", "--port", "0");
    const page = await open(url);
    const before = mistakes.length;
    await page.keyboard.press("w");
    await until(page, (s) => s.witnesses > 0);
    await page.evaluate(() => window.dolmen.source.socket.close());
    await page.waitForFunction(() => document.getElementById("banner")?.textContent?.includes("lost"));
    await page.waitForFunction(() => document.getElementById("banner")?.hidden);
    await page.click("#do-step");
    await until(page, (s) => s.t > 0);
    // What was shown is shown again.
    await until(page, (s) => s.witnesses > 0);
    child.removeAllListeners("exit");
    child.kill();
    await page.waitForFunction(() => document.getElementById("banner")?.textContent?.includes("lost"));
    await page.context().close();
    // That the server is away is no mistake of the page.
    mistakes.splice(before);
  },

  /** On a window like a phone's everything fits and works. */
  async "it fits on a phone"() {
    const { url } = await view("intro-cube");
    const page = await open(url, { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true });
    await page.click("#do-step");
    await until(page, (s) => s.t > 0);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `the page is ${wide} px wide`);
    for (const id of ["do-play", "do-event", "speed", "time", "scenes"]) {
      const box = await page.locator(`#${id}`).boundingBox();
      assert.ok(box && box.x >= 0 && box.x + box.width <= 391 && box.y + box.height <= 781, `${id} is at ${JSON.stringify(box)}`);
    }
    await shoot(page, "phone");
    await page.click("#do-panel");
    await page.waitForSelector("#panel", { state: "visible" });
    await shoot(page, "phone-panel");
    await page.context().close();
  },

  /** On a desk and on a phone everything is reached by its name, without scrolling, and by Tab and arrows alone. */
  async "everything is reached by name and by keys"() {
    const { url } = await view("bouncing-ball", "--driver", "fixed");
    for (const viewport of [{ width: 1440, height: 900 }, { width: 390, height: 844 }]) {
      const page = await open(url, { viewport });
      const within = async (found, what) => {
        const box = await found.boundingBox();
        assert.ok(box && box.x >= 0 && box.y >= 0 && box.x + box.width <= viewport.width + 1 && box.y + box.height <= viewport.height + 1,
          `${what} at ${viewport.width} × ${viewport.height} is at ${JSON.stringify(box)}`);
        assert.ok(box.width >= 24 && box.height >= 16, `${what} is ${box.width} × ${box.height} px`);
      };
      const names = [
        ["button", "Run"], ["button", "Restart"], ["button", "One frame further"], ["button", "Next event"], ["slider", "Time, seconds"],
        ["combobox", "Scene"], ["combobox", "Speed"], ["combobox", "Driver"], ["combobox", "Step"], ["button", "Compare"], ["button", "Save this run as one file"], ["button", "Side panel"], ["button", "Help"],
      ];
      for (const [role, name] of names) await within(page.getByRole(role, { name, exact: true }), name);
      if (!(await page.locator("#panel").isVisible())) await page.getByRole("button", { name: "Side panel" }).click();
      const tabs = { Plots: ["img", /./], Events: ["list", "Events"], Show: ["checkbox", /contact forces/], Change: ["spinbutton", /gravity z/], Text: ["textbox", "Text of the scene"] };
      for (const [tab, [role, name]] of Object.entries(tabs)) {
        const found = page.getByRole("tab", { name: tab, exact: true });
        await within(found, tab);
        await found.click();
        const inside = page.getByRole(role, { name }).first();
        // The text of a box to tick is pressed with it.
        if (role === "checkbox") await within(inside.locator("xpath=ancestor::label"), `${tab}: ${name}`);
        else if (role !== "img" && role !== "list") await within(inside, `${tab}: ${name}`);
      }
      await within(page.getByRole("button", { name: "Run this text" }), "Run this text");
      await shoot(page, `reached-${viewport.width}`);
      // The same by keys: what has the focus, tab after tab.
      await page.evaluate(() => { document.activeElement.blur(); });
      const reached = new Set();
      for (let i = 0; i < 60; i += 1) {
        await page.keyboard.press("Tab");
        reached.add(await page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent.slice(0, 30)));
      }
      for (const name of [...names.map(([, name]) => name), "Text of the scene", "Run this text", "Text"]) {
        assert.ok(reached.has(name), `Tab never came to ${name}, but to ${[...reached].join(", ")}`);
      }
      await page.getByRole("tab", { name: "Text", exact: true }).focus();
      for (const tab of ["Body", "Plots", "Events", "Show", "Change"]) {
        await page.keyboard.press("ArrowRight");
        await page.waitForFunction((tab) => document.activeElement.textContent === tab && document.activeElement.getAttribute("aria-selected") === "true", tab);
      }
      await page.context().close();
    }
  },

  /** The text of a scene is shown, changed and run at once; mistakes are told in their place; a draft stays in the browser. */
  async "the text of a scene can be changed"() {
    const { url } = await view("bouncing-ball");
    const page = await open(url);
    await page.click("#tab-text");
    await page.waitForFunction(() => document.getElementById("scene-text").value.includes("format = 1"));
    const text = await page.inputValue("#scene-text");
    await page.fill("#scene-text", text.replace("format = 1", "format = 1\nformt = 2"));
    await page.keyboard.press("Control+Enter");
    await page.waitForFunction(() => /line 2, column 1: .*formt/.test(document.getElementById("mistakes").textContent));
    assert.equal((await look(page)).scene, "bouncing-ball", "what was shown stays");
    const place = await page.evaluate(() => [document.activeElement.id, document.activeElement.selectionStart]);
    assert.deepEqual(place, ["scene-text", "format = 1\n".length]);
    await shoot(page, "mistake");
    await page.fill("#scene-text", text.replace(/gravity = .*/, "gravity = [0, 0, -1.62]"));
    await page.click("#run-text");
    await until(page, (s) => s.scene === "typed in the page" && s.running && s.t > 0);
    assert.equal(await page.evaluate(() => window.dolmen.world.gravity[2]), -1.62);
    assert.equal(await page.locator("#mistakes li").count(), 0);
    // The draft of the scene that it was is still there, after loading the page anew too; and it can be taken back.
    await page.selectOption("#scenes", "bouncing-ball");
    await until(page, (s) => s.scene === "bouncing-ball");
    await page.reload();
    await page.waitForFunction(() => window.dolmen?.look());
    await page.click("#tab-text");
    await page.waitForFunction(() => document.getElementById("scene-text").value.includes("-1.62"));
    await page.click("#undo-text");
    assert.equal(await page.inputValue("#scene-text"), text);
    const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#save-text")]);
    assert.equal(readFileSync(await saved.path(), "utf8"), text);
    await page.context().close();
  },

  /** A live run is kept as one file, which opens from disk with the same motion. */
  async "a run is saved as one file"() {
    const { url } = await view("bouncing-ball");
    const page = await open(url);
    await page.click("#do-event");
    const seen = await until(page, (s) => !s.busy && s.events > 0);
    const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#do-share")]);
    assert.equal(saved.suggestedFilename(), "bouncing-ball.html");
    const file = join(folder, "shared.html");
    await saved.saveAs(file);
    const replay = await open(pathToFileURL(file).href);
    await replay.keyboard.press("End");
    const end = await until(replay, (s) => Math.abs(s.t - seen.t) < 1e-9);
    // Keys are kept to 2e-4 of the size of the scene.
    seen.x.forEach((x, i) => near(end.x[i], x, 2e-3, `coordinate ${i}`));
    await replay.context().close();
    await page.context().close();
  },

  /** The exported file opens from disk, with the same motion, events and plots. */
  async "an exported file opens from disk"() {
    dolmen("run", "bouncing-ball", "--out", "run2", "--samples", "21", "--quiet");
    dolmen("export", "run2", "--to", "html", "--out", "replay.html");
    const page = await open(pathToFileURL(join(folder, "replay.html")).href);
    const rows = readFileSync(join(folder, "run2", "states.csv"), "utf8").trim().split("\n").map((line) => line.split(","));
    const column = (name) => rows[0].indexOf(name);
    const { names } = await look(page);
    for (const row of rows.slice(1)) {
      const t = Number(row[0]);
      await page.evaluate((t) => window.dolmen.source.send({ do: "seek", t }), t);
      await until(page, (s) => Math.abs(s.t - (t)) < 1e-9);
      const { x } = await look(page);
      const at = 3 * names.indexOf(row[column("body")]);
      // Keys are kept to 2e-4 of the size of the scene.
      for (const [k, name] of ["x", "y", "z"].entries()) near(x[at + k], Number(row[column(name)]), 2e-3, `${name} at ${t} s`);
    }
    await page.keyboard.press("Home");
    await until(page, (s) => s.t === 0);
    await page.keyboard.press("e");
    await until(page, (s) => s.t > 0 && s.events > 0);
    // At the instant of contact the ball and the floor are separated by one plane; what carries force is drawn, too.
    await page.keyboard.press("w");
    await until(page, (s) => s.witnesses === 1);
    await page.keyboard.press("w");
    await until(page, (s) => s.witnesses === 0);
    await page.click("#tab-plots");
    await page.waitForFunction(() => document.querySelector(".legend")?.textContent?.includes("kinetic"));
    await shoot(page, "replay");
    await page.context().close();
  },

  /** glTF passes Khronos' validator without an error or a warning. */
  async "exported glTF is valid"() {
    // The last two have particles, and bodies without a shape.
    for (const scene of ["bouncing-ball", "newtons-cradle", "tumbling-block", "lennard-jones", "double-pendulum"]) {
      dolmen("export", scene, "--to", "glb", "--for", "1", "--out", "scene.glb");
      const report = await validator.validateBytes(new Uint8Array(readFileSync(join(folder, "scene.glb"))));
      const bad = report.issues.messages.filter((message) => message.severity < 2);
      assert.deepEqual(bad, [], scene);
      assert.equal(report.info.animationCount, 1, scene);
    }
  },

  /** Pictures are PNG files of the size asked for, without a display. */
  async "pictures need no display"() {
    dolmen("export", "bouncing-ball", "--to", "png", "--frames", "3", "--width", "200", "--height", "150", "--out", "strip.png");
    const bytes = readFileSync(join(folder, "strip.png"));
    assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [600, 150]);
    assert.ok(statSync(join(folder, "strip.png")).size > 1000, "there is nothing on it");
  },
};

let failed = 0;
const wanted = process.argv[2];
for (const [name, test] of Object.entries({ ...tests, ...seeing, ...drivers })) {
  if (wanted && !name.includes(wanted)) continue;
  const started = Date.now();
  const attempt = async () => {
    try {
      await test();
      assert.deepEqual(mistakes, [], "the console is not empty");
    } catch (error) {
      return error;
    } finally {
      // What a failed test has left open would complain in the next one.
      for (const context of browser.contexts()) await context.close().catch(() => {});
      mistakes.length = 0;
      stop();
    }
  };
  let error = await attempt();
  // A test whose browser went away says nothing of the page; the second time it counts.
  if (error && (await revive())) {
    console.log(`the browser is gone; once more: ${name}`);
    error = await attempt();
  }
  if (error) {
    failed += 1;
    await revive();
    console.log(`FAILED  ${name}\n${error.stack}`);
  } else {
    console.log(`ok      ${name} (${Date.now() - started} ms)`);
  }
}
await browser.close();
rmSync(folder, { recursive: true, force: true });
process.exit(failed > 0 ? 1 : 0);
