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
}

type Choice = Pick<Column<never>, "id" | "names" | "hidden">;

const usual = (all: Choice[]) => all.filter((c) => c.names || !c.hidden).map((c) => c.id);

/** The ids of the columns that an address asks for. Unknown ones are ignored. */
export function chosen(all: Choice[], address: URLSearchParams): string[] {
  const wanted = address.get("columns")?.split(",");
  return wanted ? all.filter((c) => c.names || wanted.includes(c.id)).map((c) => c.id) : usual(all);
}

/** What the address says after a column was shown or hidden; null for the usual columns. */
export function toggled(all: Choice[], now: string[], id: string): string | null {
  const next = all.filter((c) => c.names || (c.id === id) !== now.includes(c.id)).map((c) => c.id);
  return next.join() === usual(all).join() ? null : next.join();
}

/** The ids of the rows from one to another, in either direction; the second alone if the first is not there. */
export function range(ids: string[], from: string | null, to: string): string[] {
  const [a, b] = [from === null ? -1 : ids.indexOf(from), ids.indexOf(to)];
  return a < 0 ? [to] : ids.slice(Math.min(a, b), Math.max(a, b) + 1);
}
