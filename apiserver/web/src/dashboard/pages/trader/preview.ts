// What the preview of a file says of how it was understood, and why.
import type { Schema } from "../../../api/client";

type Understood = Pick<Schema<"ActivityFilePreview">, "date_order" | "date_order_line" | "timezone" | "timezone_basis">;

/** The time zone of a file's times, and where it comes from. */
export function timezoneOf(p: Understood): string {
  switch (p.timezone_basis) {
    case "given":
      return `${p.timezone}, as you entered`;
    case "file":
      return p.timezone ? `${p.timezone}, from the file` : "Each time in the file has its own";
    default:
      return "UTC, because the file doesn’t say. Enter it under File details if that’s wrong.";
  }
}

/** The order of day and month in a file's dates, and what shows it. */
export function dateOrderOf(p: Understood): string {
  if (p.date_order === "ymd") return "Unambiguous";
  const order = p.date_order === "dmy" ? "Day first" : "Month first";
  return p.date_order_line === null ? `${order}, as this format or your details say` : `${order}, as line ${p.date_order_line} shows`;
}
