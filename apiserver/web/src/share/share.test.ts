import { afterEach, expect, test, vi } from "vitest";

import { Gone, read, sign } from "./share";

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

test("who signs a recording has the server's time of it", async () => {
  vi.stubGlobal("fetch", async () => new Response('{"sources": []}', { headers: { Date: "Sun, 29 Nov 2026 04:00:00 GMT" } }));
  expect(await sign()).toEqual({ sources: [], answered_at: "Sun, 29 Nov 2026 04:00:00 GMT" });
});

test("another refusal is shown with its status", async () => {
  server(503, "<html>");
  await expect(sign()).rejects.toThrow("The server answered 503.");
});

afterEach(() => void vi.useRealTimers());

test("a report is there when the server is again", async () => {
  vi.useFakeTimers();
  const answers = [
    () => Promise.reject(new TypeError("Failed to fetch")),
    async () => new Response("", { status: 503, headers: { "Retry-After": "20" } }),
    async () => new Response('{"firm": "Alpha"}'),
  ];
  const asked = vi.fn(() => answers.shift()!());
  vi.stubGlobal("fetch", asked);
  const messages: string[] = [];
  const report = read((err) => messages.push(err.message));
  await vi.advanceTimersByTimeAsync(5_000);
  await vi.advanceTimersByTimeAsync(19_999);
  expect(asked).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(await report).toEqual({ firm: "Alpha" });
  expect(messages).toEqual(["There is no connection to the server. Check your network.", "The server answered 503."]);
});
