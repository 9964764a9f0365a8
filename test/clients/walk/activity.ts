// What the trades of a trader show: files, analysis, thresholds and news.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

import { answered, refused, type API } from "./client.js";

const statement = [
  "Ticket,Symbol,Side,Volume,Open Time,Close Time,Open Price,Close Price,Profit",
  "1,EURUSD,buy,0.50,2026-06-15 08:00:00,2026-06-15 08:20:00,1.07,1.08,12.50",
  "2,XAUUSD,sell,0.10,2026-06-15 09:00:00,2026-06-15 09:20:00,3310.5,3311,-5.00",
].join("\n");

export async function activity(api: API, faulty: API, narrow: API) {
  const trader = answered(await api.POST("/v1/traders", { body: { full_name: "Zoe Example" } }), 201).id;
  await files(api, faulty, narrow, trader);
  await thresholds(api, faulty);
  await symbols(api, faulty);
  await news(api, faulty);
}

/** A text as a file in a form, as a browser sends it. */
function formOf(id: string, text: string, timezone?: string) {
  return {
    params: { path: { id } },
    body: { file: text },
    bodySerializer: () => {
      const form = new FormData();
      form.append("file", new Blob([text], { type: "text/csv" }), "statement.csv");
      if (timezone) form.append("timezone", timezone);
      return form;
    },
  };
}

const upload = (api: API, id: string, text: string, timezone?: string) => api.POST("/v1/traders/{id}/activity-files", formOf(id, text, timezone));

async function files(api: API, faulty: API, narrow: API, id: string) {
  const preview = answered(await api.POST("/v1/traders/{id}/activity-files/preview", formOf(id, statement, "Europe/Prague")));
  assert.deepEqual(preview.first_trades.map((trade) => trade.symbol), ["EURUSD", "XAUUSD"]);
  refused(await api.POST("/v1/traders/{id}/activity-files/preview", formOf(randomUUID(), statement)), 404, "not_found");
  const made = answered(await upload(api, id, statement, "Europe/Prague"), 201);
  assert.equal(made.trades, 2);
  assert.equal(made.name, "statement.csv");
  assert.equal(answered(await upload(api, id, statement, "Europe/Prague"), 200).id, made.id);
  refused(await upload(faulty, id, "name,colour\nrose,red\n"), 422, "file_not_understood");
  const list = answered(await api.GET("/v1/traders/{id}/activity-files", { params: { path: { id } } }));
  assert.deepEqual(list.data.map((file) => file.id), [made.id]);

  const query = { from: "2026-06-01T00:00:00Z", to: "2026-07-01T00:00:00Z" };
  const shown = answered(await api.GET("/v1/traders/{id}/activity", { params: { path: { id }, query } }));
  assert.equal(shown.totals.trades, 2);
  assert.deepEqual(shown.sources.map((source) => [source.kind, source.id]), [["file", made.id]]);
  refused(await narrow.GET("/v1/traders/{id}/activity", { params: { path: { id } } }), 404, "not_found");

  const path = { id, fileId: made.id };
  const text = await api.GET("/v1/traders/{id}/activity-files/{fileId}", { params: { path }, parseAs: "text" });
  assert.equal(answered(text), statement);
  answered(await api.DELETE("/v1/traders/{id}/activity-files/{fileId}", { params: { path } }), 204);
  refused(await api.GET("/v1/traders/{id}/activity-files/{fileId}", { params: { path } }), 404, "not_found");
}

async function thresholds(api: API, faulty: API) {
  const read = await api.GET("/v1/analysis/ruleset");
  const before = answered(read);
  const tag = read.response.headers.get("ETag");
  assert(tag);
  const header = { "If-Match": tag };
  const name = `ours-${randomUUID()}`; // the walk may have been here before
  const ours = answered(await api.PUT("/v1/analysis/ruleset", { params: { header }, body: { ...before, name } }));
  assert.equal(ours.name, name);
  refused(await api.PUT("/v1/analysis/ruleset", { params: { header }, body: before }), 412, "precondition_failed");
  const faults = refused(await faulty.PUT("/v1/analysis/ruleset", { body: { name: "Ours!", bursts: { min_opens: 0 } } }), 422, "validation_failed");
  assert.deepEqual(faults.errors?.map((fault) => fault.pointer).sort(), ["#/bursts/min_opens", "#/name"]);
}

async function symbols(api: API, faulty: API) {
  const mappings = [{ symbol: "MyDow.cash", instrument: "US30" }];
  const set = answered(await api.PUT("/v1/analysis/symbols", { body: { mappings } }));
  assert.deepEqual(set.mappings, mappings);
  assert.deepEqual(answered(await api.GET("/v1/analysis/symbols")), set);
  const faults = refused(await faulty.PUT("/v1/analysis/symbols", { body: { mappings: [{ symbol: "A", instrument: "US30.cash" }] } }), 422, "validation_failed");
  assert.deepEqual(faults.errors?.map((fault) => fault.pointer), ["#/mappings/0/instrument"]);
}

async function news(api: API, faulty: API) {
  const put = (to: API, body: string) =>
    to.PUT("/v1/analysis/calendar", { body, bodySerializer: (text: string) => text, headers: { "Content-Type": "text/csv" } });
  const text = "time,currency,impact\n2026-06-15T12:30:00Z,USD,high\n";
  assert.equal(answered(await put(api, text)).events, 1);
  assert.equal(answered(await api.GET("/v1/analysis/calendar", { parseAs: "text" })), text);
  refused(await put(faulty, "when\nnever\n"), 422, "validation_failed");
}
