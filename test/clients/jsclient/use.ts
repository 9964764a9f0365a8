// Uses the client as its readers do, with its types.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";

import { Assay, Problem, type Answer, type Item } from "@assay/client";

const [url, key, integration] = [process.env.WALK_URL!, process.env.WALK_KEY!, process.env.WALK_INTEGRATION!];
const assay = new Assay({ url, key });

/** A client whose first requests are answered by the functions, in their order. */
function disturbed(...answers: ((send: () => Promise<Response>) => Promise<Response>)[]) {
  let sent = 0;
  const via: typeof fetch = (input, init) => {
    const send = () => fetch(input, init);
    return answers[sent++]?.(send) ?? send();
  };
  return { client: new Assay({ url, key, fetch: via }), sent: () => sent };
}

test("lists have all their pages", async () => {
  const seen = new Set<string>();
  for await (const trader of assay.list("/v1/traders", { query: { limit: 25 } })) seen.add(trader.id);
  assert(seen.size >= 60, `${seen.size} traders`);
  const runs: Item<"/v1/integrations/{id}/runs">[] = [];
  for await (const run of assay.list("/v1/integrations/{id}/runs", { path: { id: integration } })) runs.push(run);
  assert(runs.length > 0);
  const { client, sent } = disturbed();
  for await (const trader of client.list("/v1/traders", { query: { limit: 1 } })) {
    assert(trader.id);
    break;
  }
  assert.equal(sent(), 1, "leaving a list early reads no more of it");
});

test("the types know the document", async () => {
  const never = () => {
    // @ts-expect-error: there is no such path
    void assay.get("/v1/horses");
    // @ts-expect-error: the path needs an id
    void assay.get("/v1/traders/{id}");
    // @ts-expect-error: a trader needs a name
    void assay.post("/v1/traders", { body: {} });
    // @ts-expect-error: nothing is listed here
    void assay.list("/v1/organization");
  };
  assert(never);
  const { meta }: Answer<"get", "/v1/traders"> = await assay.get("/v1/traders");
  assert(meta.total >= 60);
});

test("a refusal says what is wrong", async () => {
  const body = { kind: "carrier_pigeon" as "custom_api", base_url: "http://127.0.0.1", api_key: "" };
  const refused = (p: unknown) =>
    p instanceof Problem && p.code === "validation_failed" && p.status === 422 && p.requestID !== "" && p.message.startsWith(`validation_failed (422, request ${p.requestID}): `) && /#\/kind: .*/.test(p.message) && /#\/base_url: /.test(p.message);
  await assert.rejects(assay.post("/v1/integrations", { body }), refused);
  await assert.rejects(assay.list("/v1/integrations/{id}/runs", { path: { id: "no/id" } }).next(), { code: "not_found" });
  for (const status of [404, 200]) {
    const elsewhere = disturbed(async () => new Response("<html>", { status, headers: { "Content-Type": "text/html" } }));
    await assert.rejects(elsewhere.client.get("/v1/traders"), { status, code: "", message: /Check the server's URL/ });
  }
  assert.throws(() => new Assay({ url: "assay.example.com", key }), TypeError);
  assert.throws(() => new Assay({ url: `${url}?x=1`, key }), TypeError);
  await new Assay({ url: `${url}/v1/`, key }).get("/v1/traders");
  assert.throws(() => new Assay({ url, key: "" }), TypeError);
  assert.throws(() => new Assay({ url, key: "svc_live\nx" }), /the API key has characters that no key has/);
});

test("an answer of a proxy is not blamed on the URL", async () => {
  for (const [status, message] of [[413, /A proxy/], [503, /A proxy/], [304, /not been modified/]] as const) {
    const proxy = new Assay({ url, key, retries: 0, fetch: async () => new Response(status === 304 ? null : "<html>", { status }) });
    await assert.rejects(proxy.get("/v1/traders"), { status, message });
  }
});

test("an id does not call another operation", async () => {
  const { client, sent } = disturbed();
  for (const id of ["", ".", ".."]) await assert.rejects(client.get("/v1/traders/{id}/export", { path: { id } }), TypeError);
  assert.equal(sent(), 0);
});

/** Loses the connection in the middle of the answer. */
async function breakOff(send: () => Promise<Response>): Promise<Response> {
  const response = await send();
  let begun = false;
  const pull = (body: ReadableStreamDefaultController) => (begun ? body.error(new TypeError("terminated")) : body.enqueue(new TextEncoder().encode("{")), void (begun = true));
  return new Response(new ReadableStream({ pull }), response);
}

test("a redirect is refused", async () => {
  const server = createServer((_, answer) => answer.writeHead(301, { Location: url + "/v1/traders" }).end()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const moved = new Assay({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key });
  await assert.rejects(moved.post("/v1/traders", { body: { full_name: "Nobody" } }), { status: 301, message: /Check the server's URL/ });
  server.close();
});

test("changes are made once", async () => {
  const lost = disturbed(async (send) => {
    await (await send()).text();
    throw new TypeError("fetch failed");
  }, breakOff);
  const made = await lost.client.post("/v1/traders", { body: { full_name: "Once Only" } });
  assert.equal(lost.sent(), 3);
  const { data } = await assay.get("/v1/traders", { query: { search: "once only" } });
  assert.deepEqual(
    data.map((trader) => trader.id),
    [made.id],
  );
});

test("a conditional change whose answer is lost is not tried again", async () => {
  const { id } = await assay.post("/v1/traders", { body: { full_name: "Conditional" } });
  const { response } = await assay.exchange("get", "/v1/traders/{id}", { path: { id } });
  const lost = disturbed(async (send) => {
    await (await send()).text();
    throw new TypeError("fetch failed");
  });
  await assert.rejects(lost.client.patch("/v1/traders/{id}", { path: { id }, ifMatch: response.headers.get("ETag")!, body: { country: "DE" } }), /fetch failed/);
  assert.equal(lost.sent(), 1);
});

test("a deletion whose answer is lost has succeeded", async () => {
  const { id } = await assay.post("/v1/webhooks", { body: { url: "https://hooks.example.com", events: ["*"] } });
  const lost = disturbed(async (send) => {
    await (await send()).text();
    throw new TypeError("fetch failed");
  });
  assert.equal(await lost.client.delete("/v1/webhooks/{id}", { path: { id } }), undefined);
  assert.equal(lost.sent(), 2);
  await assert.rejects(assay.delete("/v1/webhooks/{id}", { path: { id } }), { code: "not_found" });
});

test("a certificate that is not valid is not tried again", async () => {
  const { client, sent } = disturbed(async () => {
    throw new TypeError("fetch failed", { cause: Object.assign(new Error("self-signed certificate"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" }) });
  });
  await assert.rejects(client.get("/v1/traders"), /fetch failed/);
  assert.equal(sent(), 1);
});

test("dates in queries are those of the API", async () => {
  let asked = "";
  const client = new Assay({ url, key, fetch: (input, init) => fetch((asked = String(input)), init) });
  await client.get("/v1/audit", { query: { from: new Date("2026-11-20T08:00:00Z") as unknown as string } });
  assert.equal(new URL(asked).searchParams.get("from"), "2026-11-20T08:00:00.000Z");
});

test("the client waits as long as the server asks", async () => {
  const busy = (status: number, after: string) => async () => new Response("", { status, headers: { "Retry-After": after } });
  const { client, sent } = disturbed(busy(429, "0"), busy(503, new Date(0).toUTCString()));
  await client.get("/v1/traders");
  assert.equal(sent(), 3);
  await assert.rejects(disturbed(busy(429, "120")).client.get("/v1/traders"), { status: 429 });
  const slow = disturbed(...Array.from({ length: 8 }, () => busy(409, "0")));
  await slow.client.get("/v1/traders");
  assert.equal(slow.sent(), 9, "an attempt that is still carried out is not a failed one");
  const reason = new Error("enough");
  const stop = new AbortController();
  const waiting = disturbed(async () => {
    setTimeout(() => stop.abort(reason));
    return busy(503, "60")();
  });
  await assert.rejects(waiting.client.get("/v1/traders", { signal: stop.signal }), reason);
  assert.equal(waiting.sent(), 1);
});

test("files and conditions", async () => {
  const trader = await assay.post("/v1/traders", { body: { full_name: "Zoe Miller", phone: "+49 30 1" } });
  const statement = "Ticket,Symbol,Side,Volume,Open Time,Close Time,Open Price,Close Price,Profit\n1,EURUSD,buy,0.50,2026-06-15 08:00:00,2026-06-15 08:20:00,1.07,1.08,12.50\n";
  const body = new FormData();
  body.append("file", new Blob([statement], { type: "text/csv" }), "statement.csv");
  const path = { id: trader.id };
  const { id: fileId } = await assay.post("/v1/traders/{id}/activity-files", { path, body });
  const file: Response = await assay.get("/v1/traders/{id}/activity-files/{fileId}", { path: { ...path, fileId } });
  assert.equal(await file.text(), statement);

  const { response } = await assay.exchange("get", "/v1/traders/{id}", { path });
  const ifMatch = response.headers.get("ETag")!;
  const changed = await assay.patch("/v1/traders/{id}", { path, ifMatch, body: { country: "DE", phone: null } });
  assert.deepEqual([changed.country, changed.phone], ["DE", null]);
  await assert.rejects(assay.patch("/v1/traders/{id}", { path, ifMatch, body: { country: "FR" } }), { code: "precondition_failed" });
});

/** Breaks the connection after the first message. */
async function cutOff(send: () => Promise<Response>): Promise<Response> {
  const response = await send();
  const { value } = await response.body!.getReader().read();
  return new Response(value, response);
}

test("a change of several objects has no id", async () => {
  const stream = 'event: ready\ndata: {}\n\nevent: change\ndata: {"topic":"traders","id":null}\n\n';
  const changes = new Assay({ url, key, fetch: async () => new Response(stream, { headers: { "Content-Type": "text/event-stream" } }) }).changes();
  await changes.next();
  assert.deepEqual((await changes.next()).value, { topic: "traders", id: "" });
});

test("changes arrive, and interruptions are told", async () => {
  const stop = new AbortController();
  let begun = 0;
  let made = "";
  for await (const { topic, id } of disturbed(cutOff).client.changes({ signal: stop.signal })) {
    if (topic === "" && ++begun === 2) made = (await assay.post("/v1/traders", { body: { full_name: "Late Comer" } })).id;
    if (topic === "traders" && id === made) stop.abort();
  }
  assert.equal(begun, 2);
  await assert.rejects(new Assay({ url, key: "svc_live_x" }).changes().next(), { status: 401 });
});
