import { expect, test } from "vitest";

import type { Schema } from "../../api/client";
import { describeBusiest, dayOf, sumsAt, timeOf } from "./sums";

const pnl = (day: string, net: number) => ({ day, net, days: 1, closed: 1, currency: "USD" }) as Schema<"PeriodPnL">;

test("sums up to each time", () => {
  const times = ["2026-11-01", "2026-11-02", "2026-11-03", "2026-11-05", "2026-11-06"].map(timeOf);
  expect(sumsAt(times, [pnl("2026-11-02", 5), pnl("2026-11-05", -2)], 0)).toEqual([null, 5, 5, 3, null]);
  expect(sumsAt(times, [pnl("2026-11-02", 5), pnl("2026-11-05", -2)], 0, 1_000)).toEqual([null, 1_005, 1_005, 1_003, null]);
});

test("shifts another period to these times", () => {
  const times = ["2026-11-01", "2026-11-02"].map(timeOf);
  expect(sumsAt(times, [pnl("2026-10-02", 1), pnl("2026-10-03", 2)], 30 * 86_400)).toEqual([1, 3]);
  expect(sumsAt(times, [], 0)).toEqual([null, null]);
});

test("goes from days to times and back", () => {
  expect(dayOf(timeOf("2026-11-20"))).toBe("2026-11-20");
});

test("says which times are the busiest, unless several are", () => {
  const at = (n: number) => `at ${n}`;
  expect(describeBusiest([1, 3, 0], "hour", at)).toBe("The most are opened at 1: 3 of 4 (75%).");
  expect(describeBusiest([1, 1, 0], "hour", at)).toBe("2 hours have the most trades, each 1 of 2 (50%).");
  expect(describeBusiest([2, 2, 2, 2, 1], "hour", at)).toBe("No hour stands out.");
});
