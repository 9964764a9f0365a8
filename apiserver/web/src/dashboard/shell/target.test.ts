import { expect, test, vi } from "vitest";

import { targetOf } from "./target";

test.each([
  ["/interviews/1?tab=observations#c2", "/interviews/1?tab=observations#c2"],
  ["", "/"],
  ["interviews", "/"],
  ["https://elsewhere.test/", "/"],
  ["//elsewhere.test", "/"],
  ["/\\elsewhere.test", "/"],
  ["/\t/elsewhere.test", "/"],
  ["/\n//[", "/"],
])("%j leads to %s, also in browsers without URL.parse", (wanted, want) => {
  vi.spyOn(URL, "parse").mockImplementation(() => {
    throw new TypeError("URL.parse is not a function");
  });
  expect(targetOf(wanted)).toBe(want);
});
