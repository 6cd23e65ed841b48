// A law that is broken is told on the page: node tests/violated.mjs URL. A box falls onto a floor, and no error of forces is allowed.

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
const banner = page.locator("#banner");
assert.equal(await banner.isVisible(), false, "nothing is broken at the start");
await page.click("#do-play");
await page.waitForFunction(() => document.querySelector("#banner")?.textContent?.includes("A law is violated: at t = "), null, { timeout: 60_000 });
assert.ok(await banner.isVisible(), "the banner is seen");
const text = await banner.textContent();
for (const part of ["the recorded forces do not give the motion", "box", "`forces` under [laws]"]) assert.ok(text.includes(part), `${part}: ${text}`);
// It stays: a law that was broken is not mended by what follows.
const { t } = await page.evaluate(() => window.dolmen.look());
await page.waitForFunction((t) => window.dolmen.look().t > t, t);
assert.ok((await banner.textContent()).includes("A law is violated"), "it is still told");
if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/violated.png` });
assert.deepEqual(mistakes, [], "the console is not empty");
await browser.close();
