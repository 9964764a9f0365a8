import { expect, test } from "vitest";

import { scopeOf, textOf } from "./scope";

const fault = "plan categories are whole numbers.";

test.each<[string, string, ReturnType<typeof scopeOf>]>([
  ["", "", { scope: null, fault: "" }],
  [" , ;\n", "  ", { scope: null, fault: "" }],
  ["1, 2;3 4", "", { scope: { plan_category_ids: [1, 2, 3, 4], platforms: [] }, fault: "" }],
  ["", "mt5, ctrader", { scope: { plan_category_ids: [], platforms: ["mt5", "ctrader"] }, fault: "" }],
  ["0", "", { scope: { plan_category_ids: [0], platforms: [] }, fault: "" }],
  ["1, two, 3.5", "mt5", { scope: null, fault: `two, 3.5: ${fault}` }],
  ["-1", "", { scope: null, fault: `-1: ${fault}` }],
  ["1234567890123456", "", { scope: null, fault: `1234567890123456: ${fault}` }],
])("the categories %o and the platforms %o", (categories, platforms, want) => expect(scopeOf({ categories, platforms })).toEqual(want));

test("a scope that is shown and saved again is the same", () => {
  const scope = { plan_category_ids: [7, 12], platforms: ["mt5", "ctrader"] };
  expect(scopeOf(textOf(scope))).toEqual({ scope, fault: "" });
  expect(scopeOf(textOf(null))).toEqual({ scope: null, fault: "" });
});
