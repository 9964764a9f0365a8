import { parse } from "svelte/compiler";
import { expect, test } from "vitest";

import { listTexts } from "./texts.mjs";

const page = `<script lang="ts">
  import Field from "./A Field.svelte";
  const empty = "No traders yet";
  const kind = "flex-row";
</script>

<p class="Not shown">
  Sync is <strong>paused</strong> since {since}.
</p>
<input placeholder="Find a trader" />
<Field label={busy ? "Saving…" : "Save"} hint="At most {limit} characters" />
{#if open}<p>Seen {times(n)} by {name}</p>{/if}
`;

test.each([
  ["a string", 3, "No traders yet"],
  ["a text with a tag and a value", 8, "Sync is <strong> since …."],
  ["a text in a tag", 8, "paused"],
  ["an attribute", 10, "Find a trader"],
  ["a label that is chosen", 11, "Saving…"],
  ["an attribute with a value", 11, "At most … characters"],
  ["a text that is shown at times", 12, "Seen … by …"],
])("lists %s", (_, line, says) => {
  expect(listTexts(parse, page, false)).toContainEqual({ line, says });
});

test("leaves out code", () => {
  const said = listTexts(parse, page, false).map((t) => t.says);
  expect(said).not.toContain("Not shown");
  expect(said).not.toContain("flex-row");
  expect(said).not.toContain("./A Field.svelte");
});

test("lists the texts of a module with their lines", () => {
  const source = "export const kinds: Record<string, string> = {\n  late: `${n} days late`,\n};\n";
  expect(listTexts(parse, source, true)).toEqual([{ line: 2, says: "… days late" }]);
});
