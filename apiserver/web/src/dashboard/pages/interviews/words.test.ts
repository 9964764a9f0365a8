import { describe, expect, test } from "vitest";

import { attention, awaiting, decisions, type Interview, noReport, observation, overdue, reviewDueHours, statuses, topic, traderName } from "./words";

const completedAt = "2026-11-20T12:00:00Z";
const interview = (changes: Partial<Interview> = {}) => ({ status: "completed", decision: null, completed_at: completedAt, ...changes }) as Interview;
const decided = (value: string) => ({ value }) as Interview["decision"];

test.each<[Partial<Interview>, boolean]>([
  [{}, true],
  [{ decision: decided("needs_review") }, true],
  [{ decision: decided("approved") }, false],
  [{ decision: decided("rejected") }, false],
  [{ status: "processing" }, false],
  [{ status: "failed" }, false],
])("an interview with %o waits for a decision: %s", (changes, want) => expect(awaiting(interview(changes))).toBe(want));

test.each<[Partial<Parameters<typeof noReport>[0]>, RegExp]>([
  [{ status: "processing" }, /yet/],
  [{ status: "invited" }, /yet/],
  [{ status: "failed" }, /under Manage/],
  [{ status: "expired" }, /nothing was answered/],
  [{ status: "completed", completed_at: completedAt }, /retention period/],
])("an interview with %o has no report: %s", (changes, want) => expect(noReport({ status: "completed", record_purge_at: null, completed_at: null, ...changes })).toMatch(want));

describe("overdue", () => {
  const due = Date.parse(completedAt) + reviewDueHours * 3_600_000;
  test.each<[string, Partial<Interview>, number, boolean]>([
    ["at the hour", {}, due, false],
    ["after it", {}, due + 1, true],
    ["decided", { decision: decided("approved") }, due + 1, false],
    ["without a report", { completed_at: null }, due + 1, false],
  ])("%s", (_, changes, now, want) => expect(overdue(interview(changes), now)).toBe(want));
});

test.each([
  [{ full_name: "Ana", email: "a@x", external_id: "1" }, "Ana"],
  [{ full_name: null, email: "a@x", external_id: "1" }, "a@x"],
  [{ full_name: null, email: null, external_id: "1" }, "1"],
  [{ full_name: null, email: null, external_id: null }, "Unnamed trader"],
])("a trader with %o is called %s", (trader, want) => expect(traderName({ trader: { id: "t", ...trader } as Interview["trader"] })).toBe(want));

test.each([
  ["ea_use", "Use of expert advisors"],
  ["general", "General"],
  ["holding_time", "Holding time"],
])("the topic %s is %s", (name, want) => expect(topic(name)).toBe(want));

test("a state is told from the others by its word, and says what it means", () => {
  for (const states of [statuses, decisions, attention]) {
    const all = Object.values(states);
    expect(new Set(all.map((s) => s.label)).size).toBe(all.length);
    for (const s of all) expect(s.about).toMatch(/^[A-Z].*\.$/);
  }
});

test("only what needs somebody is yellow or red", () => {
  const alarming = Object.entries(statuses).filter(([, s]) => s.tone === "warn" || s.tone === "bad");
  expect(alarming.map(([name]) => name)).toEqual(["incomplete", "failed"]);
});

test.each([
  ["tab_hidden", "Page hidden"],
  ["no_face", "No face"],
])("the observation %s is called %s", (kind, want) => expect(observation(kind)).toBe(want));
