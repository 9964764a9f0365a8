import { expect, test } from "vitest";

import { given, nameOf } from "./words";

test.each([
  [{ full_name: "Ana", email: "a@x", external_id: "1" }, "Ana"],
  [{ full_name: null, email: "a@x", external_id: "1" }, "a@x"],
  [{ full_name: null, email: null, external_id: "1" }, "1"],
  [{ full_name: null, email: null, external_id: null }, "Unnamed trader"],
])("a trader with %o is called %s", (trader, want) => expect(nameOf(trader)).toBe(want));

test("filters that are empty are not sent, and zero and false are", () => {
  expect(given({ a: null, b: undefined, c: "", d: 0, e: false, f: "x" })).toEqual({ d: 0, e: false, f: "x" });
});
