import { expect, test } from "vitest";

import { digitsOf, Exact, parseExactly } from "./exact";

test.each<[string, unknown]>([
  ["1.5", 1.5],
  ["-0", -0],
  ["0.000", 0],
  ["31.500000000000004", 31.500000000000004],
  ["1e-7", 1e-7],
  ["100000000000000000000", 1e20],
  ["1.10000000000000000", 1.1],
  ["1e400", new Exact("1e400")],
  ["-1e-400", new Exact("-1e-400")],
  ["9007199254740993", new Exact("9007199254740993")],
  ["0.12345678901234567890", new Exact("0.12345678901234567890")],
  ['"9007199254740993"', "9007199254740993"],
  ['{"a \\" 9007199254740993": "1e400\\\\"}', { 'a " 9007199254740993': "1e400\\" }],
  ['[{"net": 1e400, "text": "x"}, 2]', [{ net: new Exact("1e400"), text: "x" }, 2]],
])("%s is read with all its digits", (json, want) => expect(parseExactly(json)).toEqual(want));

test("what is no JSON is refused", () => {
  for (const text of ["", "<html>", "9007199254740993 9007199254740993"]) expect(() => parseExactly(text)).toThrow(SyntaxError);
});

test("in arithmetic it is the nearest number", () => {
  const n = parseExactly("9007199254740993") as number;
  expect([n - 1, n > 5, Math.abs(n), `${n}`]).toEqual([9007199254740991, true, 9007199254740992, "9007199254740993"]);
  expect([digitsOf(n), digitsOf(1.5)]).toEqual(["9007199254740993", 1.5]);
});
