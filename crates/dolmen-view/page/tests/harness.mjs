// What the tests in a browser share: the program, pages of its viewer, and how to read them.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { BROWSER, FLAGS } from "./flags.mjs";

const program = process.env.DOLMEN;
assert.ok(program, "DOLMEN must name the program");
export const folder = mkdtempSync(join(tmpdir(), "dolmen-browser-"));
const children = [];

/** Runs the program to its end. */
export function dolmen(...args) {
  const done = spawnSync(program, args, { cwd: folder, encoding: "utf8" });
  assert.equal(done.status, 0, `dolmen ${args.join(" ")}: ${done.stderr}`);
  return done.stdout;
}

/** Starts a viewer; its address. */
export function view(scene, ...args) {
  const child = spawn(program, ["view", scene, "--no-open", ...args], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  return new Promise((found, failed) => {
    let text = "";
    child.stdout.on("data", (data) => {
      text += data;
      if (text.includes("\n")) found({ url: text.trim(), child });
    });
    child.on("exit", (code) => failed(new Error(`dolmen view ended with ${code}`)));
  });
}

/** Ends all viewers: one that goes on would take the processor from the others. */
export function stop() {
  for (const child of children.splice(0)) {
    child.removeAllListeners("exit");
    child.kill();
  }
}

const launch = () => chromium.launch({ executablePath: BROWSER, args: FLAGS });

export let browser = await launch();

/** Starts the browser anew if it has gone: drawing in software, Chromium itself now and then falls over. Whether it had. */
export async function revive() {
  if (browser.isConnected()) return false;
  browser = await launch();
  return true;
}
/** What pages wrote to their consoles. */
export const mistakes = [];

/** Opens a page and waits until there is something to see. */
export async function open(url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1000, height: 640 }, reducedMotion: "reduce", ...options });
  // A page that was built since the program was: for work on the page.
  if (process.env.PAGE) await context.route(/viewer\.(js|css)$/, (route) => route.fulfill({ path: join(process.env.PAGE, route.request().url().split("/").at(-1)) }));
  const page = await context.newPage();
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) mistakes.push(message.text()); });
  page.on("pageerror", (error) => mistakes.push(error.message));
  await page.goto(url);
  await page.waitForFunction(() => window.dolmen?.look());
  return page;
}

/** What is seen now. */
export const look = (page) => page.evaluate(() => window.dolmen.look());
/** Waits until what is seen fulfils a condition; asked from here, since the page evaluates no texts. */
export async function until(page, condition) {
  const end = Date.now() + 30_000;
  for (;;) {
    const seen = await look(page);
    if (seen && condition(seen)) return seen;
    if (Date.now() > end) throw new Error(`never ${condition}; last seen ${JSON.stringify(seen)?.slice(0, 400)}`);
    await page.waitForTimeout(15);
  }
}
/** A picture, for whoever wants to look. */
export const shoot = async (page, name) => { if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `${name}.png`) }); };
export const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} and not ${b}`);
