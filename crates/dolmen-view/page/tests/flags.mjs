/** The browser: Debian's, or the one that BROWSER names. */
export const BROWSER = process.env.BROWSER ?? "/usr/bin/chromium";

// How Debian's Chromium is started: without a sandbox of its own, a graphics card, or anything that would call home.

export const FLAGS = [
  "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
  "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
];
