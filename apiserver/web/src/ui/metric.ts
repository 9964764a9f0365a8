// Metrics of an analysis by the names that people call them, and their values with a unit.
import { decimal, duration, percent, words } from "./format";

/** Names that say nothing to who does not know the formula. */
const names: Record<string, string> = {
  seconds_chi2: "Unevenness of opening seconds",
  symbol_hhi: "Concentration on symbols",
  hold_geometric_mean: "Holding time, geometric mean",
  hold_median_winners: "Median holding time of winners",
  hold_median_losers: "Median holding time of losers",
  open_at_zero_share: "Opened on the full minute",
  restless_day_share: "Days without a long pause",
  max_in_60s: "Most opens within 60 seconds",
  max_in_120s: "Most opens within 120 seconds",
};

const ordinal = (n: number) => `${n}${n % 10 === 1 && n !== 11 ? "st" : n % 10 === 2 && n !== 12 ? "nd" : n % 10 === 3 && n !== 13 ? "rd" : "th"}`;

/** What percentiles are of. */
const measured: Record<string, string> = { hold: "Holding time", decision_risk: "Risk of a decision", decision_loss: "Loss of a decision" };

/** "hold_p95" → "Holding time, 95th percentile". */
export function metricName(name: string): string {
  const [, of, p] = /^(.+)_p(\d+)$/.exec(name) ?? [];
  if (names[name] || of === undefined) return names[name] ?? words(name);
  return `${measured[of] ?? words(of)}, ${p === "50" ? "median" : `${ordinal(Number(p))} percentile`}`;
}

/** What stands behind a value; a share is written in percent, a minute and more as people say it, and an index, a count or an amount, whose currency its text names, is a number alone. */
const units: Record<string, string> = { chi2: "(χ²)", z: "(z)", ratio: "times", seconds: "s", index: "", count: "", money: "" };

/** The value of a metric, or of its threshold or interval. */
export function metricValue({ name, unit }: { name: string; unit: string }, value: number | null, digits = 2): string {
  if (value === null) return "–";
  // Risks are small, and the texts of reports write their hundredths, too.
  if (unit === "share") return percent(value, /^decision_(risk|loss)_/.test(name) ? 2 : 1);
  if (unit === "seconds" && value >= 60) return duration(1000 * value);
  return `${decimal(value, digits)} ${units[unit] ?? unit}`.trim();
}
