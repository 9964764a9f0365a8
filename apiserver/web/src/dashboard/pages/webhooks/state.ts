import type { Schema } from "../../../api/client";

type Tone = "good" | "warn" | "bad" | "info" | "quiet";

/** How an endpoint stands, in words. */
export function stateOf(e: Schema<"WebhookEndpoint">): { tone: Tone; label: string; about: string } {
  if (e.is_active) return { tone: "good", label: "On", about: "Events are sent as they happen." };
  switch (e.disabled_reason) {
    case "gone":
      return { tone: "bad", label: "Off: gone", about: "The receiver answered 410, which says that it is no longer there. Correct the address or the receiver, then switch the endpoint on." };
    case "failing":
      return { tone: "bad", label: "Off: failing", about: "Nothing was received for five days. Mend the receiver, send a test, then switch the endpoint on." };
    default:
      return { tone: "quiet", label: "Off", about: "Somebody has switched it off. What happens meanwhile is listed as skipped, and can be sent later." };
  }
}

export const deliveryTones: Record<Schema<"WebhookDelivery">["status"], Tone> = {
  pending: "info", delivering: "info", succeeded: "good", failed: "bad", skipped: "quiet",
};

/** What an endpoint hears of, in a few words. */
export function heard(events: string[]): string {
  if (events.includes("*")) return "everything";
  return events.length <= 3 ? events.join(", ") : `${events.slice(0, 2).join(", ")} and ${events.length - 2} more`;
}

/** The part of an address that tells endpoints apart. */
export const place = (url: string) => url.replace(/^https:\/\//i, "");
