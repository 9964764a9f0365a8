import type { Schema } from "../../../api/client";

type Audited = Schema<"AuditedResource">;

/** Findings that audits alone bring, or that show in them first. */
export const auditRules = ["missed_by_updates", "many_missing", "trader_missing", "trader_unlisted", "trader_unknown", "account_unknown"];

/** How an audit has ended, or that it has not. */
export const statuses = {
  queued: { label: "Queued", tone: "quiet" },
  running: { label: "In progress", tone: "info" },
  succeeded: { label: "Complete", tone: "good" },
  partial: { label: "Partial", tone: "warn" },
  failed: { label: "Failed", tone: "bad" },
  interrupted: { label: "Interrupted", tone: "warn" },
} as const;

/** Why a list did not show everything (AuditedResource.note). */
const notes: Record<string, string> = {
  never_read: "It has never been read completely, so there is nothing to compare with.",
  page_size_ignored: "The list ended before the total that it reported.",
  open_trades_truncated: "There are more open trades than the allowed number of pages can hold.",
  bare_array_full: "The list was full and had no next page.",
  next_cursor_missing: "A page of the list was full and had no next_cursor.",
  total_count_wrong: "The list's total was wrong.",
  endless_list: "The list did not end.",
  records_without_id: "Some records had no ID, so they can’t be compared.",
};

/** Why there is no ratio; empty: there is one, or an error says why. */
export function whyNot(r: Audited): string {
  if (r.note !== null) return notes[r.note] ?? r.note.replaceAll("_", " ");
  return r.status === "skipped" ? "The platform doesn’t provide it." : "";
}

/** Records that were put right. */
export const repaired = (r: Audited) => r.records_absent + r.records_stale;

/** 0.99987 → "99.98%": never rounded up to whole. */
export function exactShare(ratio: number): string {
  const hundredths = Math.floor(Number((ratio * 10_000).toPrecision(12))); // 0.57 * 10_000 is 5699.999999999999
  return `${(hundredths / 100).toLocaleString("en", { maximumFractionDigits: 2 })}%`;
}
