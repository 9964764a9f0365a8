import { expect, test } from "vitest";

import { match } from "../../router.svelte";
import { actionGroups, actions, choiceOf, objectHref, objectKinds, objectLabel, saying } from "./actions";

test("each action says something of its own", () => expect(new Set(actions.map(saying)).size).toBe(actions.length));

test("each action can be chosen once, and no group is long", () => {
  const choices = actionGroups.flatMap((g) => g.actions);
  expect([...choices].sort()).toEqual([...actions].sort());
  for (const g of actionGroups) {
    expect(g.actions.length, g.subject).toBeGreaterThan(0);
    expect(g.actions.length, g.subject).toBeLessThanOrEqual(12);
  }
  expect(actionGroups.find((g) => g.actions.includes("user.sign_in_failed"))?.subject).toBe("Signing in");
  expect(choiceOf("user.sign_in_failed")).toBe("Failed to sign in");
});

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
