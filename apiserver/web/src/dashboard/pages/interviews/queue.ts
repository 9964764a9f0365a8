// The queue of interviews that wait for a decision, as a reviewer goes through it.
import type { Query } from "./query";

/** What waits, the most pressing first. */
export const waiting = { status: "completed", decision: "none,needs_review", sort: "-review_priority", limit: 100 } as const satisfies Query;

/** The id after the given one; the first one behind the last, or if the given one does not wait. Null if no other waits. */
export function nextAfter(queue: { id: string }[], id: string): string | null {
  const at = queue.findIndex((i) => i.id === id);
  const next = queue[(at + 1) % Math.max(1, queue.length)];
  return next && next.id !== id ? next.id : null;
}

/** A place in a list of the length, one step on or back from another; null stands before the beginning and behind the end. */
export function step(at: number | null, by: 1 | -1, length: number): number | null {
  if (length === 0) return null;
  if (at === null) return by > 0 ? 0 : length - 1;
  return Math.max(0, Math.min(length - 1, at + by));
}
