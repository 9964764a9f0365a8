import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { api, call, callTagged, credentials, lossOf, Problem, problemOf, readAhead, refusal, send } from "./client";
import { Exact } from "../ui/exact";

const answers = (...list: (Response | Error)[]) => {
  const fetched = vi.fn(async (_request: Request | string) => {
    const next = list.shift();
    if (next === undefined || next instanceof Error) throw next ?? new Error("nothing more is asked");
    return next;
  });
  vi.stubGlobal("fetch", fetched);
  return fetched;
};
const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json", ...headers } });
const post = () => new Request("https://assay.test/v1/x", { method: "POST", body: "{}" });
const tokens = (fetched: ReturnType<typeof answers>) => fetched.mock.calls.map(([r]) => (r as Request).headers.get("X-CSRF-Token"));

beforeEach(() => {
  credentials.csrf = "old";
  credentials.renew = vi.fn(async () => {
    credentials.csrf = "new";
    return true;
  });
  credentials.ended = vi.fn();
  credentials.passwordRequired = vi.fn();
});

describe("a refusal", () => {
  test("has what the server says of it", () => {
    const errors = [
      { pointer: "#/name", code: "empty", detail: "is empty." },
      { pointer: "#/names/0", code: "empty", detail: "is none of #/name." },
      { pointer: "#/name/first", code: "long", detail: "is too long." },
    ];
    const p = refusal(new Response(null, { status: 422, headers: { "X-Request-Id": "r1", "Retry-After": "7" } }), {
      code: "invalid",
      title: "Invalid",
      detail: "Two faults.",
      errors,
    });
    expect(p).toMatchObject({ status: 422, code: "invalid", message: "Two faults.", requestId: "r1", retryAfter: 7 });
    expect(p.fault("#/name")).toBe("is empty. is too long.");
    expect(p.fault("#/other")).toBe("");
  });

  test.each<[string, unknown]>([
    ["a proxy's page", "<html>"],
    ["nothing", undefined],
    ["null", null],
    ["members of other types", { code: 7, title: [], errors: "x", organizations: {} }],
  ])("with %s is told by its status", (_, body) => {
    expect(refusal(new Response(null, { status: 502 }), body)).toMatchObject({ status: 502, code: "http_502", title: "", errors: [], organizations: [], retryAfter: null });
  });

  test.each<[number, string, number, number]>([
    [401, "session_expired", 1, 0],
    [401, "invalid_credentials", 0, 0],
    [403, "password_change_required", 0, 1],
    [403, "insufficient_scope", 0, 0],
  ])("%s %s ends the session %s times, and asks for a new password %s times", (status, code, ended, password) => {
    refusal(new Response(null, { status }), { code });
    expect(credentials.ended).toHaveBeenCalledTimes(ended);
    expect(credentials.passwordRequired).toHaveBeenCalledTimes(password);
  });
});

describe("what was thrown", () => {
  const known = new Problem(409, "conflict");
  const offline = { status: 0, code: "offline" };
  const fault = (detail: string) => ({ status: 0, code: "page_error", detail });
  test.each<[unknown, object, object]>([
    [known, known, known],
    [new TypeError("Failed to fetch"), offline, fault("TypeError: Failed to fetch")],
    [new DOMException("aborted", "AbortError"), offline, fault("AbortError: aborted")],
    [new RangeError("a bug"), fault("RangeError: a bug"), fault("RangeError: a bug")],
    ["a text", fault("a text"), fault("a text")],
  ])("%s, while an answer is awaited and elsewhere", (thrown, awaited, elsewhere) => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    expect(lossOf(thrown)).toMatchObject(awaited);
    expect(problemOf(thrown)).toMatchObject(elsewhere);
  });
});

describe("a change", () => {
  test("goes with the token of its session", async () => {
    const fetched = answers(json(200, {}));
    await send(post());
    expect(tokens(fetched)).toEqual(["old"]);
  });

  test("goes once more, with its body, when another tab has replaced the token", async () => {
    const fetched = answers(json(403, { code: "csrf_failed" }), json(200, { done: true }));
    expect((await send(post())).status).toBe(200);
    expect(tokens(fetched)).toEqual(["old", "new"]);
    expect(await (fetched.mock.calls[1]?.[0] as Request).text()).toBe("{}");
  });

  test("goes no second time when somebody else has signed in", async () => {
    credentials.renew = vi.fn(async () => false);
    const fetched = answers(json(403, { code: "csrf_failed" }));
    expect((await send(post())).status).toBe(403);
    expect(fetched).toHaveBeenCalledTimes(1);
  });

  test("goes no third time", async () => {
    const fetched = answers(json(403, { code: "csrf_failed" }), json(403, { code: "csrf_failed" }));
    expect((await send(post())).status).toBe(403);
    expect(fetched).toHaveBeenCalledTimes(2);
  });

  test.each([json(403, { code: "insufficient_scope" }), new Response("<html>", { status: 403 })])("that is refused for another reason goes once", async (answer) => {
    const fetched = answers(answer);
    const given = await send(post());
    expect([given.status, given.bodyUsed, fetched.mock.calls.length]).toEqual([403, false, 1]);
  });
});

describe("what was asked for ahead", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());
  const get = () => new Request("https://assay.test/v1/traders/1");

  test("is taken once, and then asked for again", async () => {
    const fetched = answers(json(200, { from: "ahead" }), json(200, { from: "request" }));
    readAhead("/v1/traders/1");
    expect(await (await send(get())).json()).toEqual({ from: "ahead" });
    expect(await (await send(get())).json()).toEqual({ from: "request" });
    expect(fetched).toHaveBeenCalledTimes(2);
  });

  test.each<[string, Response | Error]>([
    ["was refused", json(401, {})],
    ["did not come", new TypeError("offline")],
  ])("is asked for again when it %s", async (_, first) => {
    answers(first, json(200, { from: "request" }));
    readAhead("/v1/traders/1");
    expect(await (await send(get())).json()).toEqual({ from: "request" });
  });

  test("is too old after five seconds", async () => {
    answers(json(200, { from: "ahead" }), json(200, { from: "request" }));
    readAhead("/v1/traders/1");
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await (await send(get())).json()).toEqual({ from: "request" });
  });
});

test("an answer is its body, or throws what is wrong", async () => {
  const ask = () => api.GET("/v1/users", { baseUrl: "https://assay.test" });
  answers(json(200, { data: [] }), json(404, { code: "not_found", detail: "No." }), new TypeError("offline"), json(200, { data: [] }, { ETag: '"7"' }));
  expect(await call(ask())).toEqual({ data: [] });
  await expect(call(ask())).rejects.toMatchObject({ status: 404, code: "not_found" });
  await expect(call(ask())).rejects.toMatchObject({ status: 0, code: "offline" });
  expect(await callTagged(ask())).toEqual({ value: { data: [] }, tag: '"7"' });
});

test("an answer keeps the digits of its numbers, with and without its length", async () => {
  const ask = () => api.GET("/v1/users", { baseUrl: "https://assay.test" });
  const text = '{"data": [9007199254740993]}';
  const answer = (more: Record<string, string>) => new Response(text, { status: 200, headers: { "Content-Type": "application/json", ...more } });
  answers(answer({}), answer({ "Content-Length": String(text.length) }));
  for (let i = 0; i < 2; i++) expect(await call(ask())).toEqual({ data: [new Exact("9007199254740993")] });
});

describe("a change whose answer is lost", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());
  const note = (body: string) => api.POST("/v1/traders/{id}/notes", { params: { path: { id: "t1" } }, body: { body }, baseUrl: "https://assay.test" });
  const cut = () => new Response(new ReadableStream({ start: (c) => c.error(new TypeError("terminated")) }), { status: 201, headers: { "Content-Type": "application/json" } });
  const keys = (fetched: ReturnType<typeof answers>) => fetched.mock.calls.map(([r]) => (r as Request).headers.get("Idempotency-Key"));
  const made = () => json(201, {});

  test.each<[string, () => Response | Error]>([
    ["before it begins", () => new TypeError("Failed to fetch")],
    ["halfway", cut],
    ["by a proxy", () => json(504, {})],
    ["and the session ends", () => json(401, { code: "session_expired" })],
    ["while the server is still at it", () => json(409, { code: "idempotency_in_progress" })],
  ])("%s has the same key when it is sent again, and another after that", async (how, first) => {
    const fetched = answers(first(), made(), made());
    await expect(call(note(how))).rejects.toThrow();
    await call(note(how));
    await call(note(how));
    const [lost, again, anew] = keys(fetched);
    expect(lost).toMatch(/^[-0-9a-f]{36}$/);
    expect(again).toBe(lost);
    expect(anew).not.toBe(lost);
  });

  test("has another key when it says something else, or comes much later", async () => {
    const fetched = answers(new TypeError(""), new TypeError(""), made());
    await expect(call(note("one"))).rejects.toThrow();
    await expect(call(note("two"))).rejects.toThrow();
    vi.advanceTimersByTime(11 * 60_000);
    await call(note("one"));
    expect(new Set(keys(fetched)).size).toBe(3);
  });

  test("that the server refuses for its content has another key next time", async () => {
    const fetched = answers(json(422, { code: "invalid" }), made());
    await expect(call(note("long"))).rejects.toThrow();
    await call(note("long"));
    expect(new Set(keys(fetched)).size).toBe(2);
  });

  test("keeps the key that it came with; readings and signing in have none", async () => {
    const fetched = answers(made(), json(200, {}), json(200, {}));
    await call(
      api.POST("/v1/webhooks/deliveries/{deliveryId}/retry", { params: { path: { deliveryId: "d1" }, header: { "Idempotency-Key": "own" } }, baseUrl: "https://assay.test" }),
    );
    await call(api.GET("/v1/users", { baseUrl: "https://assay.test" }));
    await call(api.POST("/session", { body: { email: "a@b.test", password: "secret" }, baseUrl: "https://assay.test" }));
    expect(keys(fetched)).toEqual(["own", null, null]);
  });
});
