// Words that are looked for in a text, whatever their case.

/** What matches the words. Lower case can have another length than the text, so places in one are none in the other. */
const matching = (wanted: string) => new RegExp(`(${wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")})`, "giu");

/** Whether the text contains the words; no words are everywhere. */
export const contains = (text: string, wanted: string) => text.search(matching(wanted)) >= 0;

/** A text in pieces, of which every second one is what was looked for. */
export const pieces = (text: string, wanted: string) => (wanted === "" ? [text] : text.split(matching(wanted)));
