// Lists the texts that people read on the pages, one a line with its place, so that somebody
// can read all of them at once. make texts adds those of the Go sources.
//
//   node texts.mjs    from the root of the repository
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { install } from "./install.mjs";

/** What contains no texts. */
const isSilent = (node) => ["ImportDeclaration", "StyleSheet"].includes(node.type) || (node.type === "Attribute" && ["class", "style"].includes(node.name));

const words = /\p{L}['’\p{L}]*[.,;:!?]? [\p{L}"“{…]/u;
const label = /^\p{Lu}\p{Ll}+[.!?…:]?$/u;

/** Whether a string reads as words rather than as code. */
const isText = (s) => label.test(s) || words.test(s);

/** What stands between two tags, with the names of the tags in it, and … for values. */
const inline = (nodes) => nodes.map((n) => (n.type === "Text" ? n.data : n.type === "RegularElement" ? `<${n.name}>` : n.type === "Comment" ? "" : "…")).join("");

/** Returns what a node of the syntax tree says and where, or nothing if it says nothing. */
function read(node) {
  switch (node.type) {
    case "Fragment": {
      const first = node.nodes.find((n) => n.type === "Text" && /\p{L}/u.test(n.data));
      return first && { at: first.start + first.data.search(/\S/), says: inline(node.nodes) };
    }
    case "Attribute": {
      const says = Array.isArray(node.value) ? inline(node.value) : "";
      return isText(says) ? { at: node.start, says } : undefined;
    }
    case "Literal":
      return typeof node.value === "string" && isText(node.value) ? { at: node.start, says: node.value } : undefined;
    case "TemplateLiteral": {
      const says = node.quasis.map((q) => q.value.cooked).join("…");
      return isText(says) ? { at: node.start, says } : undefined;
    }
  }
}

/**
 * Returns the texts of a source in the order of their lines. A module is parsed as the script of
 * a component. The parser is svelte/compiler's.
 */
export function listTexts(parse, source, module) {
  const code = module ? `<script lang="ts">${source}\n</script>` : source;
  const texts = [];
  function visit(node) {
    if (isSilent(node)) return;
    const { at, says } = (node.type && read(node)) ?? {};
    if (says) texts.push({ line: code.slice(0, at).split("\n").length, says: says.replace(/\s+/g, " ").trim() });
    for (const [key, child] of Object.entries(node)) {
      if (key !== "metadata" && key !== "typeAnnotation" && child !== null && typeof child === "object") visit(child);
    }
  }
  visit(parse(code, { modern: true }));
  return texts.sort((a, b) => a.line - b.line);
}

const isSource = (name) => /\.(svelte|ts)$/.test(name) && !/testing\/|\.test\.ts$|\.d\.ts$/.test(name);

if (process.argv[1] && import.meta.url === pathToFileURL(fs.realpathSync(process.argv[1])).href) {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const { parse } = createRequire(path.join(install(here), "package.json"))("svelte/compiler");
  const names = fs.readdirSync(path.join(here, "src"), { recursive: true }).map(String);
  for (const name of names.filter(isSource).sort()) {
    const source = fs.readFileSync(path.join(here, "src", name), "utf8");
    for (const { line, says } of listTexts(parse, source, name.endsWith(".ts"))) console.log(`apiserver/web/src/${name}:${line}: ${says}`);
  }
}
