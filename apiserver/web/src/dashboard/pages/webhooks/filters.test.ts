import { expect, test } from "vitest";

import { parseFilters, writeFilters } from "./filters";

test.each([
  ["", [], ""],
  ["\n  \n", [], ""],
  ["data.health_status: blocked", [{ member: "data.health_status", values: ["blocked"] }], ""],
  [
    "data.status: a\r\n\n data.code : x:y \ndata.status: b\ndata.status: a",
    [
      { member: "data.status", values: ["a", "b"] },
      { member: "data.code", values: ["x:y"] },
    ],
    "",
  ],
  ["data.status: a\nblocked", [], "Line 2 must have the form “member: value”."],
  [": x", [], "Line 1 must have the form “member: value”."],
  ["\ndata.status:", [], "Line 2 must have the form “member: value”."],
])("the lines %j are %j", (text, filters, fault) => expect(parseFilters(text)).toEqual({ filters, fault }));

test("filters are written as they are read", () => {
  const filters = [
    { member: "data.status", values: ["a, b", "c:d"] },
    { member: "data.partial", values: ["true"] },
  ];
  expect(writeFilters(filters)).toBe("data.status: a, b\ndata.status: c:d\ndata.partial: true");
  expect(parseFilters(writeFilters(filters)).filters).toEqual(filters);
});
