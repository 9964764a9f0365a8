// The columns of a list, and those that its address chooses.
import type { Snippet } from "svelte";

/** A column of a list of T. */
export interface Column<T> {
  id: string;
  label: string;
  cell: Snippet<[T]>;
  /** The orders that the column has, as the address names them: descending first. The order of a list without one is "". */
  orders?: string[];
  /** Whether it contains numbers. */
  number?: boolean;
  /** Whether it names the row: it is always shown. */
  names?: boolean;
  /** Whether it is hidden until somebody chooses it. */
  hidden?: boolean;
  /** Whether it is hidden, until somebody chooses it, where a list would have to be scrolled sideways. */
  roomy?: boolean;
}

type Choice = Pick<Column<never>, "id" | "names" | "hidden" | "roomy">;

/** Where a list of all usual columns would have to be scrolled sideways. Narrower pages show rows as cards. */
export const narrow = "48rem < width <= 72rem";

/** The ids of the columns that nobody has chosen, where there is little room or enough. */
const usual = (all: Choice[], tight: boolean) => all.filter((c) => c.names || !(c.hidden || (tight && c.roomy))).map((c) => c.id);

/** The ids of the columns that an address asks for. Unknown ones are ignored. */
export function chosen(all: Choice[], address: URLSearchParams, tight = false): string[] {
  const wanted = address.get("columns")?.split(",");
  return wanted ? all.filter((c) => c.names || wanted.includes(c.id)).map((c) => c.id) : usual(all, tight);
}

/** What the address says after a column was shown or hidden; null for the usual columns. */
export function toggled(all: Choice[], now: string[], id: string, tight = false): string | null {
  const next = all.filter((c) => c.names || (c.id === id) !== now.includes(c.id)).map((c) => c.id);
  return next.join() === usual(all, tight).join() ? null : next.join();
}

/** The ids of the rows from one to another, in either direction; the second alone if the first is not there. */
export function range(ids: string[], from: string | null, to: string): string[] {
  const [a, b] = [from === null ? -1 : ids.indexOf(from), ids.indexOf(to)];
  return a < 0 ? [to] : ids.slice(Math.min(a, b), Math.max(a, b) + 1);
}
