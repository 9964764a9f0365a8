import { expect, test } from "vitest";

import { byVerdict, type ClaimCheck, isWritten, type Segment, topicName, type Transcript } from "./report";

test("statements that differ come first, and equal ones stay in the order in which they were said", () => {
  const checks = (["consistent", "not_checkable", "inconsistent", "partly", "unclear", "inconsistent"] as const).map((verdict, i) => ({ id: `${i}`, verdict }) as ClaimCheck);
  expect(byVerdict(checks).map((c) => c.id)).toEqual(["2", "5", "4", "3", "0", "1"]);
  expect(checks.map((c) => c.id)).toEqual(["0", "1", "2", "3", "4", "5"]);
});

test.each([
  ["whisper", undefined, false],
  ["whisper", "typed", true],
  ["typed", undefined, true],
  ["typed", "whisper", false],
])("in a transcript of %s a segment of %s is written: %s", (engine, own, want) => {
  expect(isWritten({ engine } as Transcript, { ...(own && { engine: own }) } as Segment)).toBe(want);
});

test.each([
  ["stop_loss_use", "Stop losses"],
  ["of_a_newer_server", "of a newer server"],
])("the topic %s is %s", (topic, want) => expect(topicName(topic)).toBe(want));
