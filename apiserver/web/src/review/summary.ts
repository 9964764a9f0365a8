// What a reviewer reads first: a report in a few lines, each with its moment.
import { type ClaimCheck, isSpoken, type Place, reasonWords, type Report, sentenceOf, type Severity } from "./report";

/** A line of the summary. */
export interface Line {
  key: string;
  text: string;
  /** Why the line is here. */
  why: string;
  /** Where it was said or seen; null if that has no place in the interview. */
  place: Place | null;
}

/** Something that was observed in the trader's browser. */
export interface Observation {
  id: string;
  what: string;
  severity: Severity;
  recording_ms: number | null;
}

export interface Summary {
  differs: Line[];
  open: Line[];
  first: Line[];
}

/** How many moments are suggested to begin with. */
export const mostFirst = 3;

const severities: Severity[] = ["high", "medium", "low", "info"];
const rank = (s: Severity | undefined) => (s ? severities.indexOf(s) : severities.length);

/** Unclear statements first: to listen again may settle them. */
const openOrder: ClaimCheck["verdict"][] = ["unclear", "partly", "not_checkable"];

function whyOpen(check: ClaimCheck): string {
  const reason = check.reason ? (reasonWords[check.reason] ?? check.reason.replaceAll("_", " ")) : "";
  if (check.verdict === "partly") return check.detail;
  return `${check.verdict === "unclear" ? "Unclear" : "Can’t be checked"}${reason ? `: ${reason}` : ""}`;
}

/** Sums a report up. The severest differences come first, and otherwise what was said first. Of written answers there is nothing to listen to. */
export function summarize(report: Pick<Report, "claim_checks" | "findings">, observations: Observation[], written: boolean): Summary {
  const checks = report.claim_checks;
  const differing = checks.filter((c) => c.verdict === "inconsistent").toSorted((a, b) => rank(a.severity) - rank(b.severity));
  const open = openOrder.flatMap((verdict) => checks.filter((c) => c.verdict === verdict));
  const line = (c: ClaimCheck, n: number, why: string): Line => ({ key: `${c.id} ${n}`, text: sentenceOf(c), why, place: c });
  return {
    differs: differing.map((c, n) => line(c, n, c.detail)),
    open: open.map((c, n) => line(c, n, whyOpen(c))),
    first: moments(differing, open, report, observations, written),
  };
}

/** The moments to listen to first, or the passages to read if all answers are written, by severity. */
function moments(differing: ClaimCheck[], open: ClaimCheck[], report: Pick<Report, "findings">, observations: Observation[], written: boolean): Line[] {
  const found: (Line & { severity: Severity | undefined })[] = [];
  const add = (severity: Severity | undefined, text: string, why: string, place: Place) => {
    const known = found.some((f) => f.place?.start_ms === place.start_ms && f.place.segment_id === place.segment_id);
    if (isSpoken(place) !== written && !known) found.push({ key: String(found.length), text, why, place, severity });
  };
  for (const c of differing) {
    if (!c.confirmed) add(c.severity, `“${c.quote}”`, written ? "The data differs. Read the whole answer." : "The data differs. Confirm the words.", c);
  }
  for (const f of report.findings.filter((f) => f.kind === "self_contradiction")) {
    for (const e of f.evidence) if (e.type === "transcript") add(f.severity, `“${e.quote}”`, f.title, e);
  }
  for (const o of observations) {
    if (o.recording_ms !== null && rank(o.severity) <= rank("medium"))
      add(o.severity, o.what, "Observation", { segment_id: "", start_ms: o.recording_ms, end_ms: o.recording_ms + 1 });
  }
  for (const c of open) {
    if (c.reason === "low_asr_confidence") add("low", `“${c.quote}”`, "The transcript is uncertain here", c);
  }
  return found.toSorted((a, b) => rank(a.severity) - rank(b.severity)).slice(0, mostFirst);
}
