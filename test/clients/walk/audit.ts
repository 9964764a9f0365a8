// The audit log: what the walk has done so far, and as whom.
import assert from "node:assert/strict";

import { answered, linked, refused, type API } from "./client.js";

export async function audit(api: API, faulty: API, narrow: API) {
  const first = await api.GET("/v1/audit", { params: { query: { limit: 2 } } });
  const { data, meta } = answered(first);
  assert.equal(data.length, 2);
  assert.equal(data[0]?.number, meta.total, "numbers have no gaps");
  assert.equal(data[0]?.previous_hash, data[1]?.hash, "each entry follows upon the one before");
  assert.equal(linked(first.response, "next")?.get("page"), "2");

  const { data: keys } = answered(await api.GET("/v1/audit", { params: { query: { action: "api_key.created", actor_kind: "api_key" } } }));
  const key = keys.at(-1);
  assert(key?.object.id && key.request_id && key.client_address, "who made the key, and from where");
  assert.equal(key.before, null);
  assert.equal(key.after?.name, "Reporting");

  const created = { action: "api_key.created", sort: "number" } as const;
  const table = answered<unknown>(await api.GET("/v1/audit/export", { params: { query: created }, parseAs: "text" }));
  assert.match(String(table), /^number,at,.*,hash\n[0-9]+,.*,api_key\.created,/);

  const about = { object_kind: "api_key" as const, object_id: key.object.id, from: key.at };
  const history = answered(await api.GET("/v1/audit", { params: { query: about } }));
  assert.deepEqual(history.data.map((entry) => entry.action), ["api_key.revoked", "api_key.created"]);

  // @ts-expect-error: the types know the actions
  const result = await faulty.GET("/v1/audit", { params: { query: { action: "horse.ridden" } } });
  assert.equal(refused(result, 422, "validation_failed").errors?.[0]?.parameter, "action");
  refused(await narrow.GET("/v1/audit"), 403, "insufficient_scope");
}
