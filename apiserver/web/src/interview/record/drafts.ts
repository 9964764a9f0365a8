// What the trader is writing lies in this tab's storage until it is saved, so that neither a reload nor
// a look at another question loses it. Where the browser has no storage, it lies in the page's memory.

export class Drafts {
  readonly #memory = new Map<string, string>();
  readonly #prefix: string;

  /** base is the interview's address. */
  constructor(base: string) {
    this.#prefix = `assay-draft${base}/`;
  }

  read(question: string): string {
    return this.#memory.get(question) ?? this.#stored((storage) => storage.getItem(this.#prefix + question)) ?? "";
  }

  write(question: string, text: string): void {
    this.#memory.set(question, text);
    this.#stored((storage) => (text === "" ? storage.removeItem(this.#prefix + question) : storage.setItem(this.#prefix + question, text)));
  }

  /** Forgets what was written to all questions. */
  clear(): void {
    this.#memory.clear();
    this.#stored((storage) => {
      for (const key of Object.keys(storage)) if (key.startsWith(this.#prefix)) storage.removeItem(key);
    });
  }

  /** Uses the tab's storage, which browsers may refuse; null then. */
  #stored<T>(use: (storage: Storage) => T): T | null {
    try {
      return use(sessionStorage);
    } catch {
      return null;
    }
  }
}
