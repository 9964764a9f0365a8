// Times of a chart, in the zone that its data is about and not in the reader's.
import { timeFormat } from "../ui/format";

/** The zone as browsers name it: UTC where they do not know it, such as an offset in an old one. */
export function known(zone: string): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return "UTC";
  }
}

/** How times are written in a zone. */
export interface Clock {
  /** A zone that browsers know. */
  zone: string;
  /** How far the clock is ahead of that zone, in milliseconds. */
  ahead: number;
  /** "22 Nov 2026, 14:03:05" */
  second: (at: Date) => string;
  /** "22 Nov 2026" */
  day: (at: Date) => string;
  /** "22 Nov", for axes */
  short: (at: Date) => string;
  /** "Nov 2026", for axes */
  month: (at: Date) => string;
  /** "14:03", for axes */
  minute: (at: Date) => string;
}

export function clock(zone: string): Clock {
  // Trading servers whose day ends when New York closes. Browsers do not know their zone. An hour is wrong for seven hours
  // before New York changes its clocks, which is on weekends.
  const server = zone === "ny_close";
  const timeZone = server ? "America/New_York" : known(zone);
  const ahead = server ? 7 * 3_600_000 : 0;
  const style = (options: Intl.DateTimeFormatOptions) => {
    const format = timeFormat({ ...options, timeZone });
    return (at: Date) => format(at.getTime() + ahead);
  };
  return {
    zone: timeZone,
    ahead,
    second: style({ day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit" }),
    day: style({ day: "numeric", month: "short", year: "numeric" }),
    short: style({ day: "numeric", month: "short" }),
    month: style({ month: "short", year: "numeric" }),
    minute: style({ hour: "2-digit", minute: "2-digit" }),
  };
}

/** The days from a date such as "2026-01-09" on, as "9 Jan 2026" or "9 Jan 2026 and 2 days". */
export function span(from: string, days: number): string {
  const first = dayClock.day(new Date(`${from}T00:00:00Z`));
  if (days <= 1) return first;
  return `${first} – ${dayClock.day(new Date(Date.parse(`${from}T00:00:00Z`) + (days - 1) * 86_400_000))}`;
}

/** Dates without a time are days of UTC as far as charts go. */
export const dayClock = clock("UTC");
