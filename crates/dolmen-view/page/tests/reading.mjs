// Whether a page can be read: contrast by WCAG 2.2 from what the browser has computed, and names from its tree for screen readers.

/**
 * Every text that is seen and has too little contrast: 4.5 to 1, or 3 to 1 if it is large. Grounds that one sees through are laid
 * over what is behind them; over the picture that is black as well as white. Evaluated in the page.
 */
export function faintTexts() {
  const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  const rgba = (css) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = css;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, bottom) => [0, 1, 2].map((k) => top[3] * top[k] + (1 - top[3]) * bottom[k]);
  const light = (c) => {
    const [r, g, b] = c.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (p, q) => {
    const [a, b] = [light(p), light(q)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  const groundOf = (element, base) => {
    const chain = [];
    for (let e = element; e; e = e.parentElement) {
      chain.push(rgba(getComputedStyle(e).backgroundColor));
      if (chain.at(-1)[3] === 1) break;
      if (e.id === "view") break;
    }
    return chain.reverse().reduce((ground, colour) => over(colour, ground), base);
  };
  const found = [];
  let checked = 0;
  const check = (element, css, what) => {
    const style = getComputedStyle(element);
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    for (const base of [[0, 0, 0], [255, 255, 255]]) {
      const ground = groundOf(element, base);
      const is = ratio(over(rgba(css), ground), ground);
      checked += 1;
      if (is < least) found.push(`${what} is ${css} on ${ground.map(Math.round)}: ${is.toFixed(2)} to 1`);
    }
  };
  for (const element of document.querySelectorAll("body *")) {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || element.closest(".visually-hidden")) continue;
    const text = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.textContent.trim()).join("");
    if (text) check(element, getComputedStyle(element).color, `"${text.slice(0, 40)}"`);
    if (element instanceof HTMLInputElement && element.placeholder && !element.value) check(element, getComputedStyle(element, "::placeholder").color, `the hint "${element.placeholder}"`);
  }
  return { found, checked };
}

/** Signs, borders of controls and lines in the picture that do not stand out 3 to 1 from their ground. Evaluated in the page. */
export function faintSigns() {
  const style = getComputedStyle(document.documentElement);
  const isDark = document.documentElement.dataset.theme === "dark";
  const number = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  const light = (hex) => {
    const [r, g, b] = number(hex).map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (p, q) => {
    const [a, b] = [light(p), light(q)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  const of = (name) => style.getPropertyValue(`--${name}`).trim();
  const [background, floor] = isDark ? ["#1b1f25", "#2a2f37"] : ["#eceae6", "#dddad3"];
  const found = [];
  for (const name of ["red", "green", "blue", "pink", "sky", "yellow", "violet"]) {
    for (const ground of [background, floor]) if (ratio(of(name), ground) < 3) found.push(`${name} ${of(name)} on ${ground}: ${ratio(of(name), ground).toFixed(2)}`);
  }
  for (const ground of ["paper", "raised"]) for (const name of ["edge", "accent"]) if (ratio(of(name), of(ground)) < 3) found.push(`${name} on ${ground}: ${ratio(of(name), of(ground)).toFixed(2)}`);
  return found;
}

/** What a screen reader is told: every node of the browser's tree that can be acted on, and whether it has a name. */
export async function spoken(page) {
  const client = await page.context().newCDPSession(page);
  const { nodes } = await client.send("Accessibility.getFullAXTree");
  await client.detach();
  const acts = new Set(["button", "combobox", "checkbox", "slider", "tab", "spinbutton", "textbox", "application", "link", "MenuListPopup", "menuitem"]);
  const told = nodes.filter((node) => !node.ignored);
  return {
    roles: new Set(told.map((node) => node.role?.value)),
    nameless: told.filter((node) => acts.has(node.role?.value) && node.role?.value !== "MenuListPopup" && !node.name?.value?.trim()).map((node) => JSON.stringify(node.role)),
    actors: told.filter((node) => acts.has(node.role?.value)).length,
  };
}
