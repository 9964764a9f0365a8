import { expect, test } from "vitest";

import { canonical, sha256, sheetCSS } from "./paper";

test.each([
  [{ b: [1, "é", null], a: { d: true, c: 0.1 } }, '{"a":{"c":0.1,"d":true},"b":[1,"é",null]}'],
  [{ "€": 1, "\r": 2, "1": 3, "\u{1f600}": 4, "\ufb33": 5 }, '{"\\r":2,"1":3,"€":1,"\u{1f600}":4,"\ufb33":5}'], // sorted by UTF-16 units, as RFC 8785 has it
  [[{}, [], "\u2028"], '[{},[],"\u2028"]'],
  [{ a: undefined }, "{}"],
])("%o is written as %s", (value, want) => expect(canonical(value)).toBe(want));

test("the hash is that of the text in UTF-8", async () => {
  expect(await sha256("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(await sha256("é")).toBe("4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c");
});

test("a name without end leaves room for the report", () => {
  const sheet = sheetCSS({ topLeft: "🙂".repeat(10_000), topRight: "", bottomLeft: "" });
  expect(sheet.match(/🙂/gu)).toHaveLength(160);
  expect(sheet).toContain('…"');
});

test("names cannot end the text of a margin", () => expect(sheetCSS({ topLeft: 'A"\\\n}', topRight: "", bottomLeft: "" })).toContain('content: "A\\22 \\5c \\a }";'));
