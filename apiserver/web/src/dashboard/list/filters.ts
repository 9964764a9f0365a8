// The filters of a list that are set, in the words of their fields.
import { day, moment } from "../../ui/format";

export type Choice = readonly [value: string, label: string];

/** A filter of a list, and how its value is told. */
export interface Filter {
  /** As the address has it. */
  name: string;
  label: string;
  /** What can be chosen; absent: anything can be typed. */
  choices?: readonly Choice[];
  /** Whether the value is a day, such as 2026-11-03, or a moment. */
  time?: "day" | "moment";
  /** Whether only links bring it: no field shows it. */
  linked?: boolean;
}

/** A filter that is set. */
export interface SetFilter {
  name: string;
  text: string;
  linked: boolean;
}

/** What a value is called. One that an address brings and no choice has is told as it is. */
export function told(filter: Filter, value: string): string {
  if (filter.time && !Number.isNaN(Date.parse(value))) return filter.time === "day" ? day(`${value.slice(0, 10)}T00:00:00`) : moment(value);
  return filter.choices?.find(([v]) => v === value)?.[1] ?? (filter.choices ? value.replaceAll(",", " or ").replaceAll("_", " ") : value);
}

/** The filters that an address sets. */
export function setFilters(filters: readonly Filter[], address: URLSearchParams): SetFilter[] {
  return filters.flatMap((f) => {
    const value = address.get(f.name) ?? "";
    return value === "" ? [] : [{ name: f.name, text: `${f.label}: ${told(f, value)}`, linked: f.linked ?? false }];
  });
}
