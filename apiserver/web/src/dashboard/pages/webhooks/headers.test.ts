import { expect, test } from "vitest";

import { parseHeaders } from "./headers";

test.each([
  ["", [], ""],
  ["\n  \n", [], ""],
  ["Authorization: Bearer 5f2c", [{ name: "Authorization", value: "Bearer 5f2c" }], ""],
  [
    "X-A:1\r\n\n X-B : a:b \n",
    [
      { name: "X-A", value: "1" },
      { name: "X-B", value: "a:b" },
    ],
    "",
  ],
  ["X-A: 1\nBearer 5f2c", [], "Line 2 must have the form “Name: value”."],
  [": x", [], "Line 1 must have the form “Name: value”."],
  ["\nX-A:", [], "Line 2 must have the form “Name: value”."],
])("the lines %j are %j", (text, headers, fault) => expect(parseHeaders(text)).toEqual({ headers, fault }));
