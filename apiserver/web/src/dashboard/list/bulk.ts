// One change of many rows: each row has a request of its own.
import { type Problem, problemOf } from "../../api/client";

/** How many requests run at a time. */
const atOnce = 4;

/** How often a row is tried that the server refuses for being too many. */
const tries = 5;

export interface Outcome<R> {
  done?: R;
  problem?: Problem;
}

export const pause = (seconds: number): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** Sends one request, and waits when the server says that there were too many. */
async function attempt<R>(run: () => Promise<R>, wait: (seconds: number) => Promise<unknown>): Promise<Outcome<R>> {
  for (let n = 1; ; n++) {
    try {
      return { done: await run() };
    } catch (thrown) {
      const problem = problemOf(thrown);
      if (problem.status !== 429 || n === tries) return { problem };
      await wait(problem.retryAfter ?? 1);
    }
  }
}

/** How many rows are changed at once at most: somebody looks at the outcome of each. */
export const mostAtOnce = 1_000;

interface Part<T> {
  data: T[];
  meta: { next_cursor: string | null };
}

/** Reads a list from its beginning, up to as many rows as are changed at once. */
export async function readAll<T>(read: (part: { limit: number; cursor?: string }) => Promise<Part<T>>): Promise<T[]> {
  const limit = 100;
  const rows: T[] = [];
  for (let cursor: string | null = ""; cursor !== null && rows.length < mostAtOnce;) {
    const { data, meta }: Part<T> = await read({ limit, ...(cursor && { cursor }) });
    rows.push(...data);
    cursor = meta.next_cursor;
  }
  return rows.slice(0, mostAtOnce);
}

/** Runs the change for each row, and tells the outcome of each as it comes. It ends when all have one. */
export async function runEach<T, R>(
  rows: T[],
  run: (row: T) => Promise<R>,
  tell: (row: T, outcome: Outcome<R>) => void,
  wait: (seconds: number) => Promise<unknown> = pause,
): Promise<void> {
  const left = [...rows];
  const work = async () => {
    for (let row = left.shift(); row !== undefined; row = left.shift()) {
      const mine = row;
      tell(mine, await attempt(() => run(mine), wait));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
