import { expect, test } from "vitest";

import { unshown } from "./faults";

const fault = (pointer?: string) => ({ code: "invalid", detail: `of ${pointer}`, ...(pointer !== undefined && { pointer }) });
const field = (pointer: string, exact = false) => ({ pointer, exact });

test.each([
  ["its own", ["#/name"], [field("#/name")], []],
  ["what lies in its member", ["#/tags/3", "#/tags/0/text"], [field("#/tags")], []],
  ["no member whose name begins alike", ["#/name_again"], [field("#/name")], ["#/name_again"]],
  ["no fault of what it lies in", ["#/reasons"], [field("#/reasons/0/text")], ["#/reasons"]],
  ["nothing within, if it is exact", ["#/questions", "#/questions/0/required"], [field("#/questions", true)], ["#/questions/0/required"]],
  ["all of them, if it has no member", ["#", "#/3/title", undefined], [field("")], []],
  ["none without a pointer", [undefined], [field("#/name")], [undefined]],
])("a field shows %s", (_, pointers, fields, want) => {
  expect(unshown(pointers.map(fault), fields).map((f) => f.pointer)).toEqual(want);
});

test("without fields all faults have to be said elsewhere", () => expect(unshown([fault("#/a"), fault("#/b")], [])).toHaveLength(2));
