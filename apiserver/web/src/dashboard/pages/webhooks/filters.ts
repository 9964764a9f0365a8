import type { Schema } from "../../../api/client";

type Filter = Schema<"WebhookFilter">;

/** Reads lines such as "data.health_status: blocked", with what is wrong with them. Several lines of one member are its alternatives. */
export function parseFilters(text: string): { filters: Filter[]; fault: string } {
  const values = new Map<string, Set<string>>();
  for (const [n, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const at = line.indexOf(":");
    const member = line.slice(0, at).trim();
    const value = line.slice(at + 1).trim();
    if (at < 0 || member === "" || value === "") return { filters: [], fault: `Line ${n + 1} must have the form “member: value”.` };
    values.set(member, (values.get(member) ?? new Set()).add(value));
  }
  return { filters: [...values].map(([member, of]) => ({ member, values: [...of] })), fault: "" };
}

/** Writes the lines that parseFilters reads. */
export const writeFilters = (filters: Filter[]) => filters.flatMap((f) => f.values.map((value) => `${f.member}: ${value}`)).join("\n");

export const filtersHint =
  "One “member: value” per line, such as “data.health_status: blocked”. Lines of the same member are alternatives; an event must match every member. Leave empty to send all.";
