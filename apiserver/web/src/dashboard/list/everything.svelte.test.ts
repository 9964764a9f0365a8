import { flushSync } from "svelte";
import { afterEach, expect, test } from "vitest";

import { Problem } from "../../api/client";
import { type Everything, everythingOf } from "./everything.svelte";

let destroy = () => {};
afterEach(() => destroy());

let filter = $state("");
let whole = $state(true);
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

/** A list all of whose rows on the page are selected, and its readings, which the test answers. */
function list() {
  const readings: { answer: (rows: string[]) => void; refuse: (why: Error) => void }[] = [];
  let made: Everything<string> | undefined;
  [filter, whole] = ["status=completed", true];
  destroy = $effect.root(() => {
    made = everythingOf(
      () => filter,
      () => whole,
      () => new Promise<string[]>((answer, refuse) => readings.push({ answer, refuse })),
    );
  });
  flushSync();
  return { all: made!, readings };
}

test("the rows of all pages are selected when they have been read", async () => {
  const { all, readings } = list();
  const selected = all.select();
  expect([all.rows, all.reading]).toEqual([null, true]);
  readings[0]?.answer(["a", "b"]);
  await selected;
  expect([all.rows, all.reading]).toEqual([["a", "b"], false]);
});

test.each<[string, () => void]>([
  ["another filter, also when the rows on the page stay the same", () => (filter = "status=completed&assignee=none")],
  ["a row of the page that is taken out", () => (whole = false)],
])("%s ends the selection", async (_, change) => {
  const { all, readings } = list();
  const selected = all.select();
  readings[0]?.answer(["a", "b"]);
  await selected;
  change();
  flushSync();
  expect(all.rows).toBeNull();
});

test("what was read for another filter is dropped, and so is why it could not be", async () => {
  const { all, readings } = list();
  for (const end of [() => readings[0]?.answer(["a", "b"]), () => readings[1]?.refuse(new Problem(503, "service_unavailable"))]) {
    void all.select();
    filter += "&overdue=true";
    flushSync();
    expect(all.reading).toBe(false);
    end();
    await settled();
    expect([all.rows, all.problem]).toEqual([null, null]);
  }
});
