import { describe, expect, test } from "vitest";

import type { Segment } from "./report";
import { neighbor, placeWords, wordAt, wordDuring } from "./words";

const said = (text: string, ...words: [string, number, number][]): Segment => ({
  id: "s1",
  question_id: "q",
  take: 1,
  start_ms: 1000,
  end_ms: 3000,
  text,
  confidence: null,
  words: words.map(([w, start_ms, end_ms]) => ({ w, start_ms, end_ms })),
});

describe("the words of a passage", () => {
  const gold = placeWords(said("I trade gold, only gold.", ["I", 1000, 1100], ["trade", 1100, 1500], ["gold", 1500, 1900], ["only", 2200, 2500], ["gold", 2500, 3000]));

  test("are found in the text one after the other", () => {
    expect(gold.map((w) => [w.from, w.to])).toEqual([
      [0, 1],
      [2, 7],
      [8, 12],
      [14, 18],
      [19, 23],
    ]);
  });

  test("that the text spells in another way are left out", () => {
    expect(placeWords(said("5 lots", ["five", 1000, 1500], ["lots", 1500, 2000])).map((w) => w.start_ms)).toEqual([1500]);
  });

  test("have no times in a transcript without them", () => {
    const { words, ...plain } = said("Hello");
    expect(words).toEqual([]);
    expect(placeWords(plain)).toEqual([]);
  });

  test.each([
    [0, 1000],
    [4, 1100],
    [13, 1500],
    [24, 2500],
  ])("at offset %i begin at %i ms", (offset, want) => {
    expect(wordAt(gold, offset)?.start_ms).toBe(want);
  });

  test("are said at a time, or none is", () => {
    expect(wordDuring(gold, 1600)?.from).toBe(8);
    expect(wordDuring(gold, 2000)).toBeUndefined();
  });

  test.each([
    [1600, true, 2200],
    [1600, false, 1100],
    [500, true, 1000],
    [500, false, 1000],
    [2900, true, 2500],
  ])("beside %i ms, forward %s, begin at %i ms", (ms, forward, want) => {
    expect(neighbor(gold, ms, forward)?.start_ms).toBe(want);
  });
});
