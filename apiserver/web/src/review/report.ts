// What a report consists of, as the API writes it (interviews.md). Times on the
// recording are milliseconds since its beginning.

export type Severity = "info" | "low" | "medium" | "high";

export type Evidence =
  | { type: "trade"; account_id: string; trade_id: string }
  | { type: "transcript"; segment_id: string; start_ms: number; end_ms: number; quote: string }
  | { type: "integrity_event"; event_id: string }
  | { type: "metric"; path: string };

export interface Finding {
  id: string;
  kind: string;
  area: "activity" | "claims" | "integrity" | "data";
  severity: Severity;
  title: string;
  detail: string;
  evidence: Evidence[];
  evidence_total: number;
  limitations: string[];
  suggested_question?: string | null;
}

export interface ClaimCheck {
  id: string;
  topic: string;
  quote: string;
  segment_id: string;
  start_ms: number;
  end_ms: number;
  verdict: "consistent" | "partly" | "inconsistent" | "unclear" | "not_checkable";
  reason: string | null;
  detail: string;
}

export interface Segment {
  id: string;
  question_id: string;
  take: number;
  start_ms: number;
  end_ms: number;
  text: string;
  confidence: number | null;
}

export interface Transcript {
  engine: string;
  quality: "draft" | "standard";
  timing: "word" | "segment" | "answer_level";
  segments: Segment[];
}

export interface Playback {
  expires_at: string;
  refresh_after: string;
  duration_ms: number;
  sources: { kind: "hls"; mime_type: string; url: string }[];
  answers: { question_id: string; take: number; start_ms: number; end_ms: number }[];
  poster_url: string | null;
  subtitles_url: string | null;
}

/** 75_000 → "1:15". */
export function timestamp(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = String(seconds % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

export const verdictWords: Record<ClaimCheck["verdict"], string> = {
  consistent: "matches the data",
  partly: "matches in part",
  inconsistent: "differs from the data",
  unclear: "unclear",
  not_checkable: "can't be checked",
};
