import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { happen } from "../testing/browser";
import { Client, persist, Refusal } from "./protocol";

/** Has the server answer; what it is asked is kept by the mock. */
function server(status: number, body = "", headers: Record<string, string> = {}) {
  const fetched = vi.fn(async (_url: string, _request: RequestInit) => new Response(body === "" ? null : body, { status, headers }));
  vi.stubGlobal("fetch", fetched);
  return fetched;
}

test.each<[number, boolean, string?]>([
  [0, true],
  [400, false],
  [401, false],
  [404, false],
  [408, true],
  [409, false],
  [410, false],
  [422, false],
  [429, true],
  [500, true],
  [503, true],
  // Without a code it is not the server that refuses, but a proxy in between.
  [401, true, ""],
  [403, true, ""],
  [404, true, ""],
  [410, true, ""],
  [413, false, ""],
])("a refusal with status %s may pass by itself: %s", (status, temporary, code = "c") => expect(new Refusal(status, code, "").temporary).toBe(temporary));

describe("requests", () => {
  const client = new Client("/i/token");
  const check = { outcome: "ok", browser: "Firefox", os: "Linux", camera: null, microphone: null, screen: "1×1", upload_kbps: null, extra_time: "1", accommodation: null } as const;

  test.each<[string, () => Promise<unknown>, string, string, unknown]>([
    ["landing", client.landing, "GET", "interview", undefined],
    ["open", client.openSession, "POST", "session", {}],
    ["state", client.state, "GET", "state", undefined],
    ["consent", () => client.consent("abc"), "POST", "consent", { accepted: true, sha256: "abc" }],
    ["decline", client.decline, "POST", "decline", {}],
    ["devices", () => client.deviceCheck(check), "POST", "device-check", check],
    ["start", client.start, "POST", "start", {}],
    ["serve", () => client.serve("q1"), "POST", "answers/q1/serve", {}],
    ["take", () => client.openTake("q1", "video", "video/webm"), "POST", "answers/q1/takes", { mode: "video", media_type: "video/webm" }],
    ["abort", () => client.abortTake("q1", 2, null), "POST", "answers/q1/abort", { take: 2, recorded_ms: null }],
    ["seal", () => client.seal("q1", { text: "No." }), "POST", "answers/q1/seal", { text: "No." }],
    ["submit", () => client.submit(["q2"]), "POST", "submit", { unanswered: ["q2"] }],
  ])("%s", async (_, request, method, path, body) => {
    const fetched = server(200, "{}");
    await request();
    const [url, sent] = fetched.mock.lastCall ?? ["", {}];
    expect([url, sent.method]).toEqual([`/i/token/${path}`, method]);
    expect(sent.body === undefined ? undefined : JSON.parse(String(sent.body))).toEqual(body);
    expect(sent).toMatchObject({ credentials: "same-origin", cache: "no-store" });
  });

  test("an answer keeps the digits of its numbers", async () => {
    server(200, '{"minutes": 9007199254740993}');
    expect(`${(await client.landing()).minutes}`).toBe("9007199254740993");
  });

  test("an answer without a body", async () => {
    server(204);
    await expect(client.decline()).resolves.toBeUndefined();
  });
});

describe("refusals in words", () => {
  const client = new Client("/i/token");
  test.each<[string, number, string, Partial<Refusal>]>([
    ["a problem document", 409, `{"code":"take_open","title":"Conflict","detail":"A take is open."}`, { status: 409, code: "take_open", message: "A take is open." }],
    ["a title alone", 410, `{"code":"gone","title":"Expired"}`, { status: 410, code: "gone", message: "Expired" }],
    ["the page of a proxy", 502, "<html>Bad Gateway</html>", { status: 502, code: "", message: "HTTP 502" }],
    ["the JSON of a proxy", 404, '{"code":404,"detail":"no route"}', { status: 404, code: "", temporary: true }],
    ["nothing", 500, "", { status: 500, code: "", message: "HTTP 500" }],
  ])("%s", async (_, status, body, want) => {
    server(status, body);
    const refusal = await client.state().catch((err: unknown) => err);
    expect(refusal).toBeInstanceOf(Refusal);
    expect(refusal).toMatchObject(want);
  });

  test.each<[string, () => Promise<Response>]>([
    ["no answer at all", () => Promise.reject(new TypeError("Failed to fetch"))],
    ["an answer that breaks off", async () => new Response(new ReadableStream({ start: (body) => body.error(new TypeError("network error")) }))],
  ])("%s", async (_, fetched) => {
    vi.stubGlobal("fetch", fetched);
    await expect(client.state()).rejects.toMatchObject({ status: 0, temporary: true, message: expect.stringContaining("Check your connection") });
  });
});

describe("persist", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(Math, "random").mockReturnValue(0.5); // pauses as they are
  });
  afterEach(() => vi.useRealTimers());

  const busy = new Refusal(503, "", "busy");

  test("repeats what fails for the moment, at longer and longer pauses", async () => {
    const tries: number[] = [];
    const began = Date.now();
    const waiting = vi.fn();
    const answer = persist(async () => {
      tries.push((Date.now() - began) / 1000);
      if (tries.length < 8) throw busy;
      return "here";
    }, waiting);
    await vi.advanceTimersByTimeAsync(120_000);
    await expect(answer).resolves.toBe("here");
    expect(tries).toEqual([0, 1, 3, 7, 15, 30, 45, 60]);
    expect(waiting).toHaveBeenCalledTimes(7);
    expect(waiting).toHaveBeenCalledWith(busy);
  });

  test("repeats at once when the network is back", async () => {
    const attempt = vi.fn().mockRejectedValueOnce(busy).mockResolvedValue("here");
    const answer = persist(attempt, () => {});
    await vi.advanceTimersByTimeAsync(0);
    happen("online");
    await expect(answer).resolves.toBe("here");
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each<[string, Error]>([
    ["a refusal for good", new Refusal(409, "", "no")],
    ["a fault of the page", new RangeError("bug")],
  ])("does not repeat %s", async (_, err) => {
    const attempt = vi.fn().mockRejectedValue(err);
    await expect(persist(attempt, () => {})).rejects.toBe(err);
    expect(attempt).toHaveBeenCalledTimes(1);
  });
});
