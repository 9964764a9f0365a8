import { describe, expect, test, vi } from "vitest";

import { events } from "./events";

/** Has the server answer with the pieces, one after the other. */
function stream(...pieces: (string | Uint8Array<ArrayBuffer>)[]) {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(c) {
      for (const piece of pieces) c.enqueue(typeof piece === "string" ? new TextEncoder().encode(piece) : piece);
      c.close();
    },
  });
  vi.stubGlobal("fetch", async () => new Response(body));
}

async function all() {
  const list = [];
  for await (const event of events("https://assay.test/v1/x")) list.push(event);
  return list;
}

describe("events", () => {
  const step = { name: "step", data: { n: 1 } };
  test.each<[string, string[], unknown[]]>([
    ["one", ['event: step\ndata: {"n":1}\n\n'], [step]],
    ["cut anywhere", ["event: st", 'ep\ndata: {"n"', ":1}\n", '\nevent: step\ndata: {"n":1}\n\n'], [step, step]],
    ["without a name", ['data: {"n":1}\n\n'], [{ name: "message", data: { n: 1 } }]],
    ["with comments between them", [': alive\n\nevent: step\ndata: {"n":1}\n\n: alive\n\n'], [step]],
    ["of which the last is not whole", ['event: step\ndata: {"n":1}\n\nevent: step\ndata: {"n":'], [step]],
    ["none", [], []],
  ])("%s", async (_, pieces, want) => {
    stream(...pieces);
    expect(await all()).toEqual(want);
  });

  test("a letter that is cut in two comes whole", async () => {
    const bytes = new TextEncoder().encode('data: "Zoë"\n\n');
    stream(bytes.slice(0, 10), bytes.slice(10));
    expect(await all()).toEqual([{ name: "message", data: "Zoë" }]);
  });
});

test("a refusal is a problem", async () => {
  vi.stubGlobal("fetch", async () => new Response(JSON.stringify({ code: "not_found" }), { status: 404 }));
  await expect(all()).rejects.toMatchObject({ status: 404, code: "not_found" });
});

test("a stream that breaks off is a problem", async () => {
  const body = new ReadableStream({ start: (c) => c.error(new TypeError("terminated")) });
  vi.stubGlobal("fetch", async () => new Response(body));
  await expect(all()).rejects.toMatchObject({ status: 0, code: "offline" });
});
