// Tests the logic of the pages with vitest, and checks their sources with ESLint
// and Prettier. Each of the three runs whatever the others find.
//
//   node test.mjs          fails and names the files that do not pass
//   node test.mjs --fix    mends what ESLint and Prettier can mend, and runs no tests
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { run, workspace } from "./install.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const fix = process.argv.includes("--fix");
const checked = ["build.mjs", "install.mjs", "test.mjs", "svelte.config.js", "vite.config.ts", "vitest.config.ts", "eslint.config.js", "prettier.config.js", "src"];
const sources = [...checked, ".prettierignore", "package.json", "tsconfig.json"];

const tools = [
  { name: "vitest", script: "vitest/vitest.mjs", args: ["run", "--reporter=dot"], remedy: "the output above names the test and its file; make pages-test runs it again" },
  { name: "ESLint", script: "eslint/bin/eslint.js", args: ["--max-warnings=0"], fix: "--fix", files: true, remedy: "make fmt mends what can be mended without thought" },
  { name: "Prettier", script: "prettier/bin/prettier.cjs", args: ["--log-level=warn"], check: "--check", fix: "--write", files: true, remedy: "make fmt mends it" },
];

/** Returns the names of the tools that found something. */
function check(dir) {
  return tools.filter((tool) => {
    if (fix && !tool.fix) return false;
    const mode = fix ? tool.fix : tool.check;
    const began = performance.now();
    const code = run(dir, tool.script, [...tool.args, ...(mode ? [mode] : []), ...(tool.files ? checked : [])]);
    console.log(`==> ${tool.name} of the pages: ${code === 0 ? "passed" : "failed"} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
    return code !== 0;
  });
}

/** The names of the files that are checked. */
function files(dir) {
  const below = (name) => fs.readdirSync(path.join(dir, name), { recursive: true }).map((n) => path.join(name, String(n)));
  return checked.flatMap((name) => (fs.statSync(path.join(dir, name)).isDirectory() ? below(name) : [name]));
}

/** Takes over the files that were mended. */
function takeOver(dir) {
  for (const entry of files(dir)) {
    const [mended, own] = [path.join(dir, entry), path.join(here, entry)];
    if (!fs.statSync(mended).isFile() || fs.readFileSync(mended).equals(fs.readFileSync(own))) continue;
    fs.copyFileSync(mended, own);
    console.log(`mended apiserver/web/${entry}`);
  }
}

const failed = workspace(here, sources, (dir) => {
  const found = check(dir);
  if (fix) takeOver(dir);
  return found;
});
for (const tool of failed) console.error(`${tool.name} found something in apiserver/web: ${tool.remedy}`);
if (failed.length > 0) process.exitCode = 1;
