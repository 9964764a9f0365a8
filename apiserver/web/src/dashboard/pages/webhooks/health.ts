import type { Schema } from "../../../api/client";
import { count, duration } from "../../../ui/format";

/** What the hours of an endpoint show, in a sentence or two. */
export function summaryOf(hours: Schema<"WebhookHour">[]): string {
  const delivered = hours.reduce((sum, h) => sum + h.delivered, 0);
  const failed = hours.reduce((sum, h) => sum + h.failed, 0);
  const slowest = Math.max(...hours.map((h) => h.p95_latency_ms ?? 0));
  if (delivered + failed === 0) return "No attempts in the last seven days.";
  const all = delivered + failed;
  const share = failed === 0 ? "All succeeded." : `${count(failed)} failed (${((100 * failed) / all).toFixed(1)}%).`;
  return `${count(all)} ${all === 1 ? "attempt" : "attempts"}. ${share} In the slowest hour, 95% took at most ${duration(slowest)}.`;
}
