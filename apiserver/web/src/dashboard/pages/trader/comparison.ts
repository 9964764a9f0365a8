// Comparison of a trader's results with those of another period or account.
import type { Schema } from "../../../api/client";
import { amount, count, duration, none, percent } from "../../../ui/format";
import { midnight } from "./time";

/** The value of the address that stands for the period before; others are ids of accounts. */
export const previous = "previous";
/** The value of the address that stands for a period of the reader's own choice. */
export const another = "period";

const day = 86_400;
const seconds = (at: string) => Date.parse(at) / 1000;

/** The time and the account of another analysis. */
export interface Other {
  from: string;
  to: string;
  account_id?: string;
}

/** The first and the last day, in UTC, of a period that was chosen; undefined where none is. */
export interface Days {
  first: string | undefined;
  last: string | undefined;
}

/** The days of the period before, as a beginning for a choice. */
export function daysBefore({ from, to }: Schema<"Activity">["window"]): Days {
  if (from === null || to === null) return { first: undefined, last: undefined };
  const length = Math.max(1, Math.round((seconds(to) - seconds(from)) / day));
  const back = (days: number) => new Date((seconds(from) - days * day) * 1000).toISOString().slice(0, 10);
  return { first: back(length), last: back(1) };
}

/** What to analyze for a comparison; null: there is nothing to compare. */
export function otherOf(
  window: Schema<"Activity">["window"],
  account: string,
  compare: string,
  trader: Pick<Schema<"TraderDetail">, "accounts">,
  days: Days = { first: undefined, last: undefined },
): Other | null {
  const { from, to } = window;
  if (from === null || to === null) return null;
  if (compare === another) {
    const [first, last] = [midnight(days.first ?? ""), midnight(days.last ?? "", 1)];
    return first === undefined || last === undefined || first >= last ? null : { from: first, to: last, ...(account ? { account_id: account } : {}) };
  }
  if (compare === previous) {
    const before = new Date(2 * Date.parse(from) - Date.parse(to)).toISOString();
    return { from: before, to: from, ...(account ? { account_id: account } : {}) };
  }
  if (compare === account || !trader.accounts.some((a) => a.id === compare)) return null;
  return { from, to, account_id: compare };
}

/** The whole days between the beginnings of two analyses, in seconds. */
export function shiftBetween(own: Schema<"Activity">["window"], other: Schema<"Activity">["window"]): number {
  if (own.from === null || other.from === null) return 0;
  return Math.round((seconds(own.from) - seconds(other.from)) / day) * day;
}

/** A row of the comparison, as it is written. */
export interface Row {
  label: string;
  own: string;
  other: string;
  difference: string;
}

type Result = Schema<"CurrencyResult">;

/** One table for each currency of either side, so that no two currencies are subtracted. */
export function compareResults(own: Result[], other: Result[]): { currency: string; rows: Row[] }[] {
  const currencies = [...new Set([...own, ...other].map((r) => r.currency))];
  return currencies.map((currency) => {
    const sides = [own, other].map((list) => list.find((r) => r.currency === currency));
    return { currency, rows: rowsOf(currency, sides[0], sides[1]) };
  });
}

function rowsOf(currency: string, own: Result | undefined, other: Result | undefined): Row[] {
  const row = (label: string, value: (r: Result) => number | null, write: (n: number, r: Result) => string, differ: (n: number) => string): Row => {
    const [x, y] = [own && value(own), other && value(other)];
    const text = (n: number | null | undefined, r: Result | undefined) => (n == null || r === undefined ? none : write(n, r));
    return { label, own: text(x, own), other: text(y, other), difference: x == null || y == null ? none : signed(x - y, differ) };
  };
  const written = (n: number) => amount(n, currency);
  const sum = (label: string, value: (r: Result) => number | null) => row(label, value, written, written);
  return [
    sum("Net result", (r) => r.net),
    row("Trades", (r) => r.trades, count, count),
    row(
      "Won",
      (r) => (r.closed > 0 ? r.won / r.closed : null),
      (share, r) => `${percent(share)} (${count(r.won)} of ${count(r.closed)})`,
      (share) => `${percent(share).slice(0, -1)} points`,
    ),
    sum("Average loss", (r) => r.average_loss),
    sum("Largest loss", (r) => r.largest_loss),
    sum("Largest drawdown", (r) => r.max_drawdown),
    row(
      "Average holding time",
      (r) => r.mean_hold_seconds,
      (n) => duration(n * 1000),
      (n) => duration(n * 1000),
    ),
  ];
}

/** A difference with its sign, in the way in which write writes what is not negative. */
function signed(n: number, write: (n: number) => string): string {
  const size = write(Math.abs(n));
  if (size === write(0)) return size;
  return `${n > 0 ? "+" : "−"}${size}`;
}
