import type { Schema } from "../../../api/client";
import { duration } from "../../../ui/format";
import { resources } from "./health";

type Run = Schema<"SyncRun">;
export type Reading = Schema<"Reading">;

/** How far the reading of one resource is. */
export interface Progress {
  resource: string;
  /** What goes on; null: nothing does. */
  reading: Reading | null;
  /** The resource's newest run of the cycle; null: it has not begun. */
  run: Run | null;
}

/** Whether a stream of the schedule belongs to the resource: a partner's trades are two streams. */
const belongs = (stream: string, resource: string) => stream === resource || stream.startsWith(`${resource}_`);

/**
 * How far a cycle is. runs are the newest ones. A first reading keeps the cycle
 * in which it began, and goes on beside the cycles that follow.
 */
export function progressOf(schedule: Schema<"Schedule">, runs: Run[]): Progress[] {
  return resources.map((resource) => ({
    resource,
    reading: schedule.streams.findLast((s) => s.reading !== null && belongs(s.stream, resource))?.reading ?? null,
    run: runs.find((r) => r.cycle_id === schedule.cycle_id && r.resource === resource) ?? null,
  }));
}

/** Below this a rate says little, in milliseconds. */
const tooEarly = 3_000;

/** Records a second; null: too early to say. */
export function rate(r: Reading, now: number): number | null {
  const took = now - Date.parse(r.started_at);
  return took < tooEarly || r.records_seen === 0 ? null : (r.records_seen / took) * 1000;
}

/** "about 3 min left"; empty: it cannot be told yet. */
export function timeLeft(r: Reading, now: number): string {
  if (r.estimated_end_at === null) return "";
  const minutes = Math.ceil((Date.parse(r.estimated_end_at) - now) / 60_000);
  return minutes <= 1 ? "about a minute left" : `about ${duration(minutes * 60_000)} left`;
}
