// Figures over interviews as they are written.
import type { Schema } from "../../../api/client";
import { count, duration, percent } from "../../../ui/format";

type KPIs = Schema<"InterviewKPIs">;

const submitted = ["completed", "failed", "processing"];
const unsubmitted = ["incomplete", "expired", "declined"];

/** "3 of 4 (75%)": how many of the interviews that have ended were submitted. A share says little without its base. */
export function completion(k: Pick<KPIs, "by_status">): string {
  const sum = (names: string[]) => names.reduce((n, name) => n + (k.by_status[name] ?? 0), 0);
  const [done, ended] = [sum(submitted), sum([...submitted, ...unsubmitted])];
  return ended === 0 ? "–" : `${count(done)} of ${count(ended)} (${percent(done / ended, 0)})`;
}

/** A length of time in hours: "12 min", "3 h 30 min". */
export const hours = (n: number | null) => (n === null ? "–" : n * 60 < 1 ? "under 1 min" : duration(Math.round(n * 60) * 60_000));
