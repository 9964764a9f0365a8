import { expect, test } from "vitest";

import { timeOf } from "./time";

test("the end of a time is a part of it", () => {
  const url = new URL(timeOf("t1", "2026-11-22T10:00:00Z", "2026-11-22T11:00:00.5Z"), "http://x");
  expect(url.pathname).toBe("/traders/t1");
  expect(Object.fromEntries(url.searchParams)).toEqual({ tab: "activity", from: "2026-11-22T10:00:00Z", to: "2026-11-22T11:00:01.500Z" });
});
