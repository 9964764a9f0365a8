import { expect, test } from "vitest";

import { match } from "../../router.svelte";
import { actions, objectHref, objectKinds, objectLabel, saying } from "./actions";

test("each action says something of its own", () => expect(new Set(actions.map(saying)).size).toBe(actions.length));

test.each([
  ["trader.erased", "erased a trader"],
  ["moon.landed", "moon.landed"], // of a newer server
])("%s: somebody %s", (action, want) => expect(saying(action)).toBe(want));

test("objects lead to pages that there are", () => {
  for (const kind of objectKinds) {
    const href = objectHref(kind, "01J");
    if (href !== null) expect(match(new URL(href, "http://x").pathname), href).not.toBeNull();
  }
});

test.each<[string, string | null, string | null]>([
  ["trader", "t1", "/traders/t1"],
  ["trader", null, null],
  ["activity_file", "f1", null],
  ["moon", "m1", null],
])("a %s with the id %s is at %s", (kind, id, want) => expect(objectHref(kind, id)).toBe(want));

test("an object of a newer server has its own name", () => expect(objectLabel("moon")).toBe("moon"));
