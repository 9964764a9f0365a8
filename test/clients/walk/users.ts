// People: added, signed in, changed, removed.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

import { answered, refused, signedIn, type API } from "./client.js";

const ownPassword = "correct horse battery";

export async function users(api: API, faulty: API, anybody: API) {
  const header = { "Idempotency-Key": randomUUID() };
  const body = { email: `zoe-${randomUUID()}@example.com`, name: "Zoe Miller", role: "owner" as const };
  const created = await api.POST("/v1/users", { params: { header }, body });
  const made = answered(created, 201);
  assert(made.initial_password && made.secret_available, "a new person's password");
  assert.equal(made.password, "temporary");
  assert(created.response.headers.get("Location")?.endsWith(`/v1/users/${made.id}`));
  const again = answered(await api.POST("/v1/users", { params: { header }, body }), 201);
  assert.deepEqual(again, { ...made, initial_password: null, secret_available: false });
  refused(await api.POST("/v1/users", { body }), 409, "conflict");

  const listed = answered(await api.GET("/v1/users")).data.find((user) => user.id === made.id);
  assert.equal(listed?.email, body.email);
  // @ts-expect-error: the types know the roles
  const faults = refused(await faulty.POST("/v1/users", { body: { email: "zoe", role: "admin" } }), 422, "validation_failed").errors;
  assert.deepEqual(faults?.map((fault) => fault.pointer).sort(), ["#/email", "#/role"]);

  const cookie = await session(anybody, body.email, made.initial_password);
  await change(api, made.id, cookie);
}

/** Signs in, and replaces the password to begin with; returns the new session. */
async function session(anybody: API, email: string, password: string) {
  assert(answered(await anybody.GET("/session/methods")).methods.includes("password"));
  refused(await anybody.POST("/session", { body: { email, password: "wrong" } }), 401, "invalid_credentials");
  const begun = await anybody.POST("/session", { body: { email, password } });
  const first = answered(begun, 201);
  assert(first.password_change_required);
  const page = signedIn(begun.response, first.csrf_token);
  assert.equal(answered(await page.GET("/session")).user.email, email);
  refused(await page.GET("/v1/traders"), 403, "password_change_required");

  const replaced = await page.PUT("/session/password", { body: { current_password: password, new_password: ownPassword } });
  const second = answered(replaced);
  assert(!second.password_change_required);
  refused(await page.GET("/session"), 401, "session_ended");
  return signedIn(replaced.response, second.csrf_token);
}

async function change(api: API, id: string, page: API) {
  const path = { id };
  const read = await api.GET("/v1/users/{id}", { params: { path } });
  answered(read);
  const header = { "If-Match": read.response.headers.get("ETag") ?? "" };
  const changed = answered(await page.PATCH("/v1/users/{id}", { params: { path, header }, body: { name: "Zoe M." } }));
  assert.equal(changed.name, "Zoe M.");
  refused(await api.PATCH("/v1/users/{id}", { params: { path, header }, body: { name: "Late" } }), 412, "precondition_failed");

  const views = [{ list: "traders" as const, name: "VIP", query: "tag=vip" }];
  const kept = answered(await page.PUT("/session/views", { body: { views } }));
  assert.deepEqual(answered(await page.GET("/session/views")), kept);
  answered(await page.DELETE("/session"), 204);
  refused(await page.GET("/session"), 401, "session_ended");
  const reset = answered(await api.POST("/v1/users/{id}/reset-password", { params: { path } }));
  assert(reset.initial_password);
  answered(await api.DELETE("/v1/users/{id}", { params: { path } }), 204);
  refused(await api.GET("/v1/users/{id}", { params: { path } }), 404, "not_found");
}
