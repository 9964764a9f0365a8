// Connections to platforms.
import assert from "node:assert/strict";

import { answered, refused, settings, type API } from "./client.js";

const body = { kind: "custom_api", base_url: settings.platform, api_key: settings.platformKey } as const;

export async function integrations(api: API, faulty: API, narrow: API) {
  const egress = answered(await api.GET("/v1/integrations/egress"));
  assert.deepEqual(egress, { region: "test", cidrs: ["203.0.113.0/28"], note: null });

  const report = answered(await api.POST("/v1/integrations/test", { body }));
  assert(report.ok && report.steps.length > 0, JSON.stringify(report));
  const wrong = answered(await api.POST("/v1/integrations/test", { body: { ...body, api_key: "wrong" } }));
  assert(!wrong.ok && wrong.steps.some((step) => step.hint), JSON.stringify(wrong));

  refused(await narrow.GET("/v1/integrations"), 403, "insufficient_scope");
  await invalid(faulty);
  const id = await create(api);
  await change(api, id);
  await remove(api, id);
  await history(api, settings.integration);
}

/** Everything that is wrong with a body is told at once, and where. */
async function invalid(faulty: API) {
  const result = await faulty.POST("/v1/integrations", {
    // @ts-expect-error: the types know the kinds, the required members and the bounds' types
    body: { kind: "carrier_pigeon", base_url: "http://127.0.0.1", sync_interval_seconds: "often", colour: "red" },
  });
  const faults = refused(result, 422, "validation_failed").errors ?? [];
  const places = new Map(faults.map((fault) => [fault.pointer, fault.code]));
  assert.deepEqual(
    [...places].sort(),
    [
      ["#/api_key", "required"],
      ["#/base_url", "url_not_https"],
      ["#/colour", "unknown_field"],
      ["#/kind", "invalid_format"],
      ["#/sync_interval_seconds", "wrong_type"],
    ],
    JSON.stringify(faults),
  );
  refused(await faulty.GET("/v1/integrations/{id}", { params: { path: { id: "no-uuid" } } }), 404, "not_found");
}

async function create(api: API): Promise<string> {
  const created = await api.POST("/v1/integrations", { body: { ...body, name: "Second desk", sync_interval_seconds: 3600 } });
  const made = answered(created, 201);
  assert(made.report.ok, JSON.stringify(made.report));
  assert.equal(made.api_key.slice(0, 4), "****");
  const location = created.response.headers.get("Location") ?? "";
  assert(location.endsWith(`/v1/integrations/${made.id}`), location);

  const { report: _, ...integration } = made;
  assert.deepEqual(answered(await api.GET("/v1/integrations/{id}", { params: { path: { id: made.id } } })), integration);
  const list = answered(await api.GET("/v1/integrations"));
  assert.deepEqual(new Set(list.data.map((row) => row.id)), new Set([settings.integration, made.id]));
  return made.id;
}

async function change(api: API, id: string) {
  const at = { params: { path: { id } } };
  const renamed = answered(await api.PATCH("/v1/integrations/{id}", { ...at, body: { name: "Third desk", sync_interval_seconds: null } }));
  assert.equal(renamed.name, "Third desk");
  assert.equal(renamed.sync_interval_seconds, 300);

  assert(answered(await api.POST("/v1/integrations/{id}/test", at)).ok);
  // Its first cycle waits to be run already.
  assert.deepEqual(answered(await api.POST("/v1/integrations/{id}/sync", at)), { queued: false, reason: "already_queued" });

  // An audit waits for the first backfill; asking again asks for the same one.
  const asked = answered(await api.POST("/v1/integrations/{id}/audit", at), 202);
  assert.deepEqual(answered(await api.POST("/v1/integrations/{id}/audit", at), 202), asked);
  const audits = answered(await api.GET("/v1/integrations/{id}/audit", at));
  assert.equal(audits.open?.trigger, "manual");
  assert.equal(audits.last, null);

  answered(await api.PATCH("/v1/integrations/{id}", { ...at, body: { is_active: false } }));
  assert.deepEqual(answered(await api.POST("/v1/integrations/{id}/sync", at)), { queued: false, reason: "inactive" });

  const failing = answered(await api.PATCH("/v1/integrations/{id}", { ...at, body: { api_key: "wrong", is_active: true } }));
  assert.equal(failing.health_status, "check_failed");
  assert(failing.last_error?.hint, JSON.stringify(failing.last_error));
  assert.deepEqual(answered(await api.POST("/v1/integrations/{id}/sync", at)), { queued: false, reason: "check_failed" });
}

async function remove(api: API, id: string) {
  const at = { params: { path: { id } } };
  answered(await api.DELETE("/v1/integrations/{id}", at), 204);
  refused(await api.GET("/v1/integrations/{id}", at), 404, "not_found");
}

/** What syncd has written about the integration. */
async function history(api: API, id: string) {
  const at = { params: { path: { id }, query: { limit: 100 } } };
  const runs = answered(await api.GET("/v1/integrations/{id}/runs", at));
  assert.deepEqual(new Set(runs.data.map((run) => run.resource)), new Set(["traders", "accounts", "trades", "payouts"]));
  assert(runs.data.every((run) => run.status === "succeeded"));

  const schedule = answered(await api.GET("/v1/integrations/{id}/schedule", { params: { path: { id } } }));
  assert.equal(schedule.streams.length, 4);
  assert(schedule.transitions.length > 0);

  const quarantine = answered(await api.GET("/v1/integrations/{id}/quarantine", at));
  assert.deepEqual(quarantine.data.map((record) => record.key), ["broken"]);
  const broken = answered<unknown>(await api.GET("/v1/integrations/{id}/quarantine/export", { params: { path: { id } }, parseAs: "text" }));
  assert.match(String(broken), /^resource,key,rule,.*\n[a-z]+,broken,/);
  const table = answered<unknown>(await api.GET("/v1/integrations/{id}/runs/export", { params: { path: { id }, query: { sort: "status" } }, parseAs: "text" }));
  assert.equal(String(table).trimEnd().split("\n").length, runs.meta.total + 1);
  const findings = answered(await api.GET("/v1/integrations/{id}/findings", at));
  assert(findings.data.some((finding) => finding.rule === "clock_skew"));
}
