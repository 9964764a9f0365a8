import { type Problem, problemOf } from "../../api/client";

/** The rows of all pages of a list, when the reader has selected them. */
export interface Everything<T> {
  /** Null if they are not selected. */
  readonly rows: T[] | null;
  readonly reading: boolean;
  /** Why the newest reading failed, or null if it did not. */
  readonly problem: Problem | null;
  /** Reads and selects them. */
  select(): Promise<void>;
}

/**
 * Selects the rows of all pages, as long as the filter stays the same and the rows of the page that is shown are
 * all selected. Call it while a component is made.
 */
export function everythingOf<T>(filter: () => string, whole: () => boolean, read: () => Promise<T[]>): Everything<T> {
  let rows = $state.raw<T[] | null>(null);
  let reading = $state(false);
  let problem = $state.raw<Problem | null>(null);
  const basis = $derived(`${whole()} ${filter()}`);
  let turn = 0;

  $effect(() => {
    void basis;
    turn++; // also drops what is being read
    rows = problem = null;
    reading = false;
  });

  return {
    get rows() {
      return rows;
    },
    get reading() {
      return reading;
    },
    get problem() {
      return problem;
    },
    async select() {
      const mine = ++turn;
      reading = true;
      problem = null;
      try {
        const found = await read();
        if (mine === turn) rows = found;
      } catch (thrown) {
        if (mine === turn) problem = problemOf(thrown);
      }
      if (mine === turn) reading = false;
    },
  };
}
