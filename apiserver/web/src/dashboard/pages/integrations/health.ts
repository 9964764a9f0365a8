import type { Schema } from "../../../api/client";

type Integration = Schema<"Integration">;
type Tone = "good" | "warn" | "bad" | "info" | "quiet";

/** How an integration is doing, in words. */
export interface Health {
  label: string;
  tone: Tone;
  /** What it means, and who has to act. */
  about: string;
}

const states: Record<string, Health> = {
  pending: { label: "First sync", tone: "info", about: "The connection works. Everything that the platform has is being read for the first time." },
  healthy: { label: "Healthy", tone: "good", about: "Everything was read in the last cycle." },
  degraded: { label: "Degraded", tone: "warn", about: "Part of the data could not be read in the last cycle. The rest is up to date." },
  failing: { label: "Failing", tone: "bad", about: "Nothing new has been read for some time. It is tried again by itself, less and less often." },
  blocked: { label: "Blocked", tone: "bad", about: "The platform refuses the API key, so it is not called any more. Put in a key that works, or check the connection once the platform accepts this one again." },
  check_failed: { label: "Check failed", tone: "bad", about: "The connection was saved, and its check did not pass, so the platform is not read. Mend what the check names, then check again." },
};

const paused: Health = { label: "Paused", tone: "quiet", about: "The platform is not read until you resume. What was read before stays." };

/** What people read of an integration's state. */
export function healthOf(i: Pick<Integration, "is_active" | "health_status">): Health {
  if (!i.is_active) return paused;
  return states[i.health_status] ?? { label: i.health_status, tone: "quiet", about: "" };
}

const refusals: Record<string, string> = {
  inactive: "the integration is switched off. Switch it on under Settings.",
  check_failed: "the last live check failed. Fix the settings, or run the live check again.",
  blocked: "the platform refused the API key. Enter a new one under Settings.",
};

/** Why a request has started no sync, or no audit (SyncQueued.reason). */
export function notStarted(what: "sync" | "audit", reason: string | null): string {
  if (reason === "already_queued") return `A ${what} was asked for before, and is about to begin.`;
  const why = refusals[reason ?? ""];
  return why === undefined ? `No ${what} was started.` : `No ${what} was started: ${why}`;
}

/** Whether somebody has to look after it. */
export const inTrouble = (i: Integration) => i.is_active && ["degraded", "failing", "blocked", "check_failed"].includes(i.health_status);

export const kinds = {
  custom_api: { label: "Your own platform", about: "An HTTP API that your engineers built after assay's contract for platforms." },
  partner_platform: { label: "Partner platform", about: "A supported third-party trading platform. You need a read-only key for customers, accounts, trades and payouts." },
} as const;

/** The steps of a live check in their order (ConnectionStep.name), as people call them. */
export const steps: Record<Schema<"NewIntegration">["kind"], [name: string, label: string][]> = {
  custom_api: [
    ["health", "The platform says that it is up"],
    ["traders_without_credentials", "Strangers are refused"],
    ["traders", "Traders can be read"],
    ["traders_next_page", "The next page of traders can be read"],
    ["accounts", "Accounts can be read"],
    ["trades", "Trades can be read"],
    ["payouts", "Payouts can be read"],
  ],
  partner_platform: [
    ["authentication", "The key is accepted"],
    ["traders", "Customers can be read"],
    ["trading_accounts", "Accounts in the scope can be read"],
    ["closed_trades", "Closed trades can be read"],
    ["payouts", "Payouts can be read"],
  ],
};

/** The resources of a run in the order in which they are read. */
export const resources = ["traders", "accounts", "trades", "payouts"] as const;
