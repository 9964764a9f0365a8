// Verifies what an endpoint has received: a JSON array of {secret, headers, body}.
import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";

import { parseWebhook, signWebhook, WebhookSignatureError } from "@assay/client";

const messages = JSON.parse(fs.readFileSync(process.env.MESSAGES!, "utf8")) as { secret: string; headers: Record<string, string>; body: string }[];
const other = "whsec_" + Buffer.alloc(24, 1).toString("base64");

test("deliveries are verified", async () => {
  assert(messages.length > 0);
  for (const { secret, headers, body } of messages) {
    const event = await parseWebhook(headers, body, secret);
    assert.equal(event.id, headers["webhook-id"]);
    await parseWebhook(new Headers(headers), Buffer.from(body), [other, secret]);
    await assert.rejects(parseWebhook(headers, body + " ", secret), WebhookSignatureError);
    await assert.rejects(parseWebhook(headers, body, other), WebhookSignatureError);
    await assert.rejects(parseWebhook(headers, body, secret, new Date(Date.now() + 3_600_000)), /too far from now/);
    await assert.rejects(parseWebhook({}, body, secret), WebhookSignatureError);
    for (const seconds of ["99999999999", "99999999999999"]) {
      await assert.rejects(parseWebhook({ ...headers, "webhook-timestamp": seconds }, body, secret), WebhookSignatureError);
    }
    await assert.rejects(parseWebhook(headers, body, "whsec_"), TypeError);
  }
});

test("a test of an endpoint can sign", async () => {
  const now = new Date();
  const headers = {
    "Webhook-Id": "evt_1",
    "Webhook-Timestamp": String(Math.floor(now.getTime() / 1000)),
    "Webhook-Signature": `v1,AAAA ${await signWebhook(other, "evt_1", now, "{}")}`,
  };
  assert.deepEqual(await parseWebhook(headers, "{}", other), {});
});
