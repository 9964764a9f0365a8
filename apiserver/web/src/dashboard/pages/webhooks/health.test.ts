import { expect, test } from "vitest";

import { summaryOf } from "./health";

const at = "2026-11-20T08:00:00Z";

test.each([
  [[], "No attempts in the last seven days."],
  [[{ starts_at: at, delivered: 0, failed: 0, p95_latency_ms: null }], "No attempts in the last seven days."],
  [[{ starts_at: at, delivered: 1, failed: 0, p95_latency_ms: 40 }], "1 attempt. All succeeded. In the slowest hour, 95% took at most 40 ms."],
  [
    [
      { starts_at: at, delivered: 2, failed: 1, p95_latency_ms: 40 },
      { starts_at: at, delivered: 0, failed: 0, p95_latency_ms: null },
      { starts_at: at, delivered: 5, failed: 0, p95_latency_ms: 180 },
    ],
    "8 attempts. 1 failed (12.5%). In the slowest hour, 95% took at most 180 ms.",
  ],
])("%j is summed up as %j", (hours, want) => expect(summaryOf(hours)).toBe(want));
