import type { Schema } from "../../../api/client";
import { resources } from "./health";

type Run = Schema<"SyncRun">;

/** How far the reading of one resource is. */
export interface Progress {
  resource: string;
  /** The resource's newest run of the cycle; null: it has not begun. */
  run: Run | null;
  /** Records a second; null: too early to say. */
  rate: number | null;
  /** How many there are, as far as was known before; null: not known. */
  expected: number | null;
  /** Milliseconds until it has been read; null: not known. */
  left: number | null;
}

/** Below this a rate says little, in milliseconds. */
const tooEarly = 3_000;

/**
 * How far a cycle is, by the runs that are known, newest first. counters is what
 * the integration has brought so far: a platform that is read again from the
 * beginning has about as much.
 */
export function progressOf(cycle: string, runs: Run[], counters: Schema<"Counters">, now: number): Progress[] {
  return resources.map((resource) => {
    const run = runs.find((r) => r.cycle_id === cycle && r.resource === resource) ?? null;
    if (run === null || run.status !== "running") return { resource, run, rate: null, expected: null, left: null };
    const took = now - new Date(run.started_at).getTime();
    const rate = took < tooEarly || run.records_seen === 0 ? null : (run.records_seen / took) * 1000;
    // Records that were there already tell that this is not the first time.
    const again = run.mode === "backfill" && run.records_unchanged > run.records_seen / 2;
    const expected = again && counters[resource] > run.records_seen ? counters[resource] : null;
    return { resource, run, rate, expected, left: rate && expected ? ((expected - run.records_seen) / rate) * 1000 : null };
  });
}
