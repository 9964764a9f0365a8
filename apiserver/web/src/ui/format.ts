import { digitsOf } from "./exact";

// How numbers, money and times are written. The pages are in English: readers of
// other languages get English words, and not their own months between them.

/** For numbers and for the names of time zones. */
export const locale = typeof navigator !== "undefined" && navigator.language.startsWith("en") ? navigator.language : "en-GB";

/** The reader's time zone, such as "Europe/Madrid". */
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export const none = "–";

const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 });

/** 12345 → "12,345"; null → "–". */
export const count = (n: number | null | undefined) => (n == null ? none : whole.format(n));

const small = new Intl.NumberFormat(locale, { maximumSignificantDigits: 2 });

/** 12345 → "12.3K", 0.00025 → "0.00025": where room is short. Put the exact number beside it, or in a title. */
export const compact = (n: number | null | undefined) => (n == null ? none : (Math.abs(n) > 1e-9 && Math.abs(n) < 1 ? small : short).format(n));

/** "1 trader", "2 traders": the plural is the singular with an s unless it is given. */
export const counted = (n: number, one: string, many = `${one}s`) => `${whole.format(n)} ${n === 1 ? one : many}`;

/** Formats by their digits: making one takes longer than writing hundreds of numbers with it. */
const formats = new Map<string, Intl.NumberFormat>();

function format(least: number, most: number): Intl.NumberFormat {
  const key = `${least} ${most}`;
  let made = formats.get(key);
  if (!made) formats.set(key, (made = new Intl.NumberFormat(locale, { minimumFractionDigits: least, maximumFractionDigits: most })));
  return made;
}

/** "5e308" → "5E308", "1234567e30" → "1.23457E36". Intl.NumberFormat takes what is beyond 1.8e308 for infinite. */
function scientific(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = /^(-?)0*(\d+)\.?(\d*)(?:e\+?(-?\d+))?$/i.exec(text) ?? [];
  const [size, power] = Number(`${whole.slice(0, 1)}.${whole.slice(1)}${fraction}`)
    .toExponential(5)
    .split("e");
  return `${sign}${format(0, 5).format(Number(size))}E${Number(exponent) + whole.length - 1 + Number(power)}`;
}

/** With all digits before the point, unless there are so many that nobody reads them. */
function withDigits(n: number, least: number, most: number): string {
  const digits = digitsOf(n);
  return Math.abs(n) < 1e21 ? format(least, most).format(digits) : scientific(String(digits));
}

/** At most digits digits after the point. */
export const decimal = (n: number | null | undefined, digits = 2) => (n == null ? none : withDigits(n, 0, digits));

/** 0.1234 → "12.3%". */
export const percent = (share: number | null | undefined, digits = 1) => (share == null ? none : `${decimal(share * 100, digits)}%`);

/** The digits that amounts in a currency have after the point: none in yen, three in Kuwaiti dinars, two where it is not known. */
function digitsIn(currency: string | null | undefined): number {
  try {
    return new Intl.NumberFormat("en", { style: "currency", currency: currency ?? "" }).resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2; // it is no code of a currency
  }
}

/** Digits of currencies: looking them up takes longer than writing a number. */
const places = new Map<string | null | undefined, number>();

/** An amount without the name of its currency: 1234.5, "USD" → "1,234.50"; 1234, "JPY" → "1,234"; 1.5, "KWD" → "1.500". */
export function amount(n: number | null | undefined, currency?: string | null): string {
  if (n == null) return none;
  let digits = places.get(currency);
  if (digits === undefined) places.set(currency, (digits = digitsIn(currency)));
  return withDigits(n, digits, Math.abs(n) < 0.005 ? 8 : Math.max(digits, 2));
}

/** 1234.5, "USD" → "1,234.50 USD"; 0.00000025, "BTC" → "0.00000025 BTC". A currency that is not told leaves the number alone. */
export const money = (n: number | null | undefined, currency?: string | null) => amount(n, currency) + (n != null && currency ? ` ${currency}` : "");

/** 1536 → "1.5 KiB". */
export function bytes(n: number | null | undefined): string {
  if (n == null) return none;
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  // As it is written: 1023.96 KiB is 1 MiB, and not 1,024 KiB.
  while (Number(n.toFixed(unit === 0 ? 0 : 1)) >= 1024 && unit < units.length - 1) {
    n /= 1024;
    unit++;
  }
  return `${decimal(n, unit === 0 ? 0 : 1)} ${units[unit]}`;
}

const spans: [string, number][] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
];

/** A length of time in milliseconds: "640 ms", "1.4 s", "2 min 5 s", "3 d 4 h". */
export function duration(ms: number | null | undefined): string {
  if (ms == null) return none;
  if (ms < 0) return `-${duration(-ms)}`; // clocks of two machines differ
  if (Math.round(ms) < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${decimal(ms / 1_000, 1)} s`;
  let rest = Math.round(ms / 1_000) * 1_000;
  const first = spans.findIndex(([, size]) => rest >= size);
  const parts: string[] = [];
  for (const [unit, size] of spans.slice(first, first + 2)) {
    const n = Math.floor(rest / size);
    rest -= n * size;
    if (n > 0) parts.push(`${n} ${unit}`);
  }
  return parts.join(" ");
}

/** A place in a recording in milliseconds: "4:07", "1:02:33". */
export function position(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const tail = String(seconds % 60).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}:${tail}` : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${tail}`;
}

/**
 * A way to write times, the same for all readers and as in reports, which the server writes: "3 Nov 2026, 14:03". In the
 * order that each reader knows best, one page would show the same day in two ways.
 */
export function timeFormat(options: Intl.DateTimeFormatOptions): (at: Date | number) => string {
  // The months of British English have three letters but for "Sept".
  const format = new Intl.DateTimeFormat("en-US", { ...options, hourCycle: "h23" });
  return (at) => {
    const part: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
    for (const { type, value } of format.formatToParts(at)) part[type] = value;
    const joined = (separator: string, ...parts: (string | undefined)[]) => parts.filter((p) => p !== undefined).join(separator);
    return [joined(" ", part.day, part.month, part.year), joined(":", part.hour, part.minute, part.second)].filter((text) => text !== "").join(", ");
  };
}

const zoneNames = new Intl.DateTimeFormat(locale, { timeZoneName: "short" });

/** What the reader's zone is called at a time: "CET", "EST". */
const zoneName = (at: Date) => zoneNames.formatToParts(at).find((p) => p.type === "timeZoneName")?.value ?? zone;

const date = { day: "numeric", month: "short", year: "numeric" } as const;
const time = { hour: "2-digit", minute: "2-digit" } as const;
const toTheMinute = timeFormat({ ...date, ...time });
const toTheSecond = timeFormat({ ...date, ...time, second: "2-digit" });
const byDay = timeFormat(date);

/** A time in the reader's zone, which it names: "22 Nov 2026, 14:03 CET". */
export const moment = (at: string | null | undefined) => (at == null ? none : `${toTheMinute(new Date(at))} ${zoneName(new Date(at))}`);

/** As moment, with seconds. */
export const second = (at: string | null | undefined) => (at == null ? none : `${toTheSecond(new Date(at))} ${zoneName(new Date(at))}`);

/** As second, for a column whose head names the zone. */
export const instant = (at: string | null | undefined) => (at == null ? none : toTheSecond(new Date(at)));

/** The day of a time in the reader's zone: "22 Nov 2026". */
export const day = (at: string | null | undefined) => (at == null ? none : byDay(new Date(at)));

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_557_600_000],
  ["month", 2_629_800_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];
const relatively = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });

/** The number of the day in the reader's zone. */
function dayNumber(ms: number): number {
  const at = new Date(ms);
  return Math.round(Date.UTC(at.getFullYear(), at.getMonth(), at.getDate()) / 86_400_000);
}

/** "5 minutes ago", "in 3 hours", "just now" within a minute. now is in milliseconds since 1970. */
export function relative(at: string | null | undefined, now: number): string {
  if (at == null) return none;
  const ms = new Date(at).getTime() - now;
  for (const [unit, size] of steps) {
    if (Math.abs(ms) < size) continue;
    // "Yesterday" is the day before, and not what is less than 48 hours ago.
    const n = unit === "day" ? dayNumber(now + ms) - dayNumber(now) || Math.sign(ms) : Math.trunc(ms / size);
    return relatively.format(n, unit);
  }
  return ms > 0 ? "in less than a minute" : "just now";
}

/** "awaiting_review" → "Awaiting review": for names that the API adds to and these pages do not know yet. */
export function words(name: string): string {
  const text = name
    .replaceAll("_", " ")
    .replaceAll(".", " ")
    .replace(/\bapi\b/, "API");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
