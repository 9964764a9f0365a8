// Sums that are drawn in charts, and what is said about them.
import type { Schema } from "../../api/client";
import { count, percent } from "../../ui/format";

/** A running sum that is drawn beside another one. */
export interface OtherSums {
  label: string;
  days: Schema<"PeriodPnL">[];
  /** Seconds to add to its days, so that both begin at the same place. */
  shift: number;
}

/** The time of a day such as 2026-11-20, in seconds since 1970. */
export const timeOf = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1000;

/** The day of such a time. */
export const dayOf = (time: number) => new Date(time * 1000).toISOString().slice(0, 10);

/** The sum at each time, from the first day to the last one, and what there was before; null: before and after. */
export function sumsAt(times: number[], days: Schema<"PeriodPnL">[], shift: number, before = 0): (number | null)[] {
  const last = days.at(-1);
  let sum = before;
  let next = 0;
  return times.map((time) => {
    for (let d = days[next]; d !== undefined && timeOf(d.day) + shift <= time; d = days[++next]) sum += d.net;
    return next === 0 || last === undefined || time > timeOf(last.day) + shift ? null : sum;
  });
}

/** When the most trades were opened, or that no time stands out. */
export function describeBusiest(counts: number[], what: string, when: (n: number) => string): string {
  const total = counts.reduce((sum, n) => sum + n, 0);
  const most = Math.max(...counts);
  const share = `${count(most)} of ${count(total)} (${percent(most / total)})`;
  const busiest = counts.filter((n) => n === most).length;
  if (busiest === 1) return `The most are opened ${when(counts.indexOf(most))}: ${share}.`;
  return busiest > 3 ? `No ${what} stands out.` : `${busiest} ${what}s have the most trades, each ${share}.`;
}
