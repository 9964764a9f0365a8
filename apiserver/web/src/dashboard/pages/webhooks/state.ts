import type { Schema } from "../../../api/client";
import { words } from "../../../ui/format";
import type { StateWords, Tone } from "../../../ui/state";

/** How an endpoint stands, in words. */
export function stateOf(e: Schema<"WebhookEndpoint">): StateWords {
  if (e.is_active) return { tone: "good", label: "Enabled", about: "Events are sent as they happen." };
  switch (e.disabled_reason) {
    case "gone":
      return { tone: "bad", label: "Disabled: gone", about: "Your endpoint answered 410 Gone. Fix the URL or the endpoint, then enable it again." };
    case "failing":
      return { tone: "bad", label: "Disabled: failing", about: "Every delivery failed for five days. Fix your endpoint, send a test, then enable it again." };
    default:
      return { tone: "quiet", label: "Disabled", about: "Someone disabled this endpoint. Events are listed as skipped and can be sent later." };
  }
}

export type Kind = Schema<"WebhookEndpoint">["kind"];

/** What an endpoint can be sent. */
export const kinds: { kind: Kind; label: string; hint: string }[] = [
  { kind: "standard", label: "Signed events", hint: "Must start with https:// and be reachable from the internet." },
  { kind: "slack", label: "Messages to Slack", hint: "The URL of an incoming webhook of your channel, which starts with https://hooks.slack.com/services/." },
  { kind: "teams", label: "Messages to Microsoft Teams", hint: "The URL of the workflow “Post to a channel when a webhook request is received”." },
];

export const deliveryTones: Record<Schema<"WebhookDelivery">["status"], Tone> = {
  pending: "info",
  delivering: "info",
  succeeded: "good",
  failed: "bad",
  skipped: "quiet",
};

/** How an attempt ended. */
export function outcome(a: Pick<Schema<"WebhookAttempt">, "error_code" | "http_status">): string {
  return [a.error_code === null ? "" : words(a.error_code), a.http_status === null ? "" : `status ${a.http_status}`].filter((part) => part !== "").join(", ");
}

/** What an endpoint hears of, in a few words. */
export function heard(events: string[]): string {
  if (events.includes("*")) return "all";
  return events.length <= 3 ? events.join(", ") : `${events.slice(0, 2).join(", ")} and ${events.length - 2} more`;
}

/** The part of an address that tells endpoints apart. */
export const place = (url: string) => url.replace(/^https:\/\//i, "");
