// One tab of a browser has an interview at a time: two would share the browser's
// database, and take each other's recordings for ones that were cut off.

/** How long a tab that is being loaded anew may take to let go, in milliseconds. */
const patience = 2000;

export class Tab {
  #release: () => void = () => {};

  /** name is the interview's. lost is called when another tab takes it. */
  constructor(
    private readonly name: string,
    private readonly lost: () => void,
  ) {}

  /** Takes the interview for this tab, by force if told so; false when another one has it. */
  async take(force = false): Promise<boolean> {
    if (!("locks" in navigator)) return true;
    const options: LockOptions = force ? { steal: true } : { signal: AbortSignal.timeout(patience) };
    return new Promise((resolve) => {
      let held = false;
      navigator.locks
        .request(this.name, options, () => {
          held = true;
          resolve(true);
          return new Promise<void>((release) => (this.#release = release));
        })
        .catch(() => (held ? this.lost() : resolve(false)));
    });
  }

  release(): void {
    this.#release();
  }
}
