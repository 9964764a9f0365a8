import type { Schema } from "../../../api/client";
import { counted, day } from "../../../ui/format";

/** The trades before and after the analyzed period, each with a sentence about them. */
export function outside(found: Partial<Schema<"Activity">["outside"]> | undefined): { from: string; to: string; sentence: string }[] {
  return (["before", "after"] as const).flatMap((where) => {
    const side = found?.[where];
    if (!side) return [];
    const time = day(side.from) === day(side.to) ? `on ${day(side.from)}` : `from ${day(side.from)} to ${day(side.to)}`;
    return [{ from: side.from, to: side.to, sentence: `${counted(side.trades, "trade")} ${side.trades === 1 ? "is" : "are"} ${where} this period, ${time}.` }];
  });
}

/** The activity of a trader from one time to another, both included. */
export function timeOf(trader: string, from: string, to: string): string {
  // `to` is not included itself, and times have microseconds at most.
  const after = new Date(Date.parse(to) + 1000).toISOString();
  return `/traders/${trader}?${new URLSearchParams({ tab: "activity", from, to: after })}`;
}

/** Midnight of a day in UTC, so many days later; undefined: it is no day. */
export function midnight(day: string, later = 0): string | undefined {
  const at = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(at.getTime())) return undefined;
  at.setUTCDate(at.getUTCDate() + later);
  return at.toISOString();
}
