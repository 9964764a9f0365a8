// What the directory's values are called.
import type { Schema } from "../../../api/client";

export const sources: Record<Schema<"Trader">["source"], string> = {
  custom_api: "Your own platform",
  partner_platform: "Partner platform",
  manual: "Added manually",
};

export const statuses: Record<Schema<"Trader">["status"], string> = {
  active: "Active",
  under_review: "Under review",
  restricted: "Restricted",
  archived: "Archived",
};

export const statusTones = { active: "quiet", under_review: "warn", restricted: "bad", archived: "quiet" } as const;

/** Statuses of verification that the contract names; platforms send others, too. */
export const kycStatuses = ["not_started", "pending", "verified", "failed"];

/** What a trader is called: some platforms tell no name. */
export function nameOf(t: Pick<Schema<"Trader">, "full_name" | "email" | "external_id">): string {
  return t.full_name ?? t.email ?? t.external_id ?? "Unnamed trader";
}

/** The members that are given: what is null or empty is left out. */
export function given<T extends Record<string, unknown>>(all: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value != null && value !== "")) as never;
}

/** Statuses of payouts that the contract names; platforms send others, too. */
export const payoutTones: Record<string, "warn" | "info" | "good" | "bad" | "quiet"> = { pending: "warn", approved: "info", paid: "good", rejected: "bad", cancelled: "quiet" };
