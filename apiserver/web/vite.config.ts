import fs from "node:fs";

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

/**
 * What several pages are made of is one file: each request costs a phone more than a
 * few more kilobytes. The pages behind links get nothing of the dashboard's.
 */
const files: [name: string, modules: RegExp][] = [
  ["parts", /\/node_modules\/(svelte|esm-env|clsx)\/|vite\/preload-helper|\/src\/ui\/(exact\.ts|format\.ts|theme\.css)|\/src\/review\/search\.ts/],
  [
    "dashboard-parts",
    /\/src\/(ui|api)\/|\/node_modules\/openapi-fetch\/|\/chart\/FetchedCharts|\/pages\/(interviews|traders)\/(words|Link|query|queue)|\/dashboard\/list\/(exports|Missing)|\/pages\/trader\/(time|excluded)/,
  ],
  ["lists", /\/src\/dashboard\/list\//],
  // The page of a shared report uses these too.
  ["review", /\/src\/review\/(?!paper|summary)/],
  ["interview-review", /\/src\/review\/|\/pages\/(Interview|InterviewPrint)\.svelte|\/pages\/interviews\/(?!new\/|[Ff]igures|Filters)/],
];

const together = (id: string): string | undefined => files.find(([, modules]) => modules.test(id))?.[0];

const routes = "src/dashboard/routes.ts";

/** Addresses of the dashboard with the module of their page, as the table of routes has them. */
function pagesByAddress(): [address: string, module: string][] {
  const table = fs.readFileSync(routes, "utf8");
  return [...table.matchAll(/path: "([^"]+)"[\s\S]*?import\("\.(\/pages\/[^"]+)"\)/g)].map(([, address = "", module = ""]) => [address, `/src/dashboard${module}`]);
}

/**
 * Writes preloads.json: by address, the files of its page that the dashboard's HTML does not name. The server names them in
 * the answer's head, so that browsers fetch them at once and not when the dashboard's script has run.
 */
const preloads: Plugin = {
  name: "preloads",
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
    const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
    const filesOf = (name: string, seen = new Set<string>()): Set<string> => {
      const chunk = byName.get(name);
      if (!chunk || seen.has(name)) return seen;
      seen.add(name);
      for (const imported of chunk.imports) filesOf(imported, seen);
      for (const style of chunk.viteMetadata?.importedCss ?? []) seen.add(style);
      return seen;
    };
    const entry = chunks.find((chunk) => chunk.isEntry && chunk.name === "dashboard");
    const known = filesOf(entry?.fileName ?? "");
    const list = pagesByAddress().map(([address, module]) => {
      const page = chunks.find((chunk) => chunk.moduleIds.some((id) => id.endsWith(module)));
      if (!page) throw new Error(`no file has the page ${module}`);
      return [address, [...filesOf(page.fileName)].filter((name) => !known.has(name)).sort()];
    });
    this.emitFile({ type: "asset", fileName: "preloads.json", source: `${JSON.stringify(Object.fromEntries(list), null, 2)}\n` });
  },
};

// One HTML file for each kind of page; everything else lies under /assets/
// under a name that holds its hash, and is cached for ever.
export default defineConfig({
  root: "pages",
  base: "/",
  publicDir: false,
  plugins: [svelte({ configFile: "../svelte.config.js" }), preloads],
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
