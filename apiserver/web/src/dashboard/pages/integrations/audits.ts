import type { Schema } from "../../../api/client";

type Audited = Schema<"AuditedResource">;

/** Findings that audits alone bring, or that show in them first. */
export const auditRules = ["missed_by_updates", "many_missing", "trader_missing", "trader_unlisted", "trader_unknown", "account_unknown"];

/** How an audit has ended, or that it has not. */
export const statuses = {
  queued: { label: "Waits", tone: "quiet" },
  running: { label: "Goes on", tone: "info" },
  succeeded: { label: "Complete", tone: "good" },
  partial: { label: "Partial", tone: "warn" },
  failed: { label: "Failed", tone: "bad" },
  interrupted: { label: "Interrupted", tone: "warn" },
} as const;

/** Why a list did not show everything (AuditedResource.note). */
const notes: Record<string, string> = {
  never_read: "It has never been read completely, so there is nothing to compare with.",
  page_size_ignored: "The list ended before its own total.",
  open_trades_truncated: "There are more open trades than a list may have pages.",
  bare_array_full: "The list came without a next page, and was full.",
  total_count_wrong: "The list's total was wrong.",
  endless_list: "The list did not end.",
  records_without_id: "Some records had no ID, so assay cannot tell which they are.",
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
