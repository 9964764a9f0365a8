import { expect, test } from "vitest";

import { byVerdict, type ClaimCheck, grouped, isWritten, type Segment, sentenceOf, topicName, type Transcript } from "./report";

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

test("statements are grouped by verdict, without empty groups", () => {
  const checks = (["consistent", "inconsistent", "consistent"] as const).map((verdict, i) => ({ id: `${i}`, verdict }) as ClaimCheck);
  expect(grouped(checks).map((g) => [g.verdict, g.checks.map((c) => c.id)])).toEqual([
    ["inconsistent", ["1"]],
    ["consistent", ["0", "2"]],
  ]);
  expect(grouped([])).toEqual([]);
});

test.each([
  ["holds positions for about 4 hours", "The trader holds positions for about 4 hours."],
  ["nobody else has access to the account", "Nobody else has access to the account."],
  ["other people trade, too", "Other people trade, too."],
  [undefined, "Risk per trade: “one percent”"],
])("the statement %o reads %s", (statement, want) => {
  expect(sentenceOf({ topic: "risk_per_trade", quote: "one percent", ...(statement && { statement }) })).toBe(want);
});
