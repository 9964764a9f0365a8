// Type-checks the pages and builds them into dist, which the binary embeds: a
// build of the server needs no Node. The same sources give the same bytes.
//
//   node build.mjs            writes dist
//   node build.mjs --check    fails and names the files of dist that differ
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { run, workspace } from "./install.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const dist = path.join(here, "dist");
const sources = ["package.json", "tsconfig.json", "svelte.config.js", "vite.config.ts", "src", "pages"];

/** Content by path below dir, in the order of the paths. */
function tree(dir) {
  if (!fs.existsSync(dir)) return new Map();
  const names = fs.readdirSync(dir, { recursive: true }).map(String).sort();
  return new Map(names.filter((n) => fs.statSync(path.join(dir, n)).isFile()).map((n) => [n, fs.readFileSync(path.join(dir, n))]));
}

/** The types of the API's document. The file is none of git's: it is made again with every build, here for the editor's sake. */
const types = path.join("src", "api", "schema.d.ts");

function build(dir) {
  const steps = [
    ["openapi-typescript/bin/cli.js", [path.join(here, "..", "openapi", "openapi.json"), "--output", types, "--alphabetize"]],
    ["svelte-check/bin/svelte-check", ["--fail-on-warnings", "--output", "human", "--tsconfig", "tsconfig.json"]],
    ["vite/bin/vite.js", ["build", "--logLevel", "warn"]],
  ];
  for (const [script, args] of steps) {
    const code = run(dir, script, args);
    if (code !== 0) throw new Error(`${script} ended with ${code}`);
  }
  fs.copyFileSync(path.join(dir, types), path.join(here, types));
  return tree(path.join(dir, "dist"));
}

const built = workspace(here, sources, build);
if (process.argv.includes("--check")) {
  const committed = tree(dist);
  const differing = [...new Set([...built.keys(), ...committed.keys()])].filter((n) => !built.get(n)?.equals(committed.get(n) ?? Buffer.of()));
  if (differing.length > 0) {
    console.error(`apiserver/web/dist is not what its sources build: ${differing.join(", ")}`);
    console.error("run make pages, and look at the pages before you commit");
    process.exitCode = 1;
  } else {
    console.log(`==> the pages are what their sources build (${built.size} files)`);
  }
} else {
  fs.rmSync(dist, { recursive: true, force: true });
  for (const [name, content] of built) {
    fs.mkdirSync(path.dirname(path.join(dist, name)), { recursive: true });
    fs.writeFileSync(path.join(dist, name), content);
  }
  for (const [name, content] of built) console.log(`${String(content.length).padStart(9)}  ${name}`);
}
