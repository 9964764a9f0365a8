import { beforeEach, describe, expect, test, vi } from "vitest";

import { api, credentials, Problem } from "../api/client";
import { keepDraft } from "./drafts.svelte";
import { go, showQuery } from "./router.svelte";
import { can, readSession, session, signIn, signOut, startWithoutSession } from "./session.svelte";

vi.mock("../api/client", async (original) => {
  const client = await original<typeof import("../api/client")>();
  return { ...client, call: (answer: Promise<unknown>) => answer, api: { GET: vi.fn(), POST: vi.fn(), PUT: vi.fn(), DELETE: vi.fn() } };
});

const asked = (method: "GET" | "POST" | "DELETE") => vi.mocked(api[method]) as unknown as ReturnType<typeof vi.fn>;
const reviewer = { csrf_token: "token", scopes: ["interviews:read", "interviews:decide"], user: { id: "u1" } };
const state = () => [session.value?.user.id ?? null, session.known, session.ended, session.problem?.code ?? null, credentials.csrf];

beforeEach(() => {
  asked("DELETE").mockReset();
  startWithoutSession();
});

test("who has signed in may do what the role allows", async () => {
  asked("POST").mockResolvedValue(reviewer);
  await signIn({ email: "a@x", password: "p" });
  expect(state()).toEqual(["u1", true, null, null, "token"]);
  expect([can("interviews:decide"), can("api_keys:manage")]).toEqual([true, false]);
  await signOut();
  expect(state()).toEqual([null, true, null, null, ""]);
  expect(can("interviews:decide")).toBe(false);
});

describe("asking who has signed in", () => {
  test.each<[string, Problem, string | null]>([
    ["somebody has to sign in", new Problem(401, "session_expired"), null],
    ["the server cannot be asked", new Problem(0, "offline"), "offline"],
    ["the server fails", new Problem(500, "internal_error"), "internal_error"],
  ])("%s", async (_, problem, code) => {
    asked("GET").mockRejectedValue(problem);
    await readSession();
    expect(session.problem?.code ?? null).toBe(code);
  });

  test("a server that does not answer is asked again until it does", async () => {
    vi.useFakeTimers();
    const away = new Problem(503, "service_unavailable", {}, new Headers({ "Retry-After": "5" }));
    asked("GET").mockReset().mockRejectedValueOnce(away).mockRejectedValueOnce(away).mockResolvedValue(reviewer);
    await readSession();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(state()).toEqual([null, true, null, "service_unavailable", ""]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(state()).toEqual(["u1", true, null, null, "token"]);
    expect(asked("GET")).toHaveBeenCalledTimes(3);
    vi.useRealTimers();
  });

  test("a problem is over with the next answer", async () => {
    asked("GET").mockRejectedValueOnce(new Problem(0, "offline")).mockResolvedValue(reviewer);
    await readSession();
    await readSession();
    expect(state()).toEqual(["u1", true, null, null, "token"]);
  });
});

test("a session that ends while somebody works is said to have ended, and one that never was is not", async () => {
  credentials.ended(new Problem(401, "session_expired"));
  expect(session.ended).toBeNull();
  asked("GET").mockResolvedValue(reviewer);
  await readSession();
  credentials.ended(new Problem(401, "session_expired"));
  expect(state(), "the page stays").toEqual(["u1", true, "expired", null, ""]);
  credentials.ended(new Problem(401, "session_expired"));
  expect(session.ended).toBe("expired");
});

test("a request is not sent again for a session that has expired", async () => {
  asked("POST").mockResolvedValue(reviewer);
  await signIn({ email: "a@x", password: "p" });
  asked("GET")
    .mockReset()
    .mockImplementation(async () => {
      const problem = new Problem(401, "session_expired");
      credentials.ended(problem);
      throw problem;
    });
  expect(await credentials.renew()).toBe(false);
});

test("who signs out in one tab leaves nothing behind in the others", async () => {
  asked("POST").mockResolvedValue(reviewer);
  await signIn({ email: "a@x", password: "p" });
  keepDraft("note/t1", { body: "" }).body = "He trades the news.";
  new BroadcastChannel("session").postMessage("left");
  await vi.waitFor(() => expect(state()).toEqual([null, true, null, null, ""]));
  await signIn({ email: "a@x", password: "p" });
  expect(keepDraft("note/t1", { body: "" }).body).toBe("");
});

test("a session that is read anew may be somebody else's", async () => {
  asked("POST").mockResolvedValue(reviewer);
  await signIn({ email: "a@x", password: "p" });
  asked("GET")
    .mockReset()
    .mockResolvedValue({ ...reviewer, csrf_token: "new" });
  go("/developers/keys?new=key");
  showQuery();
  expect(await credentials.renew()).toBe(true);
  expect(location.search).toBe("?new=key");
  asked("GET").mockResolvedValue({ ...reviewer, user: { id: "u2" } });
  expect(await credentials.renew()).toBe(false);
  expect(location.search, "the dialog of somebody else").toBe("");
});

test("a sign-out that fails leaves the session", async () => {
  asked("POST").mockResolvedValue(reviewer);
  await signIn({ email: "a@x", password: "p" });
  let during: boolean | undefined;
  asked("DELETE").mockImplementation(async () => {
    during = session.leaving;
    throw new Problem(0, "offline");
  });
  await expect(signOut(true)).rejects.toMatchObject({ code: "offline" });
  expect([during, session.leaving, session.value?.user.id]).toEqual([true, false, "u1"]);
  expect(asked("DELETE")).toHaveBeenCalledWith("/session", { params: { query: { everywhere: "true" } } });
});

test.each([
  [false, 1],
  [true, 0],
])("a new password that the server asks for, known to the page %s, has the session read %s times", async (known, times) => {
  asked("GET")
    .mockReset()
    .mockResolvedValue({ ...reviewer, password_change_required: known });
  await readSession();
  asked("GET").mockClear();
  credentials.passwordRequired();
  expect(asked("GET")).toHaveBeenCalledTimes(times);
});

test("what was being written when the session ended is kept for whoever wrote it, and for nobody else", async () => {
  const draft = () => keepDraft("note/t1", { body: "" });
  asked("POST").mockResolvedValue(reviewer);
  await signIn({ email: "a@x", password: "p" });
  draft().body = "He trades the news.";
  credentials.ended(new Problem(401, "session_expired"));
  await signIn({ email: "a@x", password: "p" });
  expect(draft().body).toBe("He trades the news.");
  credentials.ended(new Problem(401, "session_expired"));
  asked("POST").mockResolvedValue({ ...reviewer, user: { id: "u2" } });
  await signIn({ email: "b@x", password: "p" });
  expect(draft().body).toBe("");
  draft().body = "Another one.";
  await signOut();
  await signIn({ email: "b@x", password: "p" });
  expect(draft().body).toBe("");
});
