import type { Schema } from "../../../api/client";

export type Ruleset = Schema<"Ruleset">;

/** The parts of a ruleset that belong to one detector each. */
type Section = {
  [K in keyof Ruleset]: Ruleset[K] extends number | string ? never : K extends "contract_sizes" ? never : K;
}[keyof Ruleset];

/** How a threshold is written: a share as per cent, seconds, a factor, or a plain number. */
export type Unit = "%" | "s" | "×" | "";

type Labels = { [S in Section]: { [K in keyof Ruleset[S]]-?: [label: string, unit: Unit] } };

const few: [string, Unit] = ["Decisions without which nothing is said", ""];
const p: [string, Unit] = ["Adjusted p-value above which it is no more than low", ""];
const mediumShare: [string, Unit] = ["Medium from this share on", "%"];
const highShare: [string, Unit] = ["High from this share on", "%"];

const labels: Labels = {
  bursts: {
    window_seconds: ["Span that is looked at", "s"], min_opens: ["Decisions that make a burst", ""], medium_count: ["Medium from this number of bursts on", ""],
    medium_share: ["Medium from this share of decisions on", "%"], high_share: ["High from this share of decisions on", "%"],
    high_in_60s: ["High at this many decisions in 60 seconds", ""], max_p_adjusted: p,
    min_day_opens: ["Decisions of a day that is tested", ""], min_day_span_seconds: ["Least span of a day that is tested", "s"],
  },
  one_sided: {
    min_decisions: few, medium_share: mediumShare, medium_wilson_low: ["Least lower end of the share's interval", "%"], high_share: highShare,
    high_min_decisions: ["Decisions that high needs", ""], high_min_symbols: ["Symbols that high needs", ""], max_p_adjusted: p,
    daily_loss_limit: ["Daily loss limit, of the initial balance", "%"], profit_target: ["Profit target, of the initial balance", "%"],
    max_share_of_loss_limit: ["Of the loss limit lost on one day, symbol and side, at most", "%"],
    max_share_of_target: ["Of the target won on one day, symbol and side, at most", "%"],
  },
  holding: {
    min_trades: ["Trades without which nothing is said", ""], min_hold_seconds: ["Shortest time to hold; empty: short holds are low at most", "s"],
    medium_trade_share: ["Medium from this share of trades under it on", "%"], medium_profit_share: ["Medium from this share of gross profit under it on", "%"],
    short_hold_seconds: ["A second, longer limit", "s"], short_hold_share: ["Share of trades or gross profit under the second limit", "%"],
  },
  loss_chasing: {
    size_ratio: ["Size counts as raised from this many times the one before", "×"], min_losses: ["Losses without which nothing is said", ""],
    min_wins: ["Wins without which nothing is said", ""], medium_rate: ["Medium when raised after this share of losses", "%"], max_p_adjusted: p,
    high_ladder: ["Losses in a row, each followed by a raise, for high", ""], high_ladder_count: ["How often, for high", ""], high_growth: ["Growth of size over one ladder, for high", "×"],
  },
  averaging: {
    min_decisions: few, low_depth: ["Adds against the position for low", ""], medium_depth: ["Adds against the position for medium", ""],
    medium_baskets: ["Baskets of that depth that medium needs", ""], grid_steps: ["Steps that make a grid", ""], grid_step_cv: ["Variation of the steps' distances, at most", "×"],
    basket_closes: ["Closes that end a basket together", ""], basket_close_seconds: ["Span in which they lie", "s"],
  },
  revenge: {
    max_gap_seconds: ["Re-entries later than this are not counted", "s"], min_each: ["Re-entries after losses and after wins without which nothing is said", ""],
    event_gap_seconds: ["Longest gap of an event", "s"], event_size_ratio: ["Size of an event, of the usual", "×"],
    event_median_of: ["Decisions that the usual size is taken of", ""], medium_rate: ["Medium from this rate on", "%"], max_p_adjusted: p,
  },
  lot_size: {
    min_trades: ["Trades without which nothing is said", ""], outlier_z: ["Modified z-score of an outlier", ""], band_low: ["Smallest lot, of the average", "×"],
    band_high: ["Largest lot, of the average", "×"], medium_share: ["Medium from this share of trades outside on", "%"], high_share: highShare,
  },
  day_share: {
    min_days: ["Days with closed trades without which nothing is said", ""], max_share_of_net: ["Best day, of the net result, at most", "%"],
    max_share_of_positive: ["Best day, of all positive days, at most", "%"], max_daily_loss: ["Loss of a day, of the initial balance, at most", "%"],
  },
  copied_trades: {
    max_lag_seconds: ["Longest lag between two opens that match", "s"], min_each: ["Decisions of either account without which nothing is said", ""],
    day_shifts: ["Shifts of days in each direction", ""], min_matches: ["Matches that medium needs", ""], medium_rate: ["Medium from this rate on", "%"], high_rate: ["High from this rate on", "%"],
    high_lot_ratio_cv: ["Variation of the ratio of lots for high, at most", "×"], high_symbols: ["Symbols that high needs", ""], high_days: ["Days that high needs", ""],
  },
  opposite_positions: {
    max_open_gap_seconds: ["Longest time between two opens", "s"], min_overlap: ["Overlap, of the shorter position, at least", "%"],
    min_volume_ratio: ["Least ratio of the two volumes", "×"], max_volume_ratio: ["Greatest ratio of the two volumes", "×"], low_count: ["Low from this number on", ""],
    medium_count: ["Medium from this number on", ""], high_count: ["High from this number on", ""], high_net_share: ["Results cancel out below this share", "%"],
  },
  automation: {
    min_decisions: few, max_p_adjusted: p, max_idle_seconds: ["Longest pause of a day without rest", "s"], idle_day_share: ["Share of days without such a pause", "%"],
    min_days: ["Days without which nothing is said", ""], modal_share: ["Share of one stop or target distance", "%"], medium_signals: ["Signals that medium needs", ""],
  },
  news: {
    window_seconds: ["Before and after an event", "s"], exemption_seconds: ["Positions opened earlier than this before it may close", "s"], min_decisions: few,
    medium_share: mediumShare, high_share: highShare, max_p_adjusted: p,
  },
  style_break: {
    min_each: ["Half of the decisions without which nothing is said", ""], medium_d: ["Kolmogorov–Smirnov distance for medium, at the lower end of its interval", ""], max_p_adjusted: p,
    medium_symbol_mix: ["Distance of the symbols' mix for medium, at the lower end of its interval", ""],
  },
};

const sections: Record<Section, [title: string, about: string]> = {
  bursts: ["Bursts", "many decisions in a short time"],
  one_sided: ["One-sided trading", "trading in one direction"],
  holding: ["Holding times", "how long positions are held"],
  loss_chasing: ["Chasing losses", "larger size after losses"],
  averaging: ["Averaging down", "adding to losing positions"],
  revenge: ["Revenge trading", "quick and larger re-entry after losses"],
  lot_size: ["Lot sizes", "jumps of the size"],
  day_share: ["Few good days", "results that come from few days"],
  copied_trades: ["Copied trades", "equal trades in two accounts"],
  opposite_positions: ["Opposite positions", "in two accounts at the same time"],
  automation: ["Automation", "timing that looks scheduled"],
  news: ["News", "trading around scheduled news: the calendar"],
  style_break: ["A change of style", "trading otherwise than before"],
};

export interface Threshold {
  key: string;
  label: string;
  unit: Unit;
}

/** The detectors with their thresholds, in the order of the document. */
export const detectors: { id: Section; title: string; about: string; thresholds: Threshold[] }[] = (Object.keys(sections) as Section[]).map((id) => ({
  id, title: sections[id][0], about: sections[id][1],
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
