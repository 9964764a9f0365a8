// API keys: made, repeated, used, revoked.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

import { answered, client, refused, settings, type API } from "./client.js";

export async function keys(api: API, faulty: API) {
  const header = { "Idempotency-Key": randomUUID() };
  const body = { name: "Reporting", scopes: ["traders:read" as const], expires_in_days: 30 };
  const made = answered(await api.POST("/v1/api-keys", { params: { header }, body }), 201);
  const { secret } = made;
  assert(secret && made.secret_available, "the secret of a new key");
  assert(made.prefix.startsWith("svc_live_") && secret.startsWith(made.prefix));

  // A repetition makes no second key, and does not tell the secret again.
  const again = await api.POST("/v1/api-keys", { params: { header }, body });
  assert.deepEqual(answered(again, 201), { ...made, secret: null, secret_available: false });
  assert.equal(again.response.headers.get("Idempotent-Replayed"), "true");
  const other = { ...body, name: "Another" };
  refused(await api.POST("/v1/api-keys", { params: { header }, body: other }), 422, "idempotency_key_reused");

  const listed = answered(await api.GET("/v1/api-keys")).data.filter((key) => key.id === made.id);
  assert.equal(listed.length, 1);
  // @ts-expect-error: a list does not tell secrets, and the types know it
  assert.equal(listed[0]?.secret, undefined);

  await invalid(faulty);
  await revoke(api, made.id, secret);
}

async function invalid(faulty: API) {
  const result = await faulty.POST("/v1/api-keys", {
    // @ts-expect-error: the types know the scopes
    body: { name: "", scopes: ["traders:read", "horses:ride"], expires_in_days: 0 },
  });
  const faults = refused(result, 422, "validation_failed").errors ?? [];
  assert.deepEqual(faults.map((fault) => fault.pointer).sort(), ["#/expires_in_days", "#/name", "#/scopes/1"], JSON.stringify(faults));
  const header = { "Idempotency-Key": "" };
  const empty = await faulty.POST("/v1/api-keys", { params: { header }, body: { name: "X", scopes: ["traders:read"] } });
  assert.equal(refused(empty, 400, "invalid_header").errors?.[0]?.header, "Idempotency-Key");
}

/** A revoked key is refused from then on, and stays in the list. */
async function revoke(api: API, id: string, secret: string) {
  const holder = client(secret);
  const read = await holder.GET("/v1/traders", { params: { query: { limit: 1 } } });
  answered(read);
  assert.match(read.response.headers.get("RateLimit") ?? "", /^"default";r=599;t=\d+$/);
  refused(await holder.GET("/v1/api-keys"), 403, "insufficient_scope");

  answered(await api.DELETE("/v1/api-keys/{id}", { params: { path: { id } } }), 204);
  const refusal = refused(await holder.GET("/v1/traders"), 401, "api_key_revoked");
  assert.equal(refusal.type, `${settings.publicURL}/problems/api_key_revoked`);
  answered(await api.DELETE("/v1/api-keys/{id}", { params: { path: { id } } }), 204);
  const row = answered(await api.GET("/v1/api-keys")).data.find((key) => key.id === id);
  assert(row?.revoked_at, "a revoked key is listed with the moment");
}
