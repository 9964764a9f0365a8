import type { Mark, Segment } from "./report";

// Words that are looked for in a text, whatever their case.

/** What matches the words. Lower case can have another length than the text, so places in one are none in the other. */
const matching = (wanted: string) => new RegExp(`(${wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")})`, "giu");

/** Whether the text contains the words; no words are everywhere. */
export const contains = (text: string, wanted: string) => text.search(matching(wanted)) >= 0;

/** A text in pieces, of which every second one is what was looked for. */
export const pieces = (text: string, wanted: string) => (wanted === "" ? [text] : text.split(matching(wanted)));

/** The passages that were spoken and contain the words, as marks on the timeline; no words are nowhere. */
export function hitMarks(segments: Segment[], search: string): Mark[] {
  const wanted = search.trim();
  if (wanted === "") return [];
  return segments
    .filter((s) => s.end_ms > s.start_ms && contains(s.text, wanted))
    .map((s) => ({ id: s.id, kind: "hit", at_ms: s.start_ms, tone: "info", what: s.text.slice(0, 200) }));
}
