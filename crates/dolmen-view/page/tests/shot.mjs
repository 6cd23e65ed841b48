// Pictures of the page, for work on it: node tests/shot.mjs URL FILE [WIDTH HEIGHT [STEPS…]].
import { chromium } from "playwright-core";
import { BROWSER, FLAGS } from "./flags.mjs";


const [url, file, width = "1280", height = "800", ...steps] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: BROWSER, args: FLAGS });
const page = await browser.newPage({ viewport: { width: Number(width), height: Number(height) } });
page.on("console", (message) => console.log(message.type(), message.text()));
page.on("pageerror", (error) => console.log("error", error.message));
await page.goto(url);
await page.waitForTimeout(1500);
for (const step of steps) {
  if (step.startsWith("wait=")) await page.waitForTimeout(Number(step.slice(5)));
  else if (step.startsWith("key=")) await page.keyboard.press(step.slice(4));
  else if (step.startsWith("click=")) await page.click(step.slice(6));
  else if (step.startsWith("eval=")) console.log(JSON.stringify(await page.evaluate(step.slice(5))));
}
await page.screenshot({ path: file });
await browser.close();
