import { expect, test } from "vitest";

import { contains, pieces } from "./search";

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
