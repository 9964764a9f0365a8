import { timeFormat, zone } from "../ui/format";

const minute = timeFormat({ day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });

/** 75 → "1:15". Whole seconds, rounded up, never below zero. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** 90 → "1 min 30 s", for people who hear it read. */
export function spoken(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  const parts = [];
  if (minutes > 0) parts.push(`${minutes}\u00a0min`);
  if (rest > 0 || minutes === 0) parts.push(`${rest}\u00a0s`);
  return parts.join(" ");
}

/** A moment in the reader's own time zone, which is named, in English as the rest of the page. */
export function moment(rfc3339: string): string {
  return `${minute(new Date(rfc3339))} (${zone})`;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** What the browser says of itself, without its whole user agent. */
export function environment(): { browser: string; os: string } {
  const agent = navigator.userAgent;
  const first = (names: [RegExp, string][]) => names.find(([pattern]) => pattern.test(agent))?.[1] ?? "other";
  return {
    browser: first([
      [/Edg\//, "Edge"],
      [/Firefox\//, "Firefox"],
      [/Chrom(e|ium)\//, "Chromium"],
      [/Safari\//, "Safari"],
    ]),
    os: first([
      [/Android/, "Android"],
      [/iPhone|iPad/, "iOS"],
      [/Windows/, "Windows"],
      [/Mac OS X/, "macOS"],
      [/Linux/, "Linux"],
    ]),
  };
}

const deviceTroubles: Record<string, string> = {
  NotAllowedError: "Your browser blocked the camera or microphone. Allow both in the site’s permissions, next to the address bar, and try again.",
  NotFoundError: "No camera or microphone was found. Connect one and try again.",
  NotReadableError: "Another app is using the camera or microphone. Close it and try again.",
  OverconstrainedError: "That device is no longer available. Choose another one.",
};

/** What a person can do about a device that the browser does not give. */
export function deviceTrouble(err: unknown): string {
  return err instanceof Error ? (deviceTroubles[err.name] ?? err.message) : String(err);
}
