// What waits, and since when the home page counts.
import type { Schema } from "../../../api/client";

/** The same time yesterday, to the minute, so that the same figures ask the same. */
export const yesterday = () => new Date(Math.floor((Date.now() - 86_400_000) / 60_000) * 60_000).toISOString();

/** The filter of interviews that wait for a decision. */
export const waiting = { status: "completed", decision: "none,needs_review" };

/** How many colleagues are shown. */
const most = 12;

/** The queues of others than the reader, the longest first. */
export const colleagues = (queues: Schema<"InterviewQueue">[], me: string): { name: string; waiting: number; href: string }[] =>
  queues
    .filter((q) => q.assignee.user_id !== me)
    .slice(0, most)
    .map(({ assignee, waiting: n }) => ({
      name: assignee.name ?? "Former member",
      waiting: n,
      href: `/interviews?${new URLSearchParams({ ...waiting, assignee: assignee.user_id })}`,
    }));
