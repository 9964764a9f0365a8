import { expect, test } from "vitest";

import { gathered, type Mark } from "./marks";

test("marks of a kind at one place are drawn once", () => {
  const mark = (id: string, kind: Mark["kind"], at: number): Mark => ({ id, kind, at, text: id, href: null });
  const marks = [mark("a", "payout", 1), mark("b", "payout", 2), mark("c", "interview", 2), mark("d", "payout", 9), mark("e", "payout", 3)];
  expect(gathered(marks, (m) => Math.floor(m.at / 5)).map((m) => [m.id, m.others])).toEqual([
    ["a", 2],
    ["c", 0],
    ["d", 0],
  ]);
});
