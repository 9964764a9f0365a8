import type { components } from "./schema.js";

/** How far the time of a delivery may be from now, as Standard Webhooks recommends, in seconds. */
const tolerance = 300;

/** What assay sends to webhook endpoints. `type` says which event it is; new types may be added. */
export type WebhookEvent = components["schemas"]["EventPayload"];

/** Says that a request to your endpoint was not sent by assay, or not recently. Answer it with 401. */
export class WebhookSignatureError extends Error {
  override readonly name = "WebhookSignatureError";
}

/** The headers of a request as frameworks have them. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/**
 * Verifies a delivery with the endpoint's secret and returns its event. The body must be as it was
 * received. Give the old secret, too, while you replace it.
 */
export async function parseWebhook(headers: WebhookHeaders, body: string | Uint8Array, secrets: string | string[], now = new Date()): Promise<WebhookEvent> {
  const [id, seconds, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => readHeader(headers, name));
  if (!id || !signatures || !/^\d{1,11}$/.test(seconds ?? "")) throw new WebhookSignatureError("the request has no signature of a webhook");
  const at = Number(seconds);
  if (Math.abs(at - now.getTime() / 1000) > tolerance) {
    throw new WebhookSignatureError(`the signature is of ${new Date(at * 1000).toISOString()}, which is too far from now`);
  }
  const text = signedText(id, at, body);
  for (const secret of [secrets].flat()) {
    const key = await importSecret(secret);
    for (const signature of signatures.split(" ")) {
      const given = signature.startsWith("v1,") ? decodeBase64(signature.slice(3)) : undefined;
      if (given && (await crypto.subtle.verify("HMAC", key, given, text))) {
        return JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body)) as WebhookEvent;
      }
    }
  }
  throw new WebhookSignatureError("the webhook's signature is not valid");
}

/** Returns the signature of a delivery by the secret, for tests of your endpoint. */
export async function signWebhook(secret: string, id: string, at: Date, body: string | Uint8Array): Promise<string> {
  const seconds = Math.floor(at.getTime() / 1000);
  const mac = await crypto.subtle.sign("HMAC", await importSecret(secret), signedText(id, seconds, body));
  return "v1," + btoa(String.fromCharCode(...new Uint8Array(mac)));
}

function readHeader(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.keys(headers).find((key) => key.toLowerCase() === name);
  const value = found === undefined ? undefined : headers[found];
  return Array.isArray(value) ? value[0] : value;
}

function signedText(id: string, seconds: number, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const [head, rest] = [encode(`${id}.${seconds}.`), typeof body === "string" ? encode(body) : body];
  const text = new Uint8Array(head.length + rest.length);
  text.set(head);
  text.set(rest, head.length);
  return text;
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
}

function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = decodeBase64(secret.replace(/^whsec_/, ""));
  if (!bytes?.length) throw new TypeError("the secret is not a webhook endpoint's, which begins with whsec_");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}
