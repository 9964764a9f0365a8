// What is marked on the time line of a trader's results.
import type { Schema } from "../../../api/client";
import type { Dot, Mark } from "../../../chart/marks";
import { money, words } from "../../../ui/format";

const day = 86_400;
const seconds = (at: string) => Date.parse(at) / 1000;

/** Trades that a finding rests on, in the order in which they were closed, or opened as long as they are open. */
export function evidenceOf(activity: Schema<"Activity">, finding: string): Schema<"TradeFacts">[] {
  const facts = new Map(activity.evidence_trades.map((t) => [`${t.account_id}/${t.trade_id}`, t]));
  const detector = activity.detectors.find((d) => d.id === finding);
  return (detector?.evidence ?? []).flatMap((e) => facts.get(`${e.account_id}/${e.trade_id}`) ?? []).sort((a, b) => placeOf(a) - placeOf(b));
}

const placeOf = (t: Schema<"TradeFacts">) => seconds(t.close_time ?? t.open_time);

/** Interviews, payouts and findings of the analyzed period, in the order of time. An account leaves out the payouts of others. */
export function marksOf(trader: Schema<"TraderDetail">, activity: Schema<"Activity">, account: string): Mark[] {
  const own = trader.accounts.find((a) => a.id === account)?.external_id;
  const marks: Mark[] = [
    ...trader.interviews.map((i): Mark => ({
      id: i.id,
      kind: "interview",
      at: seconds(i.created_at),
      text: `Interview, ${words(i.status).toLowerCase()}`,
      href: `/interviews/${i.id}`,
    })),
    ...trader.payouts.flatMap((p): Mark[] => {
      const at = p.requested_at ?? p.paid_at;
      if (at === null || (account !== "" && p.account_external_id !== own)) return [];
      const text = `Payout of ${money(p.amount, p.currency)}${p.status ? `, ${words(p.status).toLowerCase()}` : ""}`;
      return [{ id: p.id, kind: "payout", at: seconds(at), text, href: `/traders/${trader.id}?tab=accounts` }];
    }),
    ...activity.detectors.flatMap((d): Mark[] => {
      if (d.severity === null || d.severity === "none") return [];
      const first = evidenceOf(activity, d.id)[0];
      return first ? [{ id: d.id, kind: "finding", at: placeOf(first), text: d.title, href: null }] : [];
    }),
  ];
  const from = activity.window.from === null ? -Infinity : seconds(activity.window.from);
  const to = activity.window.to === null ? Infinity : seconds(activity.window.to);
  return marks.filter((m) => m.at >= from && m.at < to).sort((a, b) => a.at - b.at);
}

/** The initial balance of the only account in the currency, if its trades since then are all in the analyzed period; null: the results begin at zero. */
export function initialBalance(trader: Schema<"TraderDetail">, activity: Schema<"Activity">, currency: string): number | null {
  const accounts = activity.accounts.filter((a) => a.currency === currency);
  if (accounts.length !== 1 || activity.outside.before !== null) return null;
  // A trade that could not be analyzed has changed the account all the same.
  if (activity.excluded.some((e) => !["duplicate", "covered_by_sync", "outside_window"].includes(e.reason))) return null;
  return trader.accounts.find((a) => a.id === accounts[0]?.id)?.initial_balance ?? null;
}

/** A dot on the line of the running total for each trade in the currency. times are the days of the sums, and rise. */
export function dotsOf(trades: Schema<"TradeFacts">[], activity: Schema<"Activity">, currency: string, times: number[], sums: number[]): Dot[] {
  return trades.flatMap((t): Dot[] => {
    if ((activity.accounts.find((a) => a.id === t.account_id)?.currency ?? "") !== currency) return [];
    // Days are those of the account, which may begin before or after those of UTC.
    const n = Math.max(
      0,
      times.findLastIndex((time) => time <= placeOf(t)),
    );
    const [time, value] = [times[n], sums[n]];
    if (time === undefined || value === undefined) return [];
    const next = times[n + 1] ?? time;
    const at = Math.min(Math.max(placeOf(t), time), next);
    return [{ at, value: value + ((sums[n + 1] ?? value) - value) * ((at - time) / (next - time || 1)) }];
  });
}

/** The days from one time to another in seconds, as parameters of the address: whole days of UTC, `to` not included. */
export function daysBetween(from: number, to: number): { from: string; to: string } {
  const [first, last] = from < to ? [from, to] : [to, from];
  const start = Math.floor(first / day) * day;
  const end = Math.max(start + day, Math.ceil(last / day) * day);
  const iso = (at: number) => new Date(at * 1000).toISOString();
  return { from: iso(start), to: iso(end) };
}

/** The last day of a period whose end is not included, for a field; empty: there is no end. */
export function lastDay(to: string): string {
  const at = Date.parse(to);
  return Number.isNaN(at) ? "" : new Date(at - 1).toISOString().slice(0, 10);
}
