import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// One HTML file for each kind of page; everything else lies under /assets/
// under a name that holds its hash, and is cached for ever.
export default defineConfig({
  root: "pages",
  base: "/",
  publicDir: false,
  plugins: [svelte({ configFile: "../svelte.config.js" })],
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0, // the Content-Security-Policy knows no data: addresses
    modulePreload: { polyfill: false },
    cssCodeSplit: true,
    reportCompressedSize: false,
    rollupOptions: {
      input: { dashboard: "pages/dashboard.html", interview: "pages/interview.html", share: "pages/share.html" },
    },
  },
});
