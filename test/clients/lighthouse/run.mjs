// Installs what measure.mjs needs, unless it is there, and runs it with the same
// arguments.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { workspace } from "../../../apiserver/web/install.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
process.exitCode = workspace(here, ["measure.mjs"], (dir) => {
  const tool = spawnSync(process.execPath, [path.join(dir, "measure.mjs"), ...process.argv.slice(2)], { cwd: dir, stdio: ["ignore", 1, 2] });
  if (tool.error) throw tool.error;
  return tool.status ?? 1;
});
