import { expect, test } from "vitest";

import type { Schema } from "../../../api/client";
import { another, compareResults, daysBefore, otherOf, previous, shiftBetween } from "./comparison";

const window = { from: "2026-11-01T00:00:00Z", to: "2026-12-01T00:00:00Z" } as Schema<"Activity">["window"];
const trader = { accounts: [{ id: "a1" }, { id: "a2" }] } as Schema<"TraderDetail">;

test.each([
  { what: "nothing", account: "", compare: "", want: null },
  { what: "the period before", account: "", compare: previous, want: { from: "2026-10-02T00:00:00.000Z", to: window.from } },
  { what: "the period before, of one account", account: "a1", compare: previous, want: { from: "2026-10-02T00:00:00.000Z", to: window.from, account_id: "a1" } },
  { what: "another account", account: "a1", compare: "a2", want: { from: window.from, to: window.to, account_id: "a2" } },
  { what: "all accounts with one", account: "", compare: "a2", want: { from: window.from, to: window.to, account_id: "a2" } },
  { what: "an account with itself", account: "a1", compare: "a1", want: null },
  { what: "an account of somebody else", account: "", compare: "b1", want: null },
])("compares with $what", ({ account, compare, want }) => {
  expect(otherOf(window, account, compare, trader)).toEqual(want);
});

test.each([
  { what: "a period of its own", first: "2026-03-01", last: "2026-03-31", want: { from: "2026-03-01T00:00:00.000Z", to: "2026-04-01T00:00:00.000Z", account_id: "a1" } },
  { what: "one day", first: "2026-03-01", last: "2026-03-01", want: { from: "2026-03-01T00:00:00.000Z", to: "2026-03-02T00:00:00.000Z", account_id: "a1" } },
  { what: "nothing that ends before it begins", first: "2026-03-02", last: "2026-03-01", want: null },
  { what: "nothing until both days are chosen", first: "2026-03-02", last: undefined, want: null },
])("compares with $what", ({ first, last, want }) => {
  expect(otherOf(window, "a1", another, trader, { first, last })).toEqual(want);
});

test("a choice begins with the days of the period before", () => {
  expect(daysBefore(window)).toEqual({ first: "2026-10-02", last: "2026-10-31" });
  expect(daysBefore({ ...window, from: null } as never)).toEqual({ first: undefined, last: undefined });
});

test("compares nothing without a period", () => {
  expect(otherOf({ ...window, from: null } as never, "", previous, trader)).toBeNull();
});

test("shifts by whole days", () => {
  expect(shiftBetween(window, { ...window, from: "2026-10-02T00:00:00Z" })).toBe(30 * 86_400);
  expect(shiftBetween(window, window)).toBe(0);
});

const result = (changes: Partial<Schema<"CurrencyResult">>): Schema<"CurrencyResult"> => ({
  currency: "USD",
  trades: 10,
  closed: 8,
  won: 6,
  lost: 2,
  net: 100.5,
  average_loss: 20,
  largest_loss: 30,
  max_drawdown: 40,
  mean_hold_seconds: 90,
  ...changes,
});

test("writes both sides and the difference", () => {
  const [table] = compareResults([result({})], [result({ trades: 4, closed: 4, won: 1, net: 300, average_loss: 20, max_drawdown: null, mean_hold_seconds: 30 })]);
  const rows = Object.fromEntries(table!.rows.map((r) => [r.label, [r.own, r.other, r.difference]]));
  expect(rows).toEqual({
    "Net result": ["100.50", "300.00", "−199.50"],
    Trades: ["10", "4", "+6"],
    Won: ["75% (6 of 8)", "25% (1 of 4)", "+50 points"],
    "Average loss": ["20.00", "20.00", "0.00"],
    "Largest loss": ["30.00", "30.00", "0.00"],
    "Largest drawdown": ["40.00", "–", "–"],
    "Average holding time": ["1 min 30 s", "30 s", "+1 min"],
  });
});

test("writes amounts in the digits of their currency", () => {
  const [table] = compareResults([result({ currency: "KWD", net: 1.5 })], [result({ currency: "KWD", net: 1.499 })]);
  expect(table!.rows[0]).toMatchObject({ own: "1.500", other: "1.499", difference: "+0.001" });
});

test("subtracts no other currency", () => {
  const tables = compareResults([result({})], [result({ currency: "EUR" })]);
  expect(tables.map((t) => t.currency)).toEqual(["USD", "EUR"]);
  expect(tables[0]!.rows[0]).toEqual({ label: "Net result", own: "100.50", other: "–", difference: "–" });
  expect(tables[1]!.rows[0]).toEqual({ label: "Net result", own: "–", other: "100.50", difference: "–" });
});
