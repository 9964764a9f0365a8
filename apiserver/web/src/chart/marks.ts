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
