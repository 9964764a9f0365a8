// Compares the renderer of /docs/console with the package that package.json names, or
// takes it over from there.
//
//   node renderer.mjs             fails and names the files that differ
//   node renderer.mjs --update    copies them
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { install } from "../../apiserver/web/install.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const committed = path.join(here, "..", "..", "apiserver", "docs", "assets", "swagger-ui");
const published = path.join(install(here), "node_modules", "swagger-ui-dist");
const { name, version, license } = JSON.parse(fs.readFileSync(path.join(published, "package.json"), "utf8"));

const wanted = new Map(
  ["swagger-ui-bundle.js", "swagger-ui-bundle.js.LICENSE.txt", "swagger-ui.css", "LICENSE", "NOTICE"].map((file) => [
    file,
    fs.readFileSync(path.join(published, file)),
  ]),
);
wanted.set("VERSION", Buffer.from(`${name} ${version}, ${license}\n`));

if (process.argv.includes("--update")) {
  for (const file of fs.readdirSync(committed)) fs.rmSync(path.join(committed, file));
  for (const [file, content] of wanted) fs.writeFileSync(path.join(committed, file), content);
}
const present = fs.readdirSync(committed);
const differing = [...new Set([...present, ...wanted.keys()])].filter(
  (file) => !present.includes(file) || !wanted.get(file)?.equals(fs.readFileSync(path.join(committed, file))),
);
if (differing.length > 0) {
  console.error(`apiserver/docs/assets/swagger-ui differs from ${name} ${version}: ${differing.join(", ")}`);
  console.error("run make renderer, and look at /docs before you commit");
  process.exitCode = 1;
} else {
  console.log(`==> the renderer is ${name} ${version}`);
}
