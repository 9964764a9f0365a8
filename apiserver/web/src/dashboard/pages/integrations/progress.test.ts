import { describe, expect, test } from "vitest";

import type { Schema } from "../../../api/client";
import { progressOf, rate, type Reading, timeLeft } from "./progress";

const now = Date.parse("2026-11-22T12:00:00Z");
const at = (seconds: number) => new Date(now + seconds * 1000).toISOString();
const reading = (changes: Partial<Reading> = {}) => ({ started_at: at(-10), records_seen: 50, estimated_end_at: null, ...changes }) as Reading;

describe("how far a cycle is", () => {
  const run = (id: string, cycle_id: string, resource: string) => ({ id, cycle_id, resource }) as unknown as Schema<"SyncRun">;
  const schedule = (streams: { stream: string; reading: Reading | null }[]) => ({ cycle_id: "now", streams }) as unknown as Schema<"Schedule">;

  test("each resource has the newest run of this cycle, and none of another one", () => {
    const progress = progressOf(schedule([]), [run("3", "now", "traders"), run("2", "now", "traders"), run("1", "before", "accounts")]);
    expect(progress.map((p) => [p.resource, p.run?.id ?? null, p.reading])).toEqual([
      ["traders", "3", null],
      ["accounts", null, null],
      ["trades", null, null],
      ["payouts", null, null],
    ]);
  });

  test("the streams of a resource count as its own, and others that begin alike do not", () => {
    const [open, closed] = [reading({ records_seen: 1 }), reading({ records_seen: 2 })];
    const progress = progressOf(
      schedule([
        { stream: "trades_open", reading: open },
        { stream: "trades_closed", reading: closed },
        { stream: "payouts", reading: null },
        { stream: "tradersx", reading: open },
      ]),
      [],
    );
    expect(progress.map((p) => p.reading?.records_seen ?? null)).toEqual([null, null, 2, null]);
  });
});

test.each<[string, Partial<Reading>, number | null]>([
  ["50 records in 10 s", {}, 5],
  ["nothing seen", { records_seen: 0 }, null],
  ["just begun", { started_at: at(-2.9) }, null],
  ["the server's clock is ahead", { started_at: at(5) }, null],
])("the rate of a reading: %s", (_, changes, want) => expect(rate(reading(changes), now)).toBe(want));

test.each<[string | null, string]>([
  [null, ""],
  [at(-30), "about a minute left"],
  [at(1), "about a minute left"],
  [at(60), "about a minute left"],
  [at(61), "about 2 min left"],
  [at(3_601), "about 1 h 1 min left"],
])("a reading that ends at %s has %s", (end, want) => expect(timeLeft(reading({ estimated_end_at: end }), now)).toBe(want));
