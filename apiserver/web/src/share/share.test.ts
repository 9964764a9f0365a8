import { expect, test, vi } from "vitest";

import { Gone, read } from "./share";

/** Has the server answer. */
const server = (status: number, body: string) => vi.stubGlobal("fetch", async () => new Response(body, { status }));

test("a shared report keeps the digits of its numbers", async () => {
  server(200, '{"recording": {"duration_ms": 9007199254740993}}');
  expect(`${(await read()).recording?.duration_ms}`).toBe("9007199254740993");
});

test.each([404, 410])("a link that is answered with %s is gone", async (status) => {
  server(status, "{}");
  await expect(read()).rejects.toThrow(Gone);
});

test("another refusal is told with its status", async () => {
  server(503, "<html>");
  await expect(read()).rejects.toThrow("The server answered 503.");
});
