import type { Schema } from "../../../api/client";

export type Ruleset = Schema<"Ruleset">;

/** The parts of a ruleset that belong to one detector each. */
type Section = {
  [K in keyof Ruleset]: Ruleset[K] extends number | string ? never : K extends "contract_sizes" ? never : K;
}[keyof Ruleset];

/** How a threshold is written: a share as per cent, seconds, a factor, or a plain number. */
export type Unit = "%" | "s" | "×" | "";

type Labels = { [S in Section]: { [K in keyof Ruleset[S]]-?: [label: string, unit: Unit] } };

const few: [string, Unit] = ["Minimum decisions", ""];
const p: [string, Unit] = ["Maximum adjusted p-value for medium or high", ""];
const mediumShare: [string, Unit] = ["Medium at this share", "%"];
const highShare: [string, Unit] = ["High at this share", "%"];

const labels: Labels = {
  bursts: {
    window_seconds: ["Time window", "s"],
    min_opens: ["Decisions in a burst", ""],
    medium_count: ["Medium at this number of bursts", ""],
    medium_share: ["Medium at this share of decisions", "%"],
    high_share: ["High at this share of decisions", "%"],
    high_in_60s: ["High at this many decisions in 60 seconds", ""],
    max_p_adjusted: p,
    min_day_opens: ["Minimum decisions for a day to be tested", ""],
    min_day_span_seconds: ["Minimum span for a day to be tested", "s"],
  },
  one_sided: {
    min_decisions: few,
    medium_share: mediumShare,
    medium_wilson_low: ["Minimum lower bound of the share’s interval for medium", "%"],
    high_share: highShare,
    high_min_decisions: ["Minimum decisions for high", ""],
    high_min_symbols: ["Minimum symbols for high", ""],
    max_p_adjusted: p,
    daily_loss_limit: ["Daily loss limit, share of initial balance", "%"],
    profit_target: ["Profit target, share of initial balance", "%"],
    max_share_of_loss_limit: ["Maximum share of loss limit per day, symbol and side", "%"],
    max_share_of_target: ["Maximum share of target per day, symbol and side", "%"],
  },
  holding: {
    min_trades: ["Minimum trades", ""],
    min_hold_seconds: ["Minimum holding time (if empty, short holds are at most low)", "s"],
    medium_trade_share: ["Medium at this share of shorter trades", "%"],
    medium_profit_share: ["Medium at this share of gross profit from shorter trades", "%"],
    short_hold_seconds: ["Second, longer limit", "s"],
    short_hold_share: ["Share of trades or gross profit below the second limit", "%"],
  },
  loss_chasing: {
    size_ratio: ["Size counts as raised at this multiple of the previous one", "×"],
    min_losses: ["Minimum losses", ""],
    min_wins: ["Minimum wins", ""],
    medium_rate: ["Medium if raised after this share of losses", "%"],
    max_p_adjusted: p,
    high_ladder: ["Consecutive losses followed by a raise, for high", ""],
    high_ladder_count: ["Number of such sequences for high", ""],
    high_growth: ["Size growth over one sequence for high", "×"],
  },
  averaging: {
    min_decisions: few,
    low_depth: ["Adds against the position for low", ""],
    medium_depth: ["Adds against the position for medium", ""],
    medium_baskets: ["Baskets of that depth for medium", ""],
    grid_steps: ["Steps in a grid", ""],
    grid_step_cv: ["Maximum variation of step distances", "×"],
    basket_closes: ["Closes that end a basket", ""],
    basket_close_seconds: ["Time window for these closes", "s"],
  },
  revenge: {
    max_gap_seconds: ["Ignore re-entries after", "s"],
    min_each: ["Minimum re-entries after losses and after wins", ""],
    event_gap_seconds: ["Maximum gap for an event", "s"],
    event_size_ratio: ["Event size, multiple of the usual", "×"],
    event_median_of: ["Decisions used for the usual size", ""],
    medium_rate: ["Medium at this rate", "%"],
    max_p_adjusted: p,
  },
  lot_size: {
    min_trades: ["Minimum trades", ""],
    outlier_z: ["Modified z-score for an outlier", ""],
    band_low: ["Smallest lot, multiple of the average", "×"],
    band_high: ["Largest lot, multiple of the average", "×"],
    medium_share: ["Medium at this share of trades outside", "%"],
    high_share: highShare,
  },
  day_share: {
    min_days: ["Minimum days with closed trades", ""],
    max_share_of_net: ["Maximum share of the best day in the net result", "%"],
    max_share_of_positive: ["Maximum share of the best day in all positive days", "%"],
    max_daily_loss: ["Maximum daily loss, share of initial balance", "%"],
  },
  copied_trades: {
    max_lag_seconds: ["Maximum lag between matching opens", "s"],
    min_each: ["Minimum decisions per account", ""],
    day_shifts: ["Day shifts in each direction", ""],
    min_matches: ["Minimum matches for medium", ""],
    medium_rate: ["Medium at this rate", "%"],
    high_rate: ["High at this rate", "%"],
    high_lot_ratio_cv: ["Maximum variation of the lot ratio for high", "×"],
    high_symbols: ["Minimum symbols for high", ""],
    high_days: ["Minimum days for high", ""],
  },
  opposite_positions: {
    max_open_gap_seconds: ["Maximum time between two opens", "s"],
    min_overlap: ["Minimum overlap, share of the shorter position", "%"],
    min_volume_ratio: ["Minimum ratio of the two volumes", "×"],
    max_volume_ratio: ["Maximum ratio of the two volumes", "×"],
    low_count: ["Low at this number", ""],
    medium_count: ["Medium at this number", ""],
    high_count: ["High at this number", ""],
    high_net_share: ["Results cancel out below this share", "%"],
  },
  automation: {
    min_decisions: few,
    max_p_adjusted: p,
    max_idle_seconds: ["Longest pause on a day that counts as having no rest", "s"],
    idle_day_share: ["Share of days without such a pause", "%"],
    min_days: ["Minimum days", ""],
    modal_share: ["Share of trades with the same stop or target distance", "%"],
    medium_signals: ["Minimum signals for medium", ""],
  },
  news: {
    window_seconds: ["Before and after an event", "s"],
    exemption_seconds: ["Positions opened this long before an event are exempt", "s"],
    min_decisions: few,
    medium_share: mediumShare,
    high_share: highShare,
    max_p_adjusted: p,
  },
  style_break: {
    min_each: ["Minimum decisions in each half", ""],
    medium_d: ["Kolmogorov–Smirnov distance for medium (lower bound of the interval)", ""],
    max_p_adjusted: p,
    medium_symbol_mix: ["Symbol mix distance for medium (lower bound of the interval)", ""],
  },
};

const sections: Record<Section, [title: string, about: string]> = {
  bursts: ["Bursts", "many decisions in a short time"],
  one_sided: ["One-sided trading", "trading in one direction"],
  holding: ["Holding times", "how long positions are held"],
  loss_chasing: ["Chasing losses", "larger size after losses"],
  averaging: ["Averaging down", "adding to losing positions"],
  revenge: ["Revenge trading", "quick and larger re-entry after losses"],
  lot_size: ["Lot sizes", "jumps in size"],
  day_share: ["Few good days", "results that come from a few days"],
  copied_trades: ["Copied trades", "matching trades in two accounts"],
  opposite_positions: ["Opposite positions", "in two accounts at the same time"],
  automation: ["Automation", "timing that looks scheduled"],
  news: ["News", "trading around events in the news calendar"],
  style_break: ["Style change", "trading differently than before"],
};

export interface Threshold {
  key: string;
  label: string;
  unit: Unit;
}

/** The detectors with their thresholds, in the order of the document. */
export const detectors: { id: Section; title: string; about: string; thresholds: Threshold[] }[] = (Object.keys(sections) as Section[]).map((id) => ({
  id,
  title: sections[id][0],
  about: sections[id][1],
  thresholds: Object.entries(labels[id] as Record<string, [string, Unit]>).map(([key, [label, unit]]) => ({ key, label, unit })),
}));

/** A threshold as it is shown; empty: it is not checked. */
export function shown(value: number | null, unit: Unit): string {
  if (value === null) return "";
  return String(unit === "%" ? tidy(value * 100) : value);
}

/** What was entered, as it is saved. */
export function entered(text: string, unit: Unit): number | null {
  if (text.trim() === "") return null;
  return unit === "%" ? tidy(Number(text) / 100) : Number(text);
}

/** 0.07 * 100 is 7.000000000000001. */
const tidy = (n: number) => Number(n.toPrecision(12));
