import { expect, test, vi } from "vitest";

import { byKey, groups, type Shortcut } from "./shortcuts";

test("no key does two things in one place, nor one of every page something else elsewhere", () => {
  const everywhere = Object.values(groups["On every page"]).map((s) => s.key as string);
  for (const [place, group] of Object.entries(groups) as [string, Record<string, Shortcut>][]) {
    const keys = Object.values(group).map((s) => s.key);
    expect(new Set(keys).size, place).toBe(keys.length);
    if (place !== "On every page")
      expect(
        keys.filter((key) => everywhere.includes(key)),
        place,
      ).toEqual([]);
  }
});

test("a name is bound to its key in the table", () => {
  const [next, comment] = [vi.fn(), vi.fn()];
  byKey({ nextRow: next, comment }).c?.();
  expect([next, comment].map((f) => f.mock.calls.length)).toEqual([0, 1]);
  expect(Object.keys(byKey({ nextRow: next, comment }))).toEqual(["j", "c"]);
});
