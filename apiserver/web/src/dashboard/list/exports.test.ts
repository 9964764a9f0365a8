import { expect, test, vi } from "vitest";

vi.mock("../../api/connection", () => ({ reconnected: () => reconnecting }));
let reconnecting: Promise<void> = Promise.resolve();

import { counter, type Job, sentence, write, writesHere } from "./exports.svelte";

const bytes = (text: string) => new TextEncoder().encode(text);

test("counts lines but not those within a cell, however the bytes are cut", () => {
  const text = 'name\n"a\nb"\n"say ""x\ny"""\nc\n';
  for (let size = 1; size <= text.length; size++) {
    const lines = counter();
    let n = 0;
    for (let at = 0; at < text.length; at += size) n = lines(bytes(text.slice(at, at + size)));
    expect(n, `parts of ${size}`).toBe(4);
  }
});

const newJob = (): Job => ({ what: "traders", total: 12_300, rows: 0, state: "running", why: "", empty: false, stop: () => {} });

/** An answer in parts, which breaks off after them if told so. */
const answerOf = (parts: string[], breaks: boolean) =>
  new Response(
    new ReadableStream({
      pull: (controller) => {
        const part = parts.shift();
        if (part !== undefined) controller.enqueue(bytes(part));
        else if (breaks) controller.error(new TypeError("network error"));
        else controller.close();
      },
    }),
  );

function file() {
  const parts: string[] = [];
  const state = { text: "", ended: "", removed: false };
  return {
    state,
    target: {
      truncate: async (size: number) => void parts.splice(size),
      write: async (part: unknown) => void parts.push(new TextDecoder().decode(part as Uint8Array)),
      close: async () => void Object.assign(state, { ended: "closed", text: parts.join("") }),
      abort: async () => void (state.ended = "aborted"),
      remove: async () => void (state.removed = true),
    },
  };
}

test("writes a whole export and tells its rows", async () => {
  vi.stubGlobal("fetch", async () => answerOf(["id\n1\n", "2\n3", "\n"], false));
  const [job, { target, state }] = [newJob(), file()];
  await write("/v1/traders/export", target, new AbortController().signal, job);
  expect([state.ended, state.text, sentence(job)]).toEqual(["closed", "id\n1\n2\n3\n", "Exported traders: 3 rows."]);
});

test("an export that breaks off starts over when the connection is back, and says so meanwhile", async () => {
  const answers = [answerOf(["id\n1\n", "2\n3"], true), answerOf(["id\n1\n2\n3\n"], false)];
  vi.stubGlobal("fetch", async () => answers.shift());
  let reconnect = () => {};
  reconnecting = new Promise((resolve) => (reconnect = resolve));
  const [job, { target, state }] = [newJob(), file()];
  const ended = write("/v1/traders/export", target, new AbortController().signal, job);
  await vi.waitUntil(() => job.state === "waiting");
  expect(sentence(job)).toBe("The export of traders was interrupted after 2 of 12,300 rows. It starts over when the connection is back.");
  reconnect();
  await ended;
  expect([state.ended, state.text, sentence(job)]).toEqual(["closed", "id\n1\n2\n3\n", "Exported traders: 3 rows."]);
});

test("an export can be stopped while it waits for a connection, and leaves no file", async () => {
  vi.stubGlobal("fetch", async () => answerOf(["id\n1\n"], true));
  reconnecting = new Promise(() => {});
  const [job, { target, state }, stop] = [newJob(), file(), new AbortController()];
  const ended = write("/v1/traders/export", target, stop.signal, job);
  await vi.waitUntil(() => job.state === "waiting");
  stop.abort();
  await ended;
  expect([state.removed, job.why]).toEqual([true, "You stopped it."]);
  reconnecting = Promise.resolve();
});

test("an export that always breaks off leaves no file and says so", async () => {
  vi.stubGlobal("fetch", async () => answerOf(["id\n1\n", "2\n3"], true));
  const [job, { target, state }] = [newJob(), file()];
  await write("/v1/traders/export", target, new AbortController().signal, job);
  expect(state).toEqual({ ended: "aborted", text: "", removed: true });
  expect(sentence(job)).toContain("was cut off after 2 of 12,300 rows, and no file was written.");
});

test("an export that is refused says why", async () => {
  vi.stubGlobal("fetch", async () => Response.json({ code: "forbidden", title: "Forbidden", detail: "Ask an owner." }, { status: 403 }));
  const [job, { target, state }] = [newJob(), file()];
  await write("/v1/traders/export", target, new AbortController().signal, job);
  expect([state.ended, job.state, job.why !== ""]).toEqual(["aborted", "cut", true]);
});

test("an export that breaks off says that the file is empty where it cannot be removed", async () => {
  vi.stubGlobal("fetch", async () => answerOf(["id\n1\n"], true));
  const [job, { target }] = [newJob(), file()];
  target.remove = () => Promise.reject(new Error("not supported"));
  await write("/v1/traders/export", target, new AbortController().signal, job);
  expect(sentence(job)).toContain("and the file is empty. There is no connection");
});

test.each([
  ["QuotaExceededError", "The disk is full."],
  ["NotAllowedError", "The browser could not write the file: told by the browser"],
])("a file that cannot be written for a %s is not told as a lost connection", async (name, want) => {
  vi.stubGlobal("fetch", async () => answerOf(["id\n1\n"], false));
  const [job, { target }] = [newJob(), file()];
  target.write = () => Promise.reject(new DOMException("told by the browser", name));
  await write("/v1/traders/export", target, new AbortController().signal, job);
  expect(job.why).toBe(want);
});

test("only long exports are written here, and only where the browser can", () => {
  expect(writesHere(1_000_000)).toBe(false);
  vi.stubGlobal("showSaveFilePicker", () => {});
  expect([writesHere(1_000_000), writesHere(9_999)]).toEqual([true, false]);
});
