import { defineConfig } from "vite";

// One script and one style sheet with fixed names: the server embeds them, and an exported replay carries them inline.
export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    chunkSizeWarningLimit: 1500,
    modulePreload: false,
    assetsInlineLimit: 1_000_000,
    rollupOptions: {
      output: { entryFileNames: "viewer.js", assetFileNames: "viewer[extname]" },
    },
  },
});
