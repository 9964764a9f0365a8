// What a report consists of, as the API writes it. Times on the
// recording are milliseconds since its beginning.
import type { Tone } from "../ui/state";

export type Severity = "info" | "low" | "medium" | "high";

/** A place in what was said: where the transcript goes, and the recording where there is one. */
export interface Place {
  segment_id: string;
  start_ms: number;
  /** Equal to start_ms: it was written, and there is nothing to play. */
  end_ms: number;
}

export type Evidence =
  | { type: "trade"; account_id: string; trade_id: string; own?: boolean }
  | (Place & { type: "transcript"; quote: string })
  | { type: "integrity_event"; event_id: string }
  | { type: "metric"; path: string };

/** The number that something rests on. */
export interface Metric {
  name: string;
  value: number;
  unit: string;
  threshold: number | null;
  n: number;
  p_value: number | null;
  p_adjusted: number | null;
  /** How many were made, of which this is the least likely one; missing in older reports. */
  comparisons?: number;
  ci_low: number | null;
  ci_high: number | null;
}

export interface Finding {
  id: string;
  kind: string;
  area: "activity" | "claims" | "integrity" | "data";
  severity: Severity;
  title: string;
  detail: string;
  evidence: Evidence[];
  limitations: string[];
  // A shared report does not have what follows.
  metric?: Metric | null;
  evidence_total?: number;
  suggested_question?: string | null;
}

export interface ClaimCheck extends Place {
  id: string;
  topic: string;
  /** What is stated, to be read after "Statement:"; absent of reports from before there was one. */
  statement?: string;
  quote: string;
  /** Where the same is said again. */
  also?: (Place & { id: string; quote: string })[];
  verdict: "consistent" | "partly" | "inconsistent" | "unclear" | "not_checkable";
  reason: string | null;
  detail: string;
  /** A reviewer has heard the words. */
  confirmed: boolean;
  /** A reviewer has corrected the words; absent of older reports. */
  corrected?: boolean;
  /** How many trades the verdict rests on. */
  evidence_total?: number;
  // A shared report does not have what follows.
  confidence?: number | null;
  found_by?: "rules" | "model";
  severity?: Severity;
  observed?: Metric | null;
  evidence?: Evidence[];
}

export interface Report {
  version: number;
  generated_at: string;
  ruleset_version: string | null;
  engines: { stt: string | null; llm: string | null };
  inputs: { trades: number; accounts: number; window: { from: string | null; to: string | null }; files: number; transcript_quality: string | null };
  summary: string;
  summary_draft: { text: string | null; model: string; problem: string | null; note: string; claim_checks: ClaimCheck[] } | null;
  attention_level: "none" | "low" | "medium" | "high" | "insufficient_data";
  review_priority: number;
  findings: Finding[];
  claim_checks: ClaimCheck[];
  data_gaps: string[];
  disclaimer: string;
}

export interface Segment {
  id: string;
  question_id: string;
  take: number;
  start_ms: number;
  end_ms: number;
  text: string;
  /** Of the recognition, 0 to 1; null: not known. */
  confidence: number | null;
  /** The words and when they were said; absent: not known. */
  words?: { w: string; start_ms: number; end_ms: number }[];
  /** Set to typed for an answer in writing; absent: the transcript's. */
  engine?: string;
  /** What people have corrected the words to, oldest first; absent: nobody has. Shared pages do not name the people. */
  corrections?: { corrected_by?: string; corrected_at: string }[];
}

export interface Transcript {
  engine: string;
  quality: "draft" | "standard";
  timing: "word" | "segment" | "answer_level";
  segments: Segment[];
}

/** What a recording is like, before anybody plays it. */
export interface Recorded {
  duration_ms: number;
  /** In pixels, null: sound alone. */
  width: number | null;
  height: number | null;
  answers: { question_id: string; take: number; start_ms: number; end_ms: number }[];
}

/** Something at a place of the recording. */
export interface Mark {
  id: string;
  kind: "statement" | "event" | "comment" | "hit";
  at_ms: number;
  tone: Tone;
  what: string;
}

/** How to play it, for a while. */
export interface Playback {
  /** The server's time of the answer, by its own clock, or null if it does not say. */
  answered_at: string | null;
  expires_at: string;
  refresh_after: string;
  sources: { kind: string; mime_type: string; url: string }[];
  /** Null: sound alone. */
  poster_url: string | null;
  subtitles_url: string | null;
}

/** Below it a program was not sure of what it heard. */
export const unsure = 0.5;

/** Whether a place has a sound: what was written has none. */
export const isSpoken = (place: Place) => place.end_ms > place.start_ms;

/** Whether a segment was written by the trader, and not said. */
export const isWritten = (t: Transcript, s: Segment) => (s.engine ?? t.engine) === "typed";

/** Who has corrected the words of a passage last, to be shown beside them; empty: nobody has. */
export function correctedBy(s: Segment): string {
  const last = s.corrections?.at(-1);
  return last ? `corrected by ${last.corrected_by ?? "a reviewer"}` : "";
}

/** In which order verdicts are read: what differs first. */
const verdictOrder: ClaimCheck["verdict"][] = ["inconsistent", "unclear", "partly", "consistent", "not_checkable"];

/** Statements by their verdicts; equal ones in the order in which they were said. */
export const byVerdict = (checks: ClaimCheck[]) => checks.toSorted((a, b) => verdictOrder.indexOf(a.verdict) - verdictOrder.indexOf(b.verdict));

/** Statements with the same verdict, the groups in the order in which they are read. */
export function grouped(checks: ClaimCheck[]): { verdict: ClaimCheck["verdict"]; checks: ClaimCheck[] }[] {
  return verdictOrder.map((verdict) => ({ verdict, checks: checks.filter((c) => c.verdict === verdict) })).filter((g) => g.checks.length > 0);
}

/** The statement as a sentence of its own. The API leaves out its subject, which is the trader unless it names others. */
export function sentenceOf(check: Pick<ClaimCheck, "statement" | "topic" | "quote">): string {
  if (!check.statement) return `${topicName(check.topic)}: “${check.quote}”`; // in reports of older versions
  const others = /^(nobody|somebody|other people)\b/.test(check.statement);
  return others ? `${check.statement.charAt(0).toUpperCase()}${check.statement.slice(1)}.` : `The trader ${check.statement}.`;
}

/** What topics are called. */
const topics: Record<string, string> = {
  holding_time: "Holding time",
  instruments: "Instruments",
  risk_per_trade: "Risk per trade",
  stop_loss_use: "Stop losses",
  account_count: "Accounts",
  other_people: "Other people",
  account_sharing: "Access to the account",
  ea_use: "Programs, copiers and signals",
  news: "News",
  hours_timezone: "Trading hours",
  trades_per_day: "Trades per day",
  max_loss_day: "Loss limit of a day",
  martingale_hedging: "Averaging, scaling and hedging",
  strategy_length: "Time with the strategy",
};

export const topicName = (topic: string) => topics[topic] ?? topic.replaceAll("_", " ");

export const verdictWords: Record<ClaimCheck["verdict"], string> = {
  consistent: "matches the data",
  partly: "partly matches the data",
  inconsistent: "differs from the data",
  unclear: "unclear",
  not_checkable: "can’t be checked",
};

export const verdictTones: Record<ClaimCheck["verdict"], Tone> = { consistent: "good", partly: "warn", inconsistent: "bad", unclear: "warn", not_checkable: "quiet" };

export const severityTones: Record<Severity, Tone> = { info: "quiet", low: "info", medium: "warn", high: "bad" };

/** Why a statement could not be checked, or is unclear, after its verdict. */
export const reasonWords: Record<string, string> = {
  insufficient_trades: "not enough trades",
  no_stop_data: "no stop-loss data",
  no_balance: "account balance unknown",
  no_calendar: "no news calendar",
  timezone_unknown: "time zone unknown",
  outside_window: "outside the analyzed period",
  no_contract_size: "contract size unknown",
  low_asr_confidence: "low transcript confidence",
  ambiguous_claim: "ambiguous statement",
  no_data_source: "no data to compare with",
  other_firm: "may be about another firm",
};
