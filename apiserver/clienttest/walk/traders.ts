// The directory of traders.
import assert from "node:assert/strict";

import { answered, linked, refused, settings, type API } from "./client.js";

export async function traders(api: API, faulty: API, narrow: API) {
  const first = await page(api);
  await search(api, first.email);
  await detail(api, first.id);

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
    assert.deepEqual(meta, { page, limit, total: 60 });
    rows.push(...data);
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

function list(api: API, page: number, limit: number) {
  return api.GET("/v1/traders", { params: { query: { page, limit } } });
}

async function search(api: API, email: string | null) {
  assert(email);
  const found = answered(await api.GET("/v1/traders", { params: { query: { search: email.toUpperCase() } } }));
  assert.deepEqual(found.data.map((row) => row.email), [email]);
  const none = answered(await api.GET("/v1/traders", { params: { query: { search: "nobody at all" } } }));
  assert.deepEqual(none, { data: [], meta: { page: 1, limit: 25, total: 0 } });
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
