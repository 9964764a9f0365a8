import type { Schema } from "../../../api/client";
import type { StateWords } from "../../../ui/state";

type Integration = Schema<"Integration">;

const states: Record<string, StateWords> = {
  pending: { label: "First sync", tone: "info", about: "The connection works, and the platform’s data is being read for the first time." },
  healthy: { label: "Healthy", tone: "good", about: "The last sync read everything." },
  degraded: { label: "Degraded", tone: "warn", about: "The last sync could not read some of the data. The rest is up to date." },
  failing: { label: "Failing", tone: "bad", about: "No new data has been read for some time. assay keeps retrying, at longer and longer intervals." },
  blocked: {
    label: "Blocked",
    tone: "bad",
    about: "The platform refused the API key, so syncing has stopped. Enter a valid key in Settings, or check the connection once the platform accepts this key again.",
  },
  check_failed: {
    label: "Check failed",
    tone: "bad",
    about: "The connection was saved, but its check failed, so syncing has not started. Fix the problem that the check reports, then check again.",
  },
};

const paused: StateWords = { label: "Paused", tone: "quiet", about: "Syncing is paused until you resume. The data read so far is kept." };

/** What people read of an integration's state. */
export function healthOf(i: Pick<Integration, "is_active" | "health_status">): StateWords {
  if (!i.is_active) return paused;
  return states[i.health_status] ?? { label: i.health_status, tone: "quiet", about: "" };
}

const refusals: Record<string, string> = {
  inactive: "because this integration is paused. Resume it first.",
  check_failed: "because the last connection check failed. Fix the settings or check the connection again.",
  blocked: "because the platform refused the API key. Enter a new key in Settings.",
};

/** Why a request has started no sync, or no audit (SyncQueued.reason). */
export function notStarted(what: "sync" | "audit", reason: string | null): string {
  if (reason === "already_queued") return `${what === "sync" ? "A sync" : "An audit"} is already queued and is about to start.`;
  const why = refusals[reason ?? ""];
  return `The ${what} wasn’t started${why === undefined ? "." : ` ${why}`}`;
}

/** Whether somebody has to look after it. */
export const inTrouble = (i: Integration) => i.is_active && ["degraded", "failing", "blocked", "check_failed"].includes(i.health_status);

/** Says in a sentence what platforms do of which none is in trouble. */
export function describePlatforms(list: Pick<Integration, "is_active" | "health_status">[]): string {
  const paused = list.filter((i) => !i.is_active).length;
  const first = list.filter((i) => i.is_active && i.health_status === "pending").length;
  const states = (
    [
      [list.length - paused - first, "syncing normally"],
      [first, "being read for the first time"],
      [paused, "paused"],
    ] as const
  ).filter(([count]) => count > 0);
  if (states.length === 1 && states[0]) {
    const all = list.length === 1 ? "Your platform is" : list.length === 2 ? "Both platforms are" : `All ${list.length} platforms are`;
    return `${all} ${states[0][1]}.`;
  }
  const parts = states.map(([count, state], n) => `${count}${n > 0 ? "" : count === 1 ? " platform" : " platforms"} ${count === 1 ? "is" : "are"} ${state}`);
  return `${parts.join(", ")}.`;
}

export const kinds = {
  custom_api: { label: "Your own platform", about: "An HTTP API that your engineers build to assay’s platform contract." },
  partner_platform: { label: "Partner platform", about: "A supported third-party trading platform. You need a read-only key for customers, accounts, trades and payouts." },
} as const;

/** The steps of a live check in their order (ConnectionStep.name), as people call them. */
export const steps: Record<Schema<"NewIntegration">["kind"], [name: string, label: string][]> = {
  custom_api: [
    ["health", "Platform is up"],
    ["traders_without_credentials", "Requests without a key are refused"],
    ["traders", "Traders can be read"],
    ["traders_next_page", "The next page of traders can be read"],
    ["accounts", "Accounts can be read"],
    ["trades", "Trades can be read"],
    ["payouts", "Payouts can be read"],
  ],
  partner_platform: [
    ["authentication", "API key is accepted"],
    ["traders", "Customers can be read"],
    ["trading_accounts", "Accounts in the scope can be read"],
    ["closed_trades", "Closed trades can be read"],
    ["payouts", "Payouts can be read"],
  ],
};

/** The resources of a run in the order in which they are read. */
export const resources = ["traders", "accounts", "trades", "payouts"] as const;
