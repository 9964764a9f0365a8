// Generates the types from the API's document, compiles the package, and packs what npm publishes.
//
//   node build.mjs FOLDER [VERSION]    writes assay-client-VERSION.tgz into FOLDER
//
// The same sources, Node and npm give the same bytes.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { run, workspace } from "../../apiserver/web/install.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const document = path.join(here, "..", "..", "apiserver", "openapi", "openapi.json");
const folder = path.resolve(process.argv[2]);
const version = process.argv[3];

// Without the flag, a member of a request that has a default must be given.
const steps = [
  ["openapi-typescript/bin/cli.js", [document, "--alphabetize", "--default-non-nullable=false", "--output", "src/schema.ts"]],
  ["typescript/bin/tsc", ["--project", "tsconfig.json"]],
];

workspace(here, ["package.json", "tsconfig.json", "README.md", "LICENSE", "src"], (dir) => {
  for (const [script, args] of steps) {
    const code = run(dir, script, args);
    if (code !== 0) throw new Error(`${script} ended with ${code}`);
  }
  if (version) stamp(path.join(dir, "package.json"));
  unify(dir);
  fs.mkdirSync(folder, { recursive: true });
  const npm = spawnSync("npm", ["pack", "--ignore-scripts", "--loglevel", "error", "--pack-destination", folder], { cwd: dir, stdio: ["ignore", 1, 2] });
  if (npm.status !== 0) throw new Error(`npm pack ended with ${npm.status}`);
});

/** Writes the version that is packed. */
function stamp(file) {
  const description = JSON.parse(fs.readFileSync(file, "utf8"));
  fs.writeFileSync(file, `${JSON.stringify({ ...description, version }, null, 2)}\n`);
}

/** Gives all files the same rights, which npm packs, whatever the umask is. */
function unify(dir) {
  for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
    const file = path.join(dir, entry.name);
    if (entry.isDirectory()) unify(file);
    else if (entry.isFile()) fs.chmodSync(file, 0o644);
  }
}
