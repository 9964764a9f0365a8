import { expect, test } from "vitest";

import { day } from "../../../ui/format";
import { outside, timeOf } from "./time";

test("the end of a time is a part of it", () => {
  const url = new URL(timeOf("t1", "2026-11-22T10:00:00Z", "2026-11-22T11:00:00.5Z"), "http://x");
  expect(url.pathname).toBe("/traders/t1");
  expect(Object.fromEntries(url.searchParams)).toEqual({ tab: "activity", from: "2026-11-22T10:00:00Z", to: "2026-11-22T11:00:01.500Z" });
});

test("trades outside the period are counted with their days", () => {
  const before = { trades: 1, from: "2026-06-15T08:00:00Z", to: "2026-06-15T08:00:00Z" };
  const after = { trades: 1200, from: "2026-11-22T10:00:00Z", to: "2026-11-24T10:00:00Z" };
  expect(outside({ before, after: null }).map((o) => o.sentence)).toEqual([`1 trade is before this period, on ${day(before.from)}.`]);
  expect(outside({ before: null, after }).map((o) => o.sentence)).toEqual([`1,200 trades are after this period, from ${day(after.from)} to ${day(after.to)}.`]);
  expect(outside(undefined)).toEqual([]);
});
