import { type Problem, problemOf } from "../api/client";
import { reconnected } from "../api/connection";

/** What a page reads from the server. */
export interface Resource<T> {
  /** Undefined until the first answer; the old one while a new one is on its way. */
  readonly value: T | undefined;
  /** Why the newest reading failed; null: it did not. */
  readonly problem: Problem | null;
  readonly loading: boolean;
  /** Reads again; resolves when the answer is there, and never rejects. */
  reload(): Promise<void>;
  /** Shows what a change answered, without another reading. */
  set(value: T): void;
}

/**
 * Reads at once, and again whenever reactive values change that read looks at before
 * its first await. Answers that newer ones have overtaken are dropped. Without a connection it reads again
 * once there is one. Call it while a component is made.
 */
export function resource<T>(read: () => Promise<T>): Resource<T> {
  let value = $state.raw<T | undefined>();
  let problem = $state.raw<Problem | null>(null);
  let loading = $state(true);
  let turn = 0;

  async function reload(): Promise<void> {
    const mine = ++turn;
    loading = true;
    try {
      const answer = await read();
      if (mine !== turn) return;
      value = answer;
      problem = null;
    } catch (thrown) {
      if (mine !== turn) return;
      problem = problemOf(thrown);
      if (problem.code === "offline") void readWhenBack(mine);
    }
    loading = false;
  }

  async function readWhenBack(lost: number): Promise<void> {
    await reconnected();
    if (lost === turn) await reload();
  }

  $effect(() => {
    void reload();
    return () => void turn++;
  });

  return {
    get value() {
      return value;
    },
    get problem() {
      return problem;
    },
    get loading() {
      return loading;
    },
    reload,
    set(answer: T) {
      turn++;
      value = answer;
      problem = null;
      loading = false;
    },
  };
}
