// Generates the types from the API's document, compiles the package, and packs what npm publishes.
//
//   node build.mjs FOLDER    writes assay-client-VERSION.tgz into FOLDER and prints the names of its files
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { run, workspace } from "../../apiserver/web/install.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const document = path.join(here, "..", "..", "apiserver", "openapi", "openapi.json");
const folder = path.resolve(process.argv[2]);

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
  fs.mkdirSync(folder, { recursive: true });
  const npm = spawnSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], { cwd: dir, encoding: "utf8", stdio: ["ignore", "pipe", 2] });
  if (npm.status !== 0) throw new Error(`npm pack ended with ${npm.status}`);
  const packed = JSON.parse(npm.stdout)[0];
  for (const file of packed.files) console.log(file.path);
});
