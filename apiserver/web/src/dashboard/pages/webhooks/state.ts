import type { Schema } from "../../../api/client";
import { moment, words } from "../../../ui/format";
import type { StateWords, Tone } from "../../../ui/state";

/** How an endpoint stands, in words. */
export function stateOf(e: Schema<"WebhookEndpoint">): StateWords {
  if (e.is_active && e.paused_at) return { tone: "warn", label: "Paused", about: `Paused since ${moment(e.paused_at)}. Events wait, and are sent when you resume.` };
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

/** What to do about an attempt that failed, by its code. More codes may be added. */
export const remedies: Record<string, string> = {
  rejected: "Your endpoint refused the event. Its log or the response below says why.",
  server_error: "Your endpoint, or a proxy in front of it, failed. Look into its log.",
  throttled: "Your endpoint limits requests. Raise its limit, or answer with Retry-After.",
  gone: "Your endpoint answered that it is gone for good, which disables it.",
  unexpected_redirect: "Redirects are not followed. Set the URL to the final address, with or without the slash at its end.",
  timeout: "There was no complete response within 15 seconds. Acknowledge the event first, and do the work afterwards.",
  tls_failed: "The certificate has expired, is for another host name or lacks its intermediate certificates, or TLS is older than 1.2.",
  connect_failed: "The connection was refused or lost. Check that your endpoint runs and that its firewall lets assay in.",
  dns_failed: "The host name has no address. Check the URL.",
  blocked_address: "The host name has an address that is not public.",
  unexpected_response: "The response is not valid HTTP, or its headers are too large.",
  payload_expired: "The payload was deleted after 30 days, so nothing was sent.",
  internal: "assay itself failed, and nothing was sent. Its operator finds the cause in the log.",
};

/** How an attempt ended. */
export function outcome(a: Pick<Schema<"WebhookAttempt">, "error_code" | "http_status">): string {
  const code = a.error_code === null ? "" : words(a.error_code).replace(/^(Tls|Dns)/, (name) => name.toUpperCase());
  return [code, a.http_status === null ? "" : `status ${a.http_status}`].filter((part) => part !== "").join(", ");
}

/** Says which events an endpoint receives, in a few words. */
export function describeEvents(events: string[]): string {
  if (events.includes("*")) return "all";
  return events.length <= 3 ? events.join(", ") : `${events.slice(0, 2).join(", ")} and ${events.length - 2} more`;
}

/** The part of an address that tells endpoints apart. */
export const place = (url: string) => url.replace(/^https:\/\//i, "");
