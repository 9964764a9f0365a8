// Parses files of WebVTT with a parser of browsers' rules and prints, for each,
// a line with the number of its captions. Anything that is not as it should be
// is printed instead.
//
//   node captions.mjs FILE…
import fs from "node:fs";
import path from "node:path";

import webvtt from "webvtt-parser"; // CommonJS

for (const file of process.argv.slice(2)) {
  const { cues, errors } = new webvtt.WebVTTParser().parse(fs.readFileSync(file, "utf8"), "captions");
  const said = errors.map((e) => `line ${e.line}, column ${e.col}: ${e.message}`);
  cues.forEach((cue, i) => {
    const lines = cue.text.split("\n");
    if (cue.tree?.children?.[0]?.name !== "v" || cue.tree.children[0].value !== "Trader") said.push(`${cue.id}: nobody speaks`);
    if (lines.length > 2) said.push(`${cue.id}: ${lines.length} lines`);
    if (i > 0 && cue.startTime < cues[i - 1].endTime) said.push(`${cue.id}: overlaps`);
    if (cue.text.includes("<script")) said.push(`${cue.id}: markup`);
  });
  console.log(`${path.basename(file)} ${said.length ? said.join("; ") : cues.length}`);
}
