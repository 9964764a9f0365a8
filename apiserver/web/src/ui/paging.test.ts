import { expect, test } from "vitest";

import { pageOf, resized, sizeOf } from "./paging";

test.each([
  ["", 1],
  ["page=3", 3],
  ["page=2.9", 2],
  ["page=0", 1],
  ["page=-4", 1],
  ["page=x", 1],
])("%o asks for page %i", (q, want) => expect(pageOf(new URLSearchParams(q))).toBe(want));

test.each([
  ["", 25],
  ["limit=50", 50],
  ["limit=100", 100],
  ["limit=7", 25],
  ["limit=100000", 25],
  ["limit=x", 25],
])("%o asks for %i rows", (q, want) => expect(sizeOf(new URLSearchParams(q), 25)).toBe(want));

test("another size begins at the first page, and the usual one is not in the address", () => {
  expect(resized(50, 25)).toEqual({ limit: 50, page: null });
  expect(resized(25, 25)).toEqual({ limit: null, page: null });
});
