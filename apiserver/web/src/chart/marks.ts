/** Something that happened at a time, marked above a chart. Times are seconds since 1970. */
export interface Mark {
  id: string;
  kind: "interview" | "payout" | "finding";
  at: number;
  text: string;
  /** The page about it; null: whoever shows the chart shows it. */
  href: string | null;
}

/** A point on a line. */
export interface Dot {
  at: number;
  value: number;
}

/** What kinds of marks are called, and the color in which they are drawn, a custom property of theme.css. */
export const kinds = {
  interview: { label: "Interview", colour: "--accent" },
  payout: { label: "Payout", colour: "--good" },
  finding: { label: "Finding", colour: "--warn" },
} as const;

/** Marks of a kind at one place are drawn as the first of them, with how many others it stands for. */
export function gathered(marks: Mark[], placeOf: (mark: Mark) => number): (Mark & { others: number })[] {
  const first = new Map<string, Mark & { others: number }>();
  for (const mark of marks) {
    const place = `${mark.kind} ${placeOf(mark)}`;
    const found = first.get(place);
    if (found) found.others++;
    else first.set(place, { ...mark, others: 0 });
  }
  return [...first.values()];
}
