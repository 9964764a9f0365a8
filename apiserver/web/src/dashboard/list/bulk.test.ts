import { expect, test } from "vitest";

import { Problem } from "../../api/client";
import { mostAtOnce, type Outcome, readAll, runEach } from "./bulk";

const refused = (status: number, headers = {}) => new Problem(status, "refused", {}, new Headers(headers));

test("each row has its outcome, and few requests run at a time", async () => {
  const outcomes = new Map<number, Outcome<string>>();
  let running = 0;
  let most = 0;
  await runEach(
    [...Array(20).keys()],
    async (n) => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
      if (n % 7 === 3) throw refused(409);
      return `row ${n}`;
    },
    (n, outcome) => void outcomes.set(n, outcome),
  );
  expect(most).toBe(4);
  expect(outcomes.size).toBe(20);
  expect(outcomes.get(0)).toEqual({ done: "row 0" });
  expect([...outcomes].filter(([, o]) => o.problem).map(([n]) => n)).toEqual([3, 10, 17]);
});

test("a row waits as long as the server says when there were too many requests", async () => {
  const waits: number[] = [];
  let calls = 0;
  let told: Outcome<string> | undefined;
  const wait = (seconds: number) => Promise.resolve(void waits.push(seconds));
  await runEach(
    ["a"],
    () => (++calls < 3 ? Promise.reject(refused(429, { "Retry-After": "7" })) : Promise.resolve("done")),
    (_, outcome) => void (told = outcome),
    wait,
  );
  expect(waits).toEqual([7, 7]);
  expect(told).toEqual({ done: "done" });
  await runEach(
    ["a"],
    () => Promise.reject(refused(429)),
    (_, outcome) => void (told = outcome),
    wait,
  );
  expect(told?.problem?.status).toBe(429);
});

test("a list is read part by part to its end, or to as many rows as are changed at once", async () => {
  const list = (length: number) => async (part: { limit: number; cursor?: string }) => {
    const from = Number(part.cursor ?? 0);
    const data = Array.from({ length: Math.min(part.limit, length - from) }, (_, n) => from + n);
    return { data, meta: { next_cursor: from + data.length < length ? `${from + data.length}` : null } };
  };
  for (const [length, want] of [
    [0, 0],
    [250, 250],
    [mostAtOnce, mostAtOnce],
    [mostAtOnce + 250, mostAtOnce],
  ] as const) {
    expect(await readAll(list(length))).toEqual(Array.from({ length: want }, (_, n) => n));
  }
});
