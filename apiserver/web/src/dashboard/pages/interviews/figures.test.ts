import { expect, it } from "vitest";

import { completion, hours } from "./figures";

it.each<[Record<string, number>, string]>([
  [{}, "–"],
  [{ invited: 3 }, "–"],
  [{ completed: 1, declined: 3 }, "1 of 4 (25%)"],
  [{ completed: 2, failed: 1, processing: 1, in_progress: 9 }, "4 of 4 (100%)"],
])("of %o were submitted %s", (by_status, text) => expect(completion({ by_status })).toBe(text));

it.each<[number | null, string]>([
  [null, "–"],
  [0.001, "under 1 min"],
  [0.2, "12 min"],
  [3.5, "3 h 30 min"],
])("%s hours are written %s", (n, text) => expect(hours(n)).toBe(text));
