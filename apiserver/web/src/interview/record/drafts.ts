// What the trader is writing lies in the browser's storage until it is saved, so that neither a closed tab nor a
// look at another question loses it. Where the browser has no storage, it lies in the page's memory.

export class Drafts {
  /** What the storage did not take. */
  readonly #memory = new Map<string, string>();
  readonly #prefix: string;

  /** base is the interview's address. */
  constructor(base: string) {
    this.#prefix = `assay-draft${base}/`;
  }

  read(question: string): string {
    let stored: string | null = null;
    this.#use((storage) => (stored = storage.getItem(this.#prefix + question)));
    return this.#memory.get(question) ?? stored ?? "";
  }

  write(question: string, text: string): void {
    const kept = this.#use((storage) => (text === "" ? storage.removeItem(this.#prefix + question) : storage.setItem(this.#prefix + question, text)));
    // Another tab may write on where the storage has it.
    if (kept) this.#memory.delete(question);
    else this.#memory.set(question, text);
  }

  /** Forgets what was written to all questions. */
  clear(): void {
    this.#memory.clear();
    this.#use((storage) => {
      for (const key of Object.keys(storage)) if (key.startsWith(this.#prefix)) storage.removeItem(key);
    });
  }

  /** Uses the storage of the browser, which may refuse it; returns whether it worked. */
  #use(use: (storage: Storage) => unknown): boolean {
    try {
      use(localStorage);
      return true;
    } catch {
      return false;
    }
  }
}
