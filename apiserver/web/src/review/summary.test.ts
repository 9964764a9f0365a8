import { expect, test } from "vitest";

import type { ClaimCheck, Finding, Severity } from "./report";
import { mostFirst, summarize } from "./summary";

const check = (id: string, more: Partial<ClaimCheck>) =>
  ({
    id,
    topic: "news",
    statement: `says ${id}`,
    quote: `quote ${id}`,
    segment_id: id,
    start_ms: Number(id) * 1000,
    end_ms: Number(id) * 1000 + 500,
    detail: `detail ${id}`,
    reason: null,
    confirmed: false,
    ...more,
  }) as ClaimCheck;
const seen = (id: string, severity: Severity, recording_ms: number | null) => ({ id, what: `seen ${id}`, severity, recording_ms });

test("a summary says what differs, the severest first, and what is open, the unclear first", () => {
  const s = summarize(
    {
      claim_checks: [
        check("1", { verdict: "inconsistent", severity: "low" }),
        check("2", { verdict: "not_checkable", reason: "no_balance" }),
        check("3", { verdict: "consistent" }),
        check("4", { verdict: "inconsistent", severity: "high" }),
        check("5", { verdict: "partly" }),
        check("6", { verdict: "unclear", reason: "ambiguous_claim" }),
      ],
      findings: [],
    },
    [],
    false,
  );
  expect(s.differs.map((l) => [l.text, l.why])).toEqual([
    ["The trader says 4.", "detail 4"],
    ["The trader says 1.", "detail 1"],
  ]);
  expect(s.open.map((l) => [l.text, l.why])).toEqual([
    ["The trader says 6.", "Unclear: ambiguous statement"],
    ["The trader says 5.", "detail 5"],
    ["The trader says 2.", "Can’t be checked: account balance unknown"],
  ]);
});

test("the moments to listen to first are the severest of what was spoken and seen", () => {
  const s = summarize(
    {
      claim_checks: [
        check("1", { verdict: "unclear", reason: "low_asr_confidence" }),
        check("2", { verdict: "inconsistent", severity: "medium" }),
        check("3", { verdict: "inconsistent", severity: "high", confirmed: true }), // somebody has listened
        check("4", { verdict: "inconsistent", severity: "high", end_ms: 4000 }), // in writing
        check("5", { verdict: "not_checkable", reason: "no_balance" }),
      ],
      findings: [],
    },
    [seen("a", "high", 9000), seen("b", "low", 10_000), seen("c", "high", null)],
    false,
  );
  expect(s.first.map((l) => [l.place?.start_ms, l.text])).toEqual([
    [9000, "seen a"],
    [2000, "“quote 2”"],
    [1000, "“quote 1”"],
  ]);
});

test("of written answers, the passages to read first are suggested, and nothing to confirm", () => {
  const written = (id: string, severity: Severity) => check(id, { verdict: "inconsistent", severity, start_ms: 0, end_ms: 0 });
  const s = summarize({ claim_checks: [written("1", "low"), written("2", "high")], findings: [] }, [seen("a", "high", 9000)], true);
  expect(s.first.map((l) => [l.text, l.why])).toEqual([
    ["“quote 2”", "The data differs. Read the whole answer."],
    ["“quote 1”", "The data differs. Read the whole answer."],
  ]);
});

test("a moment is suggested once, and no more than a few are", () => {
  const checks = [1, 2, 3, 4, 5].map((n) => check(String(n), { verdict: "inconsistent", severity: "medium" }));
  const finding = {
    kind: "self_contradiction",
    severity: "low",
    title: "Two statements differ",
    evidence: [{ type: "transcript", quote: "again", segment_id: "1", start_ms: 1000, end_ms: 1500 }],
  };
  const s = summarize({ claim_checks: checks, findings: [finding as Finding] }, [], false);
  expect(s.first.map((l) => l.place?.start_ms)).toEqual([1000, 2000, 3000].slice(0, mostFirst));
  expect(summarize({ claim_checks: checks.slice(0, 1), findings: [finding as Finding] }, [], false).first).toHaveLength(1);
});

test("an empty report has an empty summary", () => {
  expect(summarize({ claim_checks: [], findings: [] }, [], false)).toEqual({ differs: [], open: [], first: [] });
});
