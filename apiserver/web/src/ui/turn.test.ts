import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { afterPaint, inTurn } from "./turn";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", { hidden: false });
  vi.stubGlobal("requestAnimationFrame", (fn: () => void) => setTimeout(fn, 16));
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("pieces run in the order in which they were given, and not at once", () => {
  const done: string[] = [];
  inTurn(() => done.push("a"));
  inTurn(() => done.push("b"));
  expect(done).toEqual([]);
  vi.runAllTimers();
  expect(done).toEqual(["a", "b"]);
});

test("what a piece gives comes before what waits", () => {
  const done: string[] = [];
  inTurn(() => {
    done.push("a");
    inTurn(() => done.push("a1"));
    inTurn(() => done.push("a2"));
  });
  inTurn(() => done.push("b"));
  vi.runAllTimers();
  expect(done).toEqual(["a", "a1", "a2", "b"]);
});

test("a piece that is taken back does not run", () => {
  const done: string[] = [];
  inTurn(() => done.push("a"));
  const back = inTurn(() => done.push("b"));
  inTurn(() => done.push("c"));
  back();
  back();
  vi.runAllTimers();
  expect(done).toEqual(["a", "c"]);
});

test("pieces that take long leave time for a paint between them, and short ones do not", () => {
  const done: string[] = [];
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const piece = (name: string, ms: number) => () => {
    now += ms;
    done.push(name);
  };
  for (const ms of [1, 1, 20, 20]) inTurn(piece(`${ms} ms`, ms));
  vi.advanceTimersToNextTimer().advanceTimersToNextTimer();
  expect(done).toEqual(["1 ms", "1 ms", "20 ms"]);
  vi.advanceTimersToNextTimer().advanceTimersToNextTimer();
  expect(done).toEqual(["1 ms", "1 ms", "20 ms", "20 ms"]);
});

test("pieces run in a page that is in the background", () => {
  vi.stubGlobal("document", { hidden: true });
  const done: string[] = [];
  inTurn(() => done.push("a"));
  expect(done).toEqual([]);
  vi.runAllTimers();
  expect(done).toEqual(["a"]);
});

test("a piece that fails does not keep the others from running", () => {
  const done: string[] = [];
  inTurn(() => {
    throw new Error("broken");
  });
  inTurn(() => done.push("b"));
  expect(() => vi.runAllTimers()).toThrow("broken");
  vi.runAllTimers();
  expect(done).toEqual(["b"]);
});

test.each([
  { hidden: false, after: ["click", "work"] },
  { hidden: true, after: ["work", "click"] },
])("work after the paint runs later, and at once where nothing is painted (hidden: $hidden)", ({ hidden, after }) => {
  vi.stubGlobal("document", { hidden });
  const done: string[] = [];
  afterPaint(() => done.push("work"));
  done.push("click");
  vi.runAllTimers();
  expect(done).toEqual(after);
});
