// What the reader has written and not saved. It outlives the page on which it is written, because the reader may
// look something up on another one meanwhile. It is kept in this tab's memory, and for nobody else who signs in.

/** Drafts, with what each was when it was empty. */
const kept = new Map<string, { draft: object; empty: string }>();

/** The draft with the key, such as "note/" and a trader's id, or the given one if there is none yet. */
export function keepDraft<T extends object>(key: string, empty: T): T {
  if (!kept.has(key)) {
    const draft = $state(empty);
    kept.set(key, { draft, empty: JSON.stringify(empty) });
  }
  return kept.get(key)?.draft as T;
}

/** Whether anything is written that a reload of everything would lose. */
export const hasDrafts = () => [...kept.values()].some(({ draft, empty }) => JSON.stringify(draft) !== empty);

/** Forgets a draft that has been saved. */
export function forgetDraft(key: string): void {
  kept.delete(key);
}

/** Forgets all drafts, before somebody else signs in. */
export function forgetDrafts(): void {
  kept.clear();
}
