// Webhooks: endpoints, what they are told, and the history of it.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";

import { answered, refused, settings, type API } from "./client.js";

export async function webhooks(api: API, faulty: API, narrow: API) {
  const kinds = answered(await api.GET("/v1/webhooks/events")).data;
  const created = kinds.find((kind) => kind.kind === "trader.created");
  assert.equal(created?.group, "trader");

  const id = await make(api, faulty);
  const path = { id };
  refused(await narrow.GET("/v1/webhooks/{id}", { params: { path } }), 403, "insufficient_scope");
  await change(api, id);
  await rotate(api, id);

  const test = await api.POST("/v1/webhooks/{id}/test", { params: { path } });
  const ping = answered(test);
  assert.equal(ping.event.type, "ping");
  assert.equal(ping.status, "succeeded", JSON.stringify(ping));
  assert.equal(ping.attempts[0]?.http_status, 204);
  const health = answered(await api.GET("/v1/webhooks/{id}/health", { params: { path } }));
  assert.equal(health.hours.length, 168);
  assert.equal(health.hours.reduce((sum, hour) => sum + hour.delivered, 0), 1);
  await history(api, id, ping.id);

  answered(await api.DELETE("/v1/webhooks/{id}", { params: { path } }), 204);
  refused(await api.GET("/v1/webhooks/{id}", { params: { path } }), 404, "not_found");
}

async function make(api: API, faulty: API): Promise<string> {
  const header = { "Idempotency-Key": randomUUID() };
  const body = { kind: "standard" as const, url: settings.hook, events: ["trader.*" as const], filters: [{ member: "data.status", values: ["active"] }], headers: [{ name: "X-Walk", value: "secret" }] };
  const made = answered(await api.POST("/v1/webhooks", { params: { header }, body }), 201);
  assert.deepEqual(made.filters, body.filters);
  assert.deepEqual(made.headers, [{ name: "X-Walk" }]);
  assert(made.secret?.startsWith("whsec_") && made.secret_available, "the secret of a new endpoint");
  const again = answered(await api.POST("/v1/webhooks", { params: { header }, body }), 201);
  assert.deepEqual(again, { ...made, secret: null, secret_available: false });
  assert.deepEqual(answered(await api.GET("/v1/webhooks")).data.map((endpoint) => endpoint.id), [made.id]);

  const result = await faulty.POST("/v1/webhooks", {
    // @ts-expect-error: the types know the kinds
    body: { url: "http://hooks.example.com", events: ["trader.left"] },
  });
  const faults = refused(result, 422, "validation_failed").errors ?? [];
  assert.deepEqual(faults.map((fault) => fault.code).sort(), ["unknown_event", "url_not_https"]);
  return made.id;
}

async function change(api: API, id: string) {
  const path = { id };
  const read = await api.GET("/v1/webhooks/{id}", { params: { path } });
  const tag = read.response.headers.get("ETag");
  assert(answered(read).is_active && tag);
  const stale = { "If-Match": '"another"' };
  refused(await api.PATCH("/v1/webhooks/{id}", { params: { path, header: stale }, body: { is_active: false } }), 412, "precondition_failed");
  const off = answered(await api.PATCH("/v1/webhooks/{id}", { params: { path, header: { "If-Match": tag } }, body: { is_active: false } }));
  assert.equal(off.disabled_reason, "manual");
  answered(await api.PATCH("/v1/webhooks/{id}", { params: { path }, body: { is_active: true, events: ["*"], filters: [], headers: [] } }));
  assert(answered(await api.PATCH("/v1/webhooks/{id}", { params: { path }, body: { paused: true } })).paused_at);
  assert.equal(answered(await api.GET("/v1/webhooks/{id}/health", { params: { path } })).waiting, 0);
  assert.equal(answered(await api.PATCH("/v1/webhooks/{id}", { params: { path }, body: { paused: false } })).paused_at, null);
}

async function rotate(api: API, id: string) {
  const path = { id };
  const first = answered(await api.POST("/v1/webhooks/{id}/rotate-secret", { params: { path } }));
  const body = { grace_period_seconds: 60 };
  const second = answered(await api.POST("/v1/webhooks/{id}/rotate-secret", { params: { path }, body }));
  assert.notEqual(first.secret, second.secret);
}

/** A delivery is listed, and can be made again. */
async function history(api: API, id: string, ping: string) {
  const list = async () => {
    const query = { event: "ping" as const, limit: 5 };
    return answered(await api.GET("/v1/webhooks/{id}/deliveries", { params: { path: { id }, query } })).data;
  };
  assert.deepEqual((await list()).map((delivery) => delivery.id), [ping]);
  const table = answered<unknown>(await api.GET("/v1/webhooks/{id}/deliveries/export", { params: { path: { id }, query: { event: "ping" } }, parseAs: "text" }));
  assert(String(table).split("\n")[1]?.startsWith(`${ping},evt_`));
  const path = { deliveryId: ping };
  const queued = answered(await api.POST("/v1/webhooks/deliveries/{deliveryId}/retry", { params: { path } }), 202);
  assert.equal(queued.attempts.length, 1);
  for (;;) {
    const [delivery] = await list();
    if (delivery?.status === "succeeded" && delivery.attempts.length === 2) break;
    await setTimeout(50);
  }
  const nothing = { since: "2026-01-01T00:00:00Z", until: "2026-01-02T00:00:00Z" };
  const resent = await api.POST("/v1/webhooks/{id}/retry", { params: { path: { id } }, body: nothing });
  assert.deepEqual(answered(resent, 202), { queued: 0, next_sequence: null });
}
