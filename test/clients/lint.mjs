// Checks the OpenAPI document with the linters that its readers use: Redocly's
// and Spectral with the rules of the OWASP API Security Top 10. Warnings are
// shown, errors fail.
//
//   node lint.mjs [DOCUMENT]
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { run, workspace } from "../../apiserver/web/install.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const document = path.resolve(process.argv[2] ?? path.join(here, "..", "..", "apiserver", "openapi", "openapi.json"));

process.exitCode = workspace(here, ["redocly.yaml", "spectral.yaml"], (dir) => {
  fs.copyFileSync(document, path.join(dir, "openapi.json")); // the rules name it so
  console.log("==> redocly lint");
  const redocly = run(dir, "@redocly/cli/bin/cli.js", ["lint", "--config", "redocly.yaml", "--format", "stylish", "openapi.json"]);
  console.log("==> spectral lint, with the OWASP rules");
  const spectral = run(dir, "@stoplight/spectral-cli/dist/index.js", ["lint", "--ruleset", "spectral.yaml", "--fail-severity", "error", "openapi.json"]);
  return redocly || spectral;
});
