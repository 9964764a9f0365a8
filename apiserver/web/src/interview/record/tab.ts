// One tab of a browser has an interview at a time: two would share the browser's
// database, and take each other's recordings for ones that were cut off.

/** How long a tab that is being loaded anew may take to let go, in milliseconds. */
const patience = 2000;

export class Tab {
  #release: () => void = () => {};
  #held = false;

  /** name is the interview's. lost is called when another tab takes it. */
  constructor(
    private readonly name: string,
    private readonly lost: () => void,
  ) {}

  /** Takes the interview for this tab, by force if told so; false when another one has it. */
  async take(force = false): Promise<boolean> {
    if (!("locks" in navigator) || this.#held) return true;
    const options: LockOptions = force ? { steal: true } : { signal: AbortSignal.timeout(patience) };
    return new Promise((resolve) => {
      navigator.locks
        .request(this.name, options, () => {
          this.#held = true;
          resolve(true);
          return new Promise<void>((release) => (this.#release = release));
        })
        .catch(() => {
          if (this.#held) this.lost();
          else resolve(false);
        })
        .finally(() => (this.#held = false));
    });
  }

  release(): void {
    this.#release();
  }
}
