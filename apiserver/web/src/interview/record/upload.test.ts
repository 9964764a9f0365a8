import type { UploadOptions } from "tus-js-client";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { happen } from "../../testing/browser";
import { type Refusal } from "../protocol";
import { type Recording } from "./recording";
import { type StoredTake, TakeStorage } from "./storage";
import { TakeUpload } from "./upload";

/** Stands for the library that sends; test/clients sends with the real one. */
const { Upload, DetailedError } = vi.hoisted(() => {
  class Upload {
    static last: Upload;
    url: string | null = null;
    starts: (string | null)[] = [];
    aborted = false;
    constructor(
      _file: Blob,
      readonly options: UploadOptions,
    ) {
      Upload.last = this;
    }
    start(): void {
      this.starts.push(this.options.uploadUrl ?? null);
    }
    abort(): Promise<void> {
      this.aborted = true;
      return Promise.resolve();
    }
  }
  class DetailedError extends Error {
    constructor(readonly originalResponse: unknown) {
      super("tus");
    }
  }
  return { Upload, DetailedError };
});
vi.mock("tus-js-client", () => ({ Upload, DetailedError }));

const answered = (status: number, body = "") => new DetailedError({ getStatus: () => status, getBody: () => body }) as unknown as Error;
const unreachable = () => new DetailedError(null) as unknown as Error;

let storage: TakeStorage;
let take: StoredTake;
const progress = vi.fn();

beforeEach(async () => {
  vi.useFakeTimers();
  progress.mockReset();
  storage = await TakeStorage.open(() => {});
  take = {
    key: "i1/q1/2",
    interview: "i1",
    question: "q1",
    take: 2,
    mime: "video/webm",
    uploadEndpoint: "/uploads",
    uploadURL: null,
    bytes: 0,
    recordedMs: 0,
    sha256: null,
    ended: false,
  };
  await storage.put(take);
});
afterEach(() => vi.useRealTimers());

const begin = (recording: Recording | null = null) => new TakeUpload(take, storage, recording, progress);
const fails = (err: Error) => Upload.last.options.onError?.(err);

test("it starts at once, and says whose bytes these are", () => {
  begin();
  expect(Upload.last.starts).toEqual([null]);
  expect(Upload.last.options).toMatchObject({ endpoint: "/uploads", uploadLengthDeferred: true, metadata: { question_id: "q1", take: "2", filetype: "video/webm" } });
});

test("where it goes on is kept, and an interrupted upload goes on there", async () => {
  const upload = begin();
  Upload.last.url = "/uploads/7";
  Upload.last.options.onUploadUrlAvailable?.();
  expect(take.uploadURL).toBe("/uploads/7");
  fails(unreachable());
  await vi.advanceTimersByTimeAsync(500);
  expect(Upload.last.starts).toEqual([null, "/uploads/7"]);
  upload.stop();
});

test("what a take of an earlier page has sent is not sent again", () => {
  take.uploadURL = "/uploads/7";
  begin();
  expect(Upload.last.starts).toEqual(["/uploads/7"]);
});

test("it tries again for as long as it takes, at pauses of 15 s at most", async () => {
  begin();
  for (const [i, pause] of [500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000].entries()) {
    fails(answered(503));
    await vi.advanceTimersByTimeAsync(pause - 1);
    expect(Upload.last.starts).toHaveLength(i + 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(Upload.last.starts).toHaveLength(i + 2);
  }
  // What has been sent since then begins the pauses anew.
  Upload.last.options.onChunkComplete?.(5, 5, 5);
  fails(unreachable());
  await vi.advanceTimersByTimeAsync(500);
  expect(Upload.last.starts).toHaveLength(10);
  expect(progress.mock.calls.slice(-2)).toEqual([
    [5, false],
    [5, true],
  ]);
});

test("it shows what a chunk has sent before the chunk is complete", () => {
  begin();
  Upload.last.options.onProgress?.(3, 9);
  fails(answered(408));
  Upload.last.options.onProgress?.(2, 9); // the next attempt begins there, and has sent nothing yet
  Upload.last.options.onProgress?.(4, 9);
  expect(progress.mock.calls).toEqual([
    [3, false],
    [3, true],
    [4, false],
  ]);
});

test("it tries again at once when the network is back, and not while it runs", async () => {
  begin();
  happen("online");
  await vi.advanceTimersByTimeAsync(0);
  expect(Upload.last.starts).toHaveLength(1);
  fails(unreachable());
  happen("online");
  await vi.advanceTimersByTimeAsync(0);
  expect(Upload.last.starts).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(Upload.last.starts).toHaveLength(2);
});

describe("an upload that is answered", () => {
  test.each([
    [400, true],
    [401, true],
    [404, true],
    [410, true],
    [413, true],
    [408, false],
    [409, false],
    [423, false],
    [429, false],
    [500, false],
    [503, false],
    [0, false],
  ])("%s is given up: %s", async (status, hopeless) => {
    const upload = begin();
    const outcome = vi.fn();
    upload.finished.catch(outcome);
    fails(answered(status, `{"code":"c","detail":"Why not."}`));
    await vi.advanceTimersByTimeAsync(500);
    expect(Upload.last.starts).toHaveLength(hopeless ? 1 : 2);
    expect(outcome.mock.calls).toMatchObject(hopeless ? [[{ status, code: "c", message: "Why not." } as Refusal]] : []);
    upload.stop();
  });

  test.each([401, 403, 404, 410])("with the page of a proxy and %s goes on, because the server has not spoken", async (status) => {
    const upload = begin();
    fails(answered(status, "<html>"));
    await vi.advanceTimersByTimeAsync(500);
    expect(Upload.last.starts).toHaveLength(2);
    upload.stop();
  });

  test("with the page of a proxy says something nevertheless", async () => {
    const upload = begin();
    fails(answered(413, "<html>"));
    await expect(upload.finished).rejects.toMatchObject({ status: 413, code: "", message: "The server did not accept the recording." });
  });
});

test("a recording that failed ends its upload", async () => {
  const upload = begin({ failure: new Error("the encoder died") } as unknown as Recording);
  fails(unreachable());
  await expect(upload.finished).rejects.toThrow("the encoder died");
});

describe("an upload that hangs", () => {
  const slice = async () => ((await Upload.last.options.fileReader?.openFile(new Blob(), 8)) as { slice(from: number, to: number): Promise<unknown> }).slice(0, 8);

  test("begins anew when nothing has been sent for a minute", async () => {
    const upload = begin();
    await storage.append(take, new Blob(["abcdef"]), 1000);
    await slice();
    await vi.advanceTimersByTimeAsync(59_000);
    Upload.last.options.onProgress?.(3, 6);
    await vi.advanceTimersByTimeAsync(59_000);
    expect([Upload.last.starts.length, Upload.last.aborted]).toEqual([1, false]);
    await vi.advanceTimersByTimeAsync(1_500);
    expect([Upload.last.starts.length, Upload.last.aborted]).toEqual([2, true]);
    expect(progress).toHaveBeenLastCalledWith(3, true);
    upload.stop();
  });

  test("is not one that waits for more to be recorded, or that was stopped", async () => {
    const recording = { failure: null, beyond: () => new Promise<void>(() => {}) };
    const upload = begin(recording as unknown as Recording);
    void slice();
    await vi.advanceTimersByTimeAsync(120_000);
    Upload.last.options.onChunkComplete?.(5, 5, 5);
    await vi.advanceTimersByTimeAsync(120_000);
    expect([Upload.last.starts.length, Upload.last.aborted]).toEqual([1, false]);
    upload.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});

test("an upload that was stopped neither tries again nor says anything", async () => {
  const upload = begin();
  fails(unreachable());
  progress.mockReset();
  upload.stop();
  fails(unreachable());
  happen("online");
  await vi.advanceTimersByTimeAsync(60_000);
  expect([Upload.last.starts.length, Upload.last.aborted, progress.mock.calls.length]).toEqual([1, true, 0]);
});

test("it is finished when the library says so", async () => {
  const upload = begin();
  Upload.last.options.onSuccess?.({} as never);
  await expect(upload.finished).resolves.toBeUndefined();
});

test("bytes are read as they are recorded, and the last of them are known as such", async () => {
  const recording = { failure: null, beyond: vi.fn(async () => {}) };
  begin(recording as unknown as Recording);
  const source = (await Upload.last.options.fileReader?.openFile(new Blob(), 8)) as { slice(from: number, to: number): Promise<{ value: Blob | null; done: boolean }> };
  await storage.append(take, new Blob(["abcdef"]), 1000);
  const first = await source.slice(0, 4);
  expect([await first.value?.text(), first.done]).toEqual(["abcd", false]);
  const second = await source.slice(4, 8);
  expect([await second.value?.text(), second.done]).toEqual(["ef", false]); // it is still being recorded
  take.ended = true;
  expect((await source.slice(4, 8)).done).toBe(true);
  expect(await source.slice(6, 10)).toEqual({ value: null, done: true });
  expect(recording.beyond.mock.calls).toEqual([[0], [4], [4], [6]]);
});

describe("bytes that the browser cannot read", () => {
  const source = async () => (await Upload.last.options.fileReader?.openFile(new Blob(), 8)) as { slice(from: number, to: number): Promise<unknown> };
  const unreadable = async () => {
    const read = (await source()).slice(0, 8);
    await expect(read).rejects.toThrow("can’t be read");
    fails(unreachable());
  };

  test("fail the upload with advice, and do not pass for a lost connection", async () => {
    const upload = begin();
    take.bytes = 8; // of which the browser has kept nothing
    take.ended = true;
    for (let i = 0; i < 3; i++) await unreadable();
    await expect(upload.finished).rejects.toThrow("Reload this page");
  });

  test("are read again before that", async () => {
    const upload = begin();
    await storage.append(take, new Blob(["abcdef"]), 1000);
    const { bytes } = take;
    for (let round = 0; round < 2; round++) {
      take.bytes = bytes + 1;
      await unreadable();
      await unreadable();
      take.bytes = bytes;
      await (await source()).slice(0, 8);
    }
    const outcome = vi.fn();
    upload.finished.catch(outcome);
    await vi.advanceTimersByTimeAsync(500);
    expect(outcome).not.toHaveBeenCalled();
    upload.stop();
  });
});
