// What two thousand bodies cost: DOLMEN=program node tests/cost.mjs [moving|gas|resting|FILE] [seconds]; of FILE, a scene of one's own. Processor time by process, on
// Linux. Moving: boxes and balls that pass through each other, so that nothing but seeing them costs; gas: elastic balls in a box.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { BROWSER, FLAGS } from "./flags.mjs";

const [kind = "moving", seconds = "5", edges = "edges"] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "dolmen-cost-"));
const bodies = [];
for (let i = 0; i < 2000; i += 1) {
  if (kind === "moving") {
    const at = [i % 13, Math.floor(i / 13) % 13, Math.floor(i / 169)];
    const shape = i % 2 ? '{ kind = "box", size = [0.4, 0.3, 0.2] }' : '{ kind = "sphere", radius = 0.2 }';
    bodies.push(`{ name = "b${i}", shape = ${shape}, mass = 1, position = [${at}], velocity = [${i % 7 - 3}, ${i % 5 - 2}, ${i % 3 - 1}], spin = [1, 0, ${i % 4}] },`);
  } else if (kind === "gas") {
    const at = [i % 13, Math.floor(i / 13) % 13, Math.floor(i / 169)];
    bodies.push(`{ name = "b${i}", shape = { kind = "sphere", radius = 0.2 }, mass = 1, position = [${at}], velocity = [${Math.sin(7.1 * i)}, ${Math.sin(3.3 * i + 1)}, ${Math.sin(5.7 * i + 2)}] },`);
  } else {
    const at = [i % 40, Math.floor(i / 40) % 25, 0.1 + 0.2 * Math.floor(i / 1000)];
    bodies.push(`{ name = "b${i}", shape = { kind = "box", size = [0.4, 0.4, 0.2] }, mass = 1, position = [${at}] },`);
  }
}
const wall = (name, normal, offset) => `{ name = "${name}", kind = "fixed", shape = { kind = "plane", normal = [${normal}], offset = ${offset} } },`;
const isOwn = kind.endsWith(".toml");
const [floor, world] = isOwn ? ["", ""] : {
  moving: ["", "contact = { enabled = false }\n"],
  gas: [[0, 1, 2].flatMap((k) => [1, -1].map((sign) => wall(`wall ${k} ${sign}`, [0, 1, 2].map((i) => (i === k ? sign : 0)), sign > 0 ? -0.5 : -12.5))).join("\n"), "contact = { restitution = 1 }\n"],
  resting: [wall("floor", [0, 0, 1], 0), "gravity = [0, 0, -9.81]\n"],
}[kind];
writeFileSync(join(folder, "many.toml"), `format = 1\n${world}run = { duration = 60 }\nbody = [\n${bodies.join("\n")}\n${floor}\n]\n`);

/** Seconds of processor time of a process so far, and of its threads by name. */
function spent(pid) {
  const of = (path) => {
    const text = readFileSync(path, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { name: text.slice(text.indexOf("(") + 1, text.lastIndexOf(")")), time: (Number(fields[11]) + Number(fields[12])) / 100 };
  };
  const threads = {};
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    const { name, time } = of(`/proc/${pid}/task/${id}/stat`);
    threads[name] = (threads[name] ?? 0) + time;
  }
  return { total: of(`/proc/${pid}/stat`).time, threads };
}

const server = spawn(process.env.DOLMEN, ["view", isOwn ? kind : join(folder, "many.toml"), "--no-open"], { stdio: ["ignore", "pipe", "inherit"] });
const url = await new Promise((found) => server.stdout.once("data", (data) => found(String(data).trim())));
const browser = await chromium.launch({ executablePath: BROWSER, args: FLAGS });
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
let [frames, bytes] = [0, 0];
page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => { if (typeof payload !== "string") { frames += 1; bytes += payload.length; } }));
await page.goto(url);
await page.waitForFunction(() => window.dolmen?.look());
if (edges === "bare") await page.keyboard.press("g");
await page.click("#do-panel");
await page.waitForTimeout(3000);

const client = await browser.newBrowserCDPSession();
const processes = async () => (await client.send("SystemInfo.getProcessInfo")).processInfo;
const take = async () => {
  const look = await page.evaluate(() => ({ ...window.dolmen.look().cost, t: window.dolmen.look().t, shown: window.dolmen.look().number }));
  const list = (await processes()).map(({ id, type }) => ({ id, type, ...spent(id) }));
  return { look, list, server: spent(server.pid), frames, bytes };
};
const a = await take();
await page.waitForTimeout(1000 * Number(seconds));
const b = await take();
const pictures = b.look.pictures - a.look.pictures;
const per = (s) => `${((1000 * s) / Math.max(pictures, 1)).toFixed(1)} ms a picture`;
console.log(`${kind}: ${pictures} pictures in ${seconds} s, ${b.frames - a.frames} frames of ${Math.round((b.bytes - a.bytes) / Math.max(b.frames - a.frames, 1))} bytes; ${b.look.shown - a.look.shown} were shown by the server; ${(b.look.t - a.look.t).toFixed(2)} s simulated`);
console.log(`script: ${((b.look.total - a.look.total) / Math.max(pictures, 1)).toFixed(2)} ms a picture by the page's own clock`);
for (const { id, type, total, threads } of b.list) {
  const before = a.list.find((one) => one.id === id);
  if (!before) continue;
  const most = Object.entries(threads).map(([name, time]) => [name, time - (before.threads[name] ?? 0)]).sort((p, q) => q[1] - p[1]).slice(0, 4);
  if (total - before.total > 0.03) console.log(`${type}: ${(total - before.total).toFixed(2)} s, ${per(total - before.total)} (${most.map(([name, time]) => `${name} ${per(time)}`).join(", ")})`);
}
console.log(`server: ${(b.server.total - a.server.total).toFixed(2)} s, ${((b.server.total - a.server.total) / Number(seconds)).toFixed(3)} of a core, ${((b.server.total - a.server.total) / Math.max(b.look.t - a.look.t, 1e-9)).toFixed(2)} s for each simulated second`);
if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT });
await browser.close();
server.kill();
rmSync(folder, { recursive: true, force: true });
