// Whom a comment mentions: "@" with the name of a person, as it is written in the list of people.
export interface Person {
  id: string;
  name: string;
}

/** The longest names first, so that "@Ann Miller" is not taken for "@Ann". */
const longestFirst = (people: Person[]) => people.toSorted((a, b) => b.name.length - a.name.length);

/** Whether a name ends where the text goes on. */
const ends = (text: string, at: number) => !/[\p{L}\p{N}]/u.test(text.slice(at, at + 1));

/** The text in pieces, each with the person whom it mentions, if it does. */
export function pieces(body: string, people: Person[]): { text: string; person: Person | null }[] {
  const found: { text: string; person: Person | null }[] = [];
  const ordered = longestFirst(people);
  let from = 0;
  for (let at = body.indexOf("@"); at >= 0; at = body.indexOf("@", at + 1)) {
    const start = at + 1;
    const person = ordered.find((p) => body.slice(start, start + p.name.length).toLowerCase() === p.name.toLowerCase() && ends(body, start + p.name.length));
    if (!person) continue;
    if (at > from) found.push({ text: body.slice(from, at), person: null });
    from = start + person.name.length;
    found.push({ text: body.slice(at, from), person });
  }
  if (from < body.length) found.push({ text: body.slice(from), person: null });
  return found;
}

/** Whom the text mentions, each once. */
export const mentioned = (body: string, people: Person[]): string[] => [...new Set(pieces(body, people).flatMap((p) => p.person?.id ?? []))];

/** The people of whose name a word begins with what is being typed after an "@" before the caret; none if nothing is. */
export function suggested(body: string, caret: number, people: Person[]): Person[] {
  const typed = /(?:^|[\s(])@([^@\n]{0,60})$/.exec(body.slice(0, caret))?.[1]?.toLowerCase();
  if (typed === undefined) return [];
  const fits = (name: string) => name !== typed && [name, ...name.split(/\s+/)].some((word) => word.startsWith(typed));
  return people.filter((p) => fits(p.name.toLowerCase()));
}

/** The text with the name in the place of what was typed of it, and where the caret is then. */
export function completed(body: string, caret: number, person: Person): { body: string; caret: number } {
  const before = `${body.slice(0, body.lastIndexOf("@", caret - 1))}@${person.name} `;
  return { body: before + body.slice(caret).replace(/^ /, ""), caret: before.length };
}
