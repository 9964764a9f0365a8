// Installs the tools that a folder's package.json names and prints the folder they
// are in. That lies in the user's cache under the hash of the lock file, so that
// nothing is fetched twice and two checkouts share what they can.
//
//   node install.mjs FOLDER [--quiet]    progress goes to standard error
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "..");
const sources = ["package.json", "package-lock.json", ".npmrc"];

/** Folders that nobody has used for so long are removed. */
const forgotten = 30 * 24 * 3600 * 1000;

/** The folder for the tools of all checkouts: made when it is not there. */
function cache() {
  if (process.env.HOME) {
    const dir = path.join(process.env.HOME, ".cache", "assay", "node");
    try {
      fs.accessSync(process.env.HOME); // a home that does not exist is not made
      fs.mkdirSync(dir, { recursive: true });
      fs.accessSync(dir, fs.constants.W_OK);
      return dir;
    } catch {
      // A home that cannot be written to is none.
    }
  }
  const dir = path.join(root, ".data", "node");
  fs.mkdirSync(dir, { recursive: true });
  return dir;
}

/** Returns the folder that holds node_modules with exactly what is locked in from. */
export function install(from) {
  const contents = sources.map((name) => fs.readFileSync(path.join(from, name)));
  const hash = createHash("sha256");
  for (const content of contents) hash.update(`${content.length}\n`).update(content);
  const base = cache();
  const dir = path.join(base, hash.digest("hex").slice(0, 16));
  if (!fs.existsSync(dir)) fetchInto(base, dir, contents, path.relative(root, from));
  const now = new Date();
  fs.utimesSync(dir, now, now);
  return dir;
}

/** Installs beside the folder, and renames when all is there. */
function fetchInto(base, dir, contents, folder) {
  const draft = fs.mkdtempSync(path.join(base, ".draft-"));
  try {
    sources.forEach((name, i) => fs.writeFileSync(path.join(draft, name), contents[i]));
    process.stderr.write(`==> installing the tools of ${folder} with npm (up to a minute)\n`);
    const npm = spawnSync("npm", ["ci"], { cwd: draft, stdio: ["ignore", 2, 2] });
    if (npm.error) throw new Error(`npm cannot be run: ${npm.error.message}`);
    if (npm.status !== 0) throw new Error(`npm ci ended with ${npm.signal ?? npm.status}`);
    try {
      fs.renameSync(draft, dir);
    } catch (err) {
      if (!fs.existsSync(dir)) throw err; // else somebody else was faster
    }
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
  prune(base, dir);
}

function prune(base, keep) {
  for (const name of fs.readdirSync(base)) {
    const dir = path.join(base, name);
    if (dir !== keep && Date.now() - fs.statSync(dir).mtimeMs > forgotten) {
      fs.rmSync(dir, { recursive: true, force: true });
    }
  }
}

/**
 * Calls use with a new folder in which the tools resolve and the named files
 * and folders of from lie, and removes it afterwards.
 */
export function workspace(from, names, use) {
  const tools = install(from);
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "assay-node-"));
  try {
    fs.symlinkSync(path.join(tools, "node_modules"), path.join(dir, "node_modules"));
    for (const name of names) fs.cpSync(path.join(from, name), path.join(dir, name), { recursive: true });
    return use(dir);
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

/** Runs a tool in the folder with its output to ours; returns its exit code. */
export function run(dir, script, args) {
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const tool = spawnSync(process.execPath, [path.join(dir, "node_modules", script), ...args], { cwd: dir, stdio: ["ignore", 1, 2], env });
  if (tool.error) throw tool.error;
  return tool.status ?? 1;
}

if (process.argv[1] && import.meta.url === pathToFileURL(fs.realpathSync(process.argv[1])).href) {
  const dir = install(path.resolve(process.argv[2]));
  if (!process.argv.includes("--quiet")) console.log(dir);
}
