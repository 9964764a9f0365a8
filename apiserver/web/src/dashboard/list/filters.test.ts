import { expect, test } from "vitest";

import { type Filter, setFilters, told } from "./filters";

const filters: Filter[] = [
  {
    name: "decision",
    label: "Decision",
    choices: [
      ["none", "Undecided"],
      ["none,needs_review", "Undecided or needs review"],
    ],
  },
  { name: "tag", label: "Tag" },
  { name: "from", label: "Created from", time: "day" },
  { name: "since", label: "From", time: "moment" },
  { name: "trader_id", label: "Trader", linked: true },
];

test("filters that are set are told in the words of their fields", () => {
  const address = new URLSearchParams("tag=مهم&decision=none,needs_review&from=2026-11-03&page=2&trader_id=7&sort=");
  expect(setFilters(filters, address)).toEqual([
    { name: "decision", text: "Decision: Undecided or needs review", linked: false },
    { name: "tag", text: "Tag: مهم", linked: false },
    { name: "from", text: "Created from: 3 Nov 2026", linked: false },
    { name: "trader_id", text: "Trader: 7", linked: true },
  ]);
  expect(setFilters(filters, new URLSearchParams("page=2"))).toEqual([]);
});

test.each([
  ["decision", "approved,needs_review", "approved or needs review"], // no choice has it
  ["tag", "a_b", "a_b"],
  ["from", "yesterday", "yesterday"],
  ["since", "2026-11-22T13:03:00Z", "22 Nov 2026, 14:03 CET"],
  ["since", "2026-99", "2026-99"],
])("%s=%s is told as %s", (name, value, want) => {
  const filter = filters.find((f) => f.name === name);
  expect(filter && told(filter, value)).toBe(want);
});
