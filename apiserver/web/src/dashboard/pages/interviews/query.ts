// The queue's filters as its address holds them.
import type { paths } from "../../../api/schema";
import { pageOf, sizeOf } from "../../../ui/paging";

export type Query = NonNullable<paths["/v1/interviews"]["get"]["parameters"]["query"]>;

/** Filters that the server takes as they stand in the address. */
const texts = [
  "search",
  "status",
  "decision",
  "assignee",
  "mentioned",
  "attention",
  "severity",
  "reason",
  "finding",
  "trader_id",
  "email",
  "reference",
  "communicated",
  "partial",
  "overdue",
  "sort",
] as const;

/** Days, as fields for dates give them, or moments, which links bring. */
const days = ["created_from", "created_to", "completed_from", "completed_to"] as const;

export const filterNames = [...texts, ...days];

export const pageSize = 25;

/** How many days back the figures go, by default. */
export const figureDays = 30;

/** Whether what stands for a day is a moment. */
export const isMoment = (value: string) => value.includes("T") && !Number.isNaN(Date.parse(value));

/** The beginning of a day in the reader's zone, or of the day after it. A moment stays as it is. */
function bound(day: string, after: boolean): string | null {
  if (isMoment(day)) return day;
  const [year, month, date] = day.split("-").map(Number);
  const at = new Date(year ?? NaN, (month ?? NaN) - 1, (date ?? NaN) + (after ? 1 : 0));
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

/** The filters and the order of an address, as the server takes them. The last day of a range is a part of it. */
export function filterOf(q: URLSearchParams): Record<string, string> {
  const asked: Record<string, string> = {};
  for (const name of texts) {
    const value = q.get(name);
    if (value) asked[name] = value;
  }
  for (const name of days) {
    const value = bound(q.get(name) ?? "", name.endsWith("_to"));
    if (value) asked[name] = value;
  }
  return asked;
}

/** What is asked of the server for an address. */
export function queryOf(q: URLSearchParams): Query {
  const asked: Record<string, string | number> = { page: pageOf(q), limit: sizeOf(q, pageSize), ...filterOf(q) };
  const back = Number(q.get("figures")) || figureDays;
  // To the minute, so that the same view asks the same.
  asked.kpi_from = new Date(Math.floor((Date.now() - back * 86_400_000) / 60_000) * 60_000).toISOString();
  return asked as Query;
}

/** Views of the queue that are asked for often. */
export function views(me: string): { label: string; about: string; query: Record<string, string> }[] {
  return [
    { label: "All", about: "All interviews, newest first", query: {} },
    {
      label: "Awaiting review",
      about: "Completed, and undecided or marked for review, by priority",
      query: { status: "completed", decision: "none,needs_review", sort: "-review_priority" },
    },
    { label: "Overdue", about: "Waiting more than 48 hours for a decision", query: { overdue: "true", sort: "-completed_at" } },
    { label: "Mine", about: "Assigned to you", query: { assignee: me } },
    { label: "Mentions", about: "Where a comment mentions you and you have not responded", query: { mentioned: me } },
    { label: "Not communicated", about: "Approved or rejected, but the trader has not been notified", query: { decision: "approved,rejected", communicated: "false" } },
    { label: "With the trader", about: "Invited or in progress, due soonest first", query: { status: "invited,in_progress", sort: "complete_by" } },
  ];
}

/** The address of a view. The time of the figures stays as it is. */
export function addressOf(query: Record<string, string>, now: URLSearchParams): string {
  const next = new URLSearchParams(query);
  const figures = now.get("figures");
  if (figures) next.set("figures", figures);
  return `/interviews${next.size > 0 ? `?${next}` : ""}`;
}
