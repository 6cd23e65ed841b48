// A world of a program that draws into it: node tests/drawn.mjs URL. A ball falls from 1.35 m under g = 10.

import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { BROWSER, FLAGS } from "./flags.mjs";

const browser = await chromium.launch({ executablePath: BROWSER, args: FLAGS });
const page = await (await browser.newContext({ reducedMotion: "reduce" })).newPage();
const mistakes = [];
page.on("console", (message) => { if (["error", "warning"].includes(message.type())) mistakes.push(message.text()); });
page.on("pageerror", (error) => mistakes.push(error.message));
await page.goto(process.argv[2]);
await page.waitForFunction(() => window.dolmen?.look());
assert.equal(await page.locator("#title").textContent(), "my world");
for (let steps = 0; steps < 3; steps += 1) {
  const { t } = await page.evaluate(() => window.dolmen.look());
  await page.click("#do-step");
  await page.waitForFunction((t) => window.dolmen.look().t > t, t);
}
const seen = await page.evaluate(() => window.dolmen.look());
const height = `${(1.35 - 5 * seen.t * seen.t).toFixed(6)} m`;
await page.waitForFunction((height) => [...document.querySelectorAll(".labels span")].some((label) => label.textContent === height), height);
assert.deepEqual(seen.drawings, { points: 1, lines: 1, labels: 1 });
if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/drawn.png` });
assert.deepEqual(mistakes, [], "the console is not empty");
await browser.close();
