/** The activity of a trader from one time to another, both included. */
export function timeOf(trader: string, from: string, to: string): string {
  // `to` is not included itself, and times have microseconds at most.
  const after = new Date(Date.parse(to) + 1000).toISOString();
  return `/traders/${trader}?${new URLSearchParams({ tab: "activity", from, to: after })}`;
}
