import type { Segment } from "./report";

// The words of a passage, with their places in its text and in the recording.

export interface PlacedWord {
  /** Offsets in the text; to is exclusive. */
  from: number;
  to: number;
  start_ms: number;
  end_ms: number;
}

/** The words that have a time, in the order of the text. Empty if the speech recognition gave no times for words. */
export function placeWords(segment: Segment): PlacedWord[] {
  const placed: PlacedWord[] = [];
  let after = 0;
  for (const word of segment.words ?? []) {
    const from = word.w === "" ? -1 : segment.text.indexOf(word.w, after);
    if (from < 0) continue; // the text spells it in another way
    after = from + word.w.length;
    placed.push({ from, to: after, start_ms: word.start_ms, end_ms: word.end_ms });
  }
  return placed;
}

/** The word at an offset of the text, or the one before it. */
export const wordAt = (words: PlacedWord[], offset: number): PlacedWord | undefined => words.findLast((w) => w.from <= offset) ?? words[0];

/** The word that is being said at a time of the recording. */
export const wordDuring = (words: PlacedWord[], ms: number): PlacedWord | undefined => words.findLast((w) => w.start_ms <= ms && ms < w.end_ms);

/** The word after or before the one at a time of the recording. */
export function neighbor(words: PlacedWord[], ms: number, forward: boolean): PlacedWord | undefined {
  if (forward) return words.find((w) => w.start_ms > ms) ?? words.at(-1);
  const said = words.findLastIndex((w) => w.start_ms <= ms);
  return words[Math.max(said - 1, 0)];
}

/** How many characters of an element's text are before a point of the window. Null if there is no text. */
export function offsetAt(element: Element, x: number, y: number): number | null {
  // Browsers have one or the other.
  const caret = document.caretPositionFromPoint?.(x, y);
  const at = caret ? { node: caret.offsetNode, offset: caret.offset } : placeOf(document.caretRangeFromPoint?.(x, y));
  if (!at || !element.contains(at.node)) return null;
  const range = document.createRange();
  range.setStart(element, 0);
  range.setEnd(at.node, at.offset);
  return range.toString().length;
}

const placeOf = (range: Range | null | undefined) => range && { node: range.startContainer, offset: range.startOffset };
