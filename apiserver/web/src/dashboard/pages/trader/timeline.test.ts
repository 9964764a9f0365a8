import { expect, test } from "vitest";

import type { Schema } from "../../../api/client";
import { daysBetween, dotsOf, evidenceOf, initialBalance, lastDay, marksOf } from "./timeline";

const trade = (trade_id: string, close_time: string | null, account_id = "a1") => ({
  account_id,
  trade_id,
  symbol: "X",
  side: "buy",
  volume: 1,
  open_time: "2026-11-20T08:00:00Z",
  close_time,
  net_profit: 1,
});
const evidence = (...ids: string[]) => ids.map((trade_id) => ({ account_id: "a1", trade_id }));

const activity = {
  window: { from: "2026-11-01T00:00:00Z", to: "2026-12-01T00:00:00Z" },
  accounts: [
    { id: "a1", currency: "USD" },
    { id: "a2", currency: "EUR" },
  ],
  evidence_trades: [trade("t2", "2026-11-22T10:00:00Z"), trade("t1", "2026-11-21T10:00:00Z"), trade("t3", null)],
  detectors: [
    { id: "burst", title: "Many decisions", severity: "high", evidence: evidence("t2", "t1", "missing") },
    { id: "quiet", title: "Nothing", severity: "none", evidence: evidence("t1") },
    { id: "peers", title: "Others' trades", severity: "low", evidence: evidence("missing") },
  ],
} as unknown as Schema<"Activity">;

const trader = {
  id: "t",
  accounts: [
    { id: "a1", external_id: "one" },
    { id: "a2", external_id: "two" },
  ],
  interviews: [
    { id: "i1", status: "completed", created_at: "2026-11-25T10:00:00Z" },
    { id: "i0", status: "declined", created_at: "2026-10-25T10:00:00Z" },
  ],
  payouts: [
    { id: "p1", account_external_id: "one", amount: "100.00", currency: "USD", status: "paid", requested_at: "2026-11-10T10:00:00Z", paid_at: "2026-11-12T10:00:00Z" },
    { id: "p2", account_external_id: "two", amount: "50.00", currency: "EUR", status: null, requested_at: null, paid_at: "2026-11-11T10:00:00Z" },
    { id: "p3", account_external_id: "two", amount: "50.00", currency: "EUR", status: null, requested_at: null, paid_at: null },
  ],
} as unknown as Schema<"TraderDetail">;

test("marks are what happened in the period, in the order of time", () => {
  expect(marksOf(trader, activity, "").map((m) => m.id)).toEqual(["p1", "p2", "burst", "i1"]);
  expect(marksOf(trader, activity, "a1").map((m) => m.id)).toEqual(["p1", "burst", "i1"]);
});

test("a finding's trades are dots on the running total of their currency", () => {
  const trades = evidenceOf(activity, "burst");
  expect(trades.map((t) => t.trade_id)).toEqual(["t1", "t2"]);
  const times = ["2026-11-20", "2026-11-21", "2026-11-24"].map((d) => Date.parse(`${d}T00:00:00Z`) / 1000);
  const at = (time: string) => Date.parse(time) / 1000;
  expect(dotsOf(trades, activity, "USD", times, [1, 2, 5])).toEqual([
    { at: at("2026-11-21T10:00:00Z"), value: 2 + 3 * (10 / 72) },
    { at: at("2026-11-22T10:00:00Z"), value: 2 + 3 * (34 / 72) },
  ]);
  // After the last day there is no line, and before the first one neither.
  expect(dotsOf(trades, activity, "USD", times.slice(0, 1), [1])).toEqual([
    { at: times[0], value: 1 },
    { at: times[0], value: 1 },
  ]);
  expect(dotsOf(trades, activity, "EUR", times, [1, 2, 3])).toEqual([]);
  expect(dotsOf(trades, activity, "USD", [], [])).toEqual([]);
  expect(evidenceOf(activity, "nothing")).toEqual([]);
});

test("the balance begins at the initial one of a single account whose trades are all analyzed", () => {
  const known = {
    ...trader,
    accounts: [
      { id: "a1", initial_balance: 100_000 },
      { id: "a2", initial_balance: null },
    ],
  } as unknown as Schema<"TraderDetail">;
  const all = { ...activity, outside: { before: null, after: null }, excluded: [{ reason: "duplicate", count: 1, examples: [] }] } as unknown as Schema<"Activity">;
  expect(initialBalance(known, all, "USD")).toBe(100_000);
  expect(initialBalance(known, all, "EUR")).toBeNull(); // it is unknown
  expect(initialBalance(known, all, "GBP")).toBeNull(); // no account has it
  expect(initialBalance(known, { ...all, outside: { before: { trades: 1 }, after: null } } as unknown as Schema<"Activity">, "USD")).toBeNull();
  expect(initialBalance(known, { ...all, excluded: [{ reason: "no_symbol", count: 1, examples: [] }] }, "USD")).toBeNull();
  const two = { ...all, accounts: [...all.accounts, { id: "a3", currency: "USD" }] } as unknown as Schema<"Activity">;
  expect(initialBalance(known, two, "USD")).toBeNull();
});

test("a part of the chart is whole days", () => {
  const at = (time: string) => Date.parse(time) / 1000;
  const days = { from: "2026-11-20T00:00:00.000Z", to: "2026-11-23T00:00:00.000Z" };
  expect(daysBetween(at("2026-11-20T05:00:00Z"), at("2026-11-22T01:00:00Z"))).toEqual(days);
  expect(daysBetween(at("2026-11-22T01:00:00Z"), at("2026-11-20T05:00:00Z"))).toEqual(days);
  expect(daysBetween(at("2026-11-20T00:00:00Z"), at("2026-11-20T00:00:00Z")).to).toBe("2026-11-21T00:00:00.000Z");
  expect([lastDay(days.to), lastDay(""), lastDay("2026-11-22T11:00:01.500Z")]).toEqual(["2026-11-22", "", "2026-11-22"]);
});
