// What the reader has written and not saved. It outlives the page on which it is written, because the reader may
// look something up on another one meanwhile. It is kept in this tab's memory, and for nobody else who signs in.

const kept = new Map<string, object>();

/** The draft with the key, such as "note/" and a trader's id, or the given one if there is none yet. */
export function keepDraft<T extends object>(key: string, empty: T): T {
  if (!kept.has(key)) {
    const draft = $state(empty);
    kept.set(key, draft);
  }
  return kept.get(key) as T;
}

/** Forgets a draft that has been saved. */
export function forgetDraft(key: string): void {
  kept.delete(key);
}

/** Forgets all drafts, before somebody else signs in. */
export function forgetDrafts(): void {
  kept.clear();
}
