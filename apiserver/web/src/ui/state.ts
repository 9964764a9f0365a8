/** How good a state is, which gives a badge its color. */
export type Tone = "good" | "warn" | "bad" | "info" | "quiet";

/** A state of something, in words. */
export interface StateWords {
  label: string;
  tone: Tone;
  /** What the state means, and who has to act. */
  about: string;
}
