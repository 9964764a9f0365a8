import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

/**
 * What several pages are made of is one file: each request costs a phone more than a
 * few more kilobytes. The pages behind links get nothing of the dashboard's.
 */
const files: [name: string, modules: RegExp][] = [
  ["parts", /\/node_modules\/(svelte|esm-env|clsx)\/|vite\/preload-helper|\/src\/ui\/(exact\.ts|format\.ts|theme\.css)|\/src\/review\/search\.ts/],
  [
    "dashboard-parts",
    /\/src\/(ui|api)\/|\/node_modules\/openapi-fetch\/|\/chart\/FetchedCharts|\/pages\/(interviews|traders)\/(words|Link|query|queue)|\/pages\/trader\/(time|excluded)/,
  ],
  ["lists", /\/src\/dashboard\/list\//],
  // The page of a shared report uses these too.
  ["review", /\/src\/review\/(?!paper|summary)/],
  ["interview-review", /\/src\/review\/|\/pages\/(Interview|InterviewPrint)\.svelte|\/pages\/interviews\/(?!new\/|[Ff]igures|Filters)/],
];

const together = (id: string): string | undefined => files.find(([, modules]) => modules.test(id))?.[0];

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
      output: { manualChunks: together, onlyExplicitManualChunks: true },
      input: { dashboard: "pages/dashboard.html", interview: "pages/interview.html", share: "pages/share.html" },
    },
  },
});
