import { expect, test } from "vitest";

import { contains, hitMarks, pieces } from "./search";

test.each<[string, string, string[]]>([
  ["I hold overnight.", "", ["I hold overnight."]],
  ["I hold overnight.", "risk", ["I hold overnight."]],
  ["I hold overnight.", "hold", ["I ", "hold", " overnight."]],
  ["Hold, HOLD, hold", "hold", ["", "Hold", ", ", "HOLD", ", ", "hold", ""]],
  ["a 2.5% risk (max)", "2.5% risk (", ["a ", "2.5% risk (", "max)"]],
  ["2x5", "2.5", ["2x5"]],
  ["a-b [c] {d} \\e ^f$ |g* +h? /i", "a-b [c] {d} \\e ^f$ |g* +h? /i", ["", "a-b [c] {d} \\e ^f$ |g* +h? /i", ""]],
  ["Über ÜBER", "über", ["", "Über", " ", "ÜBER", ""]],
  // The lower case of İ has two letters.
  ["İİ: the stop", "stop", ["İİ: the ", "stop", ""]],
  ["🙂🙂 ok", "OK", ["🙂🙂 ", "ok", ""]],
])("%o, looked through for %o", (text, wanted, want) => {
  expect(pieces(text, wanted)).toEqual(want);
  expect(contains(text, wanted)).toBe(wanted === "" || want.length > 1);
});

test("marks of what was searched for", () => {
  const said = (id: string, start_ms: number, end_ms: number, text: string) => ({ id, start_ms, end_ms, text, question_id: "q", take: 1, confidence: null });
  const segments = [said("s1", 0, 900, "I hold gold."), said("s2", 900, 2000, "Never."), said("s3", 2000, 2000, "Gold, in writing."), said("s4", 2000, 3000, "GOLD again")];
  expect(hitMarks(segments, " gold ").map((m) => [m.id, m.at_ms])).toEqual([
    ["s1", 0],
    ["s4", 2000],
  ]);
  expect(hitMarks(segments, " ")).toEqual([]);
});
