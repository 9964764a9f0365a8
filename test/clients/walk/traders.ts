// The directory of traders.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

import { answered, linked, refused, settings, type API } from "./client.js";

export async function traders(api: API, faulty: API, narrow: API) {
  const first = await page(api);
  await search(api, first.email);
  await detail(api, first.id);
  await exports(api, first.id);
  const made = await create(api, faulty);
  await change(api, made);
  await notes(api, made);
  await duplicates(api, narrow, made);

  refused(await narrow.GET("/v1/traders/{id}", { params: { path: { id: first.id } } }), 404, "not_found");
  const limits = refused(await faulty.GET("/v1/traders", { params: { query: { page: 0, limit: 101 } } }), 422, "validation_failed");
  assert.deepEqual(limits.errors?.map((fault) => [fault.parameter, fault.code]), [
    ["page", "out_of_range"],
    ["limit", "out_of_range"],
  ]);
}

/** Pages lead to one another, and hold every trader once. */
async function page(api: API) {
  const rows = [];
  const limit = 25;
  for (let page: number | undefined = 1; page; ) {
    const result: Awaited<ReturnType<typeof list>> = await list(api, page, limit);
    const { data, meta } = answered(result);
    const { next_cursor: cursor, ...position } = meta;
    assert.deepEqual(position, { page, limit, total: 60 });
    rows.push(...data);
    if (cursor) await followCursor(api, cursor, page + 1, limit);
    const next = linked(result.response, "next");
    page = next && Number(next.get("page"));
  }
  assert.equal(new Set(rows.map((row) => row.id)).size, 60);
  const first = rows[0];
  assert(first);
  // @ts-expect-error: the types know which members there are
  assert.equal(first.shoe_size, undefined);
  return first;
}

/** A cursor finds the page that the number finds. */
async function followCursor(api: API, cursor: string, page: number, limit: number) {
  const found = answered(await api.GET("/v1/traders", { params: { query: { cursor, limit, source: "custom_api" } } }));
  assert.deepEqual(found.data, answered(await list(api, page, limit)).data);
}

function list(api: API, page: number, limit: number) {
  return api.GET("/v1/traders", { params: { query: { page, limit, source: "custom_api" } } });
}

async function search(api: API, email: string | null) {
  assert(email);
  const found = answered(await api.GET("/v1/traders", { params: { query: { search: email.toUpperCase() } } }));
  assert.deepEqual(found.data.map((row) => row.email), [email]);
  const none = answered(await api.GET("/v1/traders", { params: { query: { search: "nobody at all" } } }));
  assert.deepEqual(none, { data: [], meta: { page: 1, limit: 25, total: 0, next_cursor: null } });
}

/** A table has a line of names and one line for each row of all pages. */
async function exports(api: API, id: string) {
  const lines = (text: unknown) => String(text).trimEnd().split("\n");
  const all = answered<unknown>(await api.GET("/v1/traders/export", { params: { query: { source: "custom_api" } }, parseAs: "text" }));
  assert.equal(lines(all).length, 61);
  const trades = answered(await api.GET("/v1/traders/{id}/trades", { params: { path: { id } } }));
  const table = answered<unknown>(await api.GET("/v1/traders/{id}/trades/export", { params: { path: { id } }, parseAs: "text" }));
  assert.equal(lines(table).length, trades.meta.total + 1);
  const payouts = answered(await api.GET("/v1/payouts", { params: { query: { sort: "-amount", limit: 1 } } }));
  assert(payouts.meta.total > 1 && payouts.data.length === 1);
  const paid = answered<unknown>(await api.GET("/v1/payouts/export", { parseAs: "text" }));
  assert.equal(lines(paid).length, payouts.meta.total + 1);
}

async function detail(api: API, id: string) {
  const trader = answered(await api.GET("/v1/traders/{id}", { params: { path: { id } } }));
  assert.equal(trader.integration_id, settings.integration);
  const trades = answered(await api.GET("/v1/traders/{id}/trades", { params: { path: { id }, query: { limit: 100 } } }));
  assert.equal(trades.meta.total, trader.stats.open_trades + trader.stats.closed_trades);
  const open = answered(await api.GET("/v1/traders/{id}/trades", { params: { path: { id }, query: { state: "open" } } }));
  assert(open.data.every((trade) => trade.close_time === null));
  assert.equal(open.meta.total, trader.stats.open_trades);
}

async function create(api: API, faulty: API): Promise<string> {
  const body = { full_name: "Ada Example", external_id: randomUUID(), country: "DE", tags: ["vip"] };
  const created = await api.POST("/v1/traders", { body });
  const made = answered(created, 201);
  assert.equal(made.source, "manual");
  assert.deepEqual(made.tags, ["vip"]);
  assert(created.response.headers.get("Location")?.endsWith(`/v1/traders/${made.id}`));
  refused(await api.POST("/v1/traders", { body }), 409, "conflict");
  // @ts-expect-error: the types know that a trader has a name
  const nameless = refused(await faulty.POST("/v1/traders", { body: { email: "no address" } }), 422, "validation_failed");
  assert.deepEqual(nameless.errors?.map((fault) => fault.pointer).sort(), ["#/email", "#/full_name"]);
  return made.id;
}

/** A change is made to what was read, or not at all. */
async function change(api: API, id: string) {
  const path = { id };
  const read = await api.GET("/v1/traders/{id}", { params: { path } });
  answered(read);
  const tag = read.response.headers.get("ETag");
  assert(tag);
  const known = await api.GET("/v1/traders/{id}", { params: { path, header: { "If-None-Match": tag } } });
  assert.equal(known.response.status, 304);

  const header = { "If-Match": tag };
  const changed = answered(await api.PATCH("/v1/traders/{id}", { params: { path, header }, body: { status: "under_review", phone: null } }));
  assert.equal(changed.status, "under_review");
  const late = await api.PATCH("/v1/traders/{id}", { params: { path, header }, body: { status: "archived" } });
  refused(late, 412, "precondition_failed");
  const found = answered(await api.GET("/v1/traders", { params: { query: { status: "under_review", source: "manual", tag: "vip" } } }));
  assert(found.data.some((row) => row.id === id));
}

async function notes(api: API, id: string) {
  const note = answered(await api.POST("/v1/traders/{id}/notes", { params: { path: { id } }, body: { body: "Called back." } }), 201);
  const read = answered(await api.GET("/v1/traders/{id}", { params: { path: { id } } }));
  assert.deepEqual(read.notes, [note]);
  const path = { id, noteId: note.id };
  answered(await api.DELETE("/v1/traders/{id}/notes/{noteId}", { params: { path } }), 204);
  refused(await api.DELETE("/v1/traders/{id}/notes/{noteId}", { params: { path } }), 404, "not_found");
}

/** Two traders who may be the same person are not, and then are after all. */
async function duplicates(api: API, narrow: API, id: string) {
  const digits = String(Math.floor(1e9 + Math.random() * 9e9));
  answered(await api.PATCH("/v1/traders/{id}", { params: { path: { id } }, body: { phone: `00${digits}` } }));
  const other = answered(await api.POST("/v1/traders", { body: { full_name: "Ada Lovelace", phone: `+${digits}` } }), 201);
  const list = async () => answered(await api.GET("/v1/traders/{id}/duplicates", { params: { path: { id }, query: { limit: 20 } } }));
  const find = async () => (await list()).data.find((d) => d.trader.id === other.id);
  const found = await find();
  assert.deepEqual([found?.reasons, found?.mergeable, found?.dismissed_at], [["phone"], true, null]);
  refused(await narrow.GET("/v1/traders/{id}/duplicates", { params: { path: { id } } }), 404, "not_found");
  const pair = { params: { path: { id, duplicateId: other.id } } };
  answered(await api.PUT("/v1/traders/{id}/duplicates/{duplicateId}/dismissal", pair), 204);
  assert((await find())?.dismissed_at);
  answered(await api.DELETE("/v1/traders/{id}/duplicates/{duplicateId}/dismissal", pair), 204);
  const itself = { params: { path: { id, duplicateId: id } } };
  refused(await api.POST("/v1/traders/{id}/duplicates/{duplicateId}/merge", itself), 409, "conflict");
  const merged = answered(await api.POST("/v1/traders/{id}/duplicates/{duplicateId}/merge", pair));
  assert.deepEqual([merged.id, merged.full_name], [id, "Ada Example"]);
  refused(await api.GET("/v1/traders/{id}", { params: { path: { id: other.id } } }), 404, "not_found");
  assert.equal(await find(), undefined);
}
