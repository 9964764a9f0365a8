import { expect, test } from "vitest";

import { nextAfter, step } from "./queue";

const queue = (ids: string) => [...ids].map((id) => ({ id }));

test.each<[string, string, string | null]>([
  ["abc", "a", "b"],
  ["abc", "c", "a"],
  ["abc", "x", "a"], // decided meanwhile, or never in the queue
  ["a", "a", null],
  ["", "a", null],
])("in the queue %o, %s is followed by %s", (ids, id, want) => expect(nextAfter(queue(ids), id)).toBe(want));

test.each<[number | null, 1 | -1, number, number | null]>([
  [null, 1, 3, 0],
  [null, -1, 3, 2],
  [0, 1, 3, 1],
  [2, 1, 3, 2],
  [0, -1, 3, 0],
  [null, 1, 0, null],
])("from %s by %s of %s is %s", (at, by, length, want) => expect(step(at, by, length)).toBe(want));
