import { beforeEach, describe, expect, test, vi } from "vitest";

import { recordable, Recording } from "./recording";
import { type StoredTake, takeKey, TakeStorage } from "./storage";

/** A recorder that gives what the test says. */
class Recorder extends EventTarget {
  static supported: string[] = [];
  static isTypeSupported = (type: string) => Recorder.supported.includes(type);
  static last: Recorder;

  state = "inactive";
  ondataavailable: (event: { data: Blob }) => void = () => {};
  onerror: (event: unknown) => void = () => {};
  /** What comes with the end. */
  rest = "";

  constructor() {
    super();
    Recorder.last = this;
  }

  start(): void {
    this.state = "recording";
  }

  give(text: string): void {
    this.ondataavailable({ data: new Blob([text]) });
  }

  stop(): void {
    this.state = "inactive";
    queueMicrotask(() => {
      this.give(this.rest);
      this.dispatchEvent(new Event("stop"));
    });
  }
}

const take = (): StoredTake => ({
  key: takeKey("i1", "q1", 1),
  interview: "i1",
  question: "q1",
  take: 1,
  mime: "video/webm",
  uploadEndpoint: "/uploads",
  uploadURL: null,
  bytes: 0,
  recordedMs: 0,
  sha256: null,
  ended: false,
});

let storage: TakeStorage;
let recording: Recording;

beforeEach(async () => {
  vi.stubGlobal("MediaRecorder", Recorder);
  storage = await TakeStorage.open(() => {});
  await storage.put(take());
  recording = new Recording(take(), storage, {} as MediaStream);
});

describe("the container", () => {
  test.each([
    ["video", ["video/webm;codecs=vp8,opus", "video/webm", "video/mp4"], "video/webm;codecs=vp8,opus"],
    ["video", ["video/mp4", "video/webm"], "video/webm"],
    ["video", ["video/mp4"], "video/mp4"], // Safari
    ["audio", ["audio/mp4"], "audio/mp4"],
    ["audio", ["video/webm"], null],
  ] as const)("of %s where there are %o is %s", (kind, supported, want) => {
    Recorder.supported = [...supported];
    expect(recordable(kind)).toBe(want);
  });

  test("of a browser that does not record", () => {
    vi.stubGlobal("MediaRecorder", undefined);
    expect(recordable("video")).toBeNull();
  });
});

test("a take is what the recorder gave, in its order, with the hash of all of it", async () => {
  for (const piece of ["abc", "", "def"]) Recorder.last.give(piece);
  Recorder.last.rest = "ghi";
  const ended = await recording.stop();
  // echo -n abcdefghi | sha256sum
  expect(ended).toMatchObject({ bytes: 9, ended: true, sha256: "19cc02f26df43cc571bc9ed7b0c4d29224a3ec229529221725ef76d021c8326f" });
  expect(await (await storage.read(ended.key, 0, 9)).text()).toBe("abcdefghi");
});

test("whoever sends it waits for bytes that are not there yet, and for no more than the end", async () => {
  let sent = 0;
  const waits = recording.beyond(0).then(() => (sent = recording.take.bytes));
  expect(sent).toBe(0);
  Recorder.last.give("abc");
  await waits;
  expect(sent).toBe(3);
  const end = recording.beyond(3);
  await recording.stop();
  await expect(end).resolves.toBeUndefined();
});

test("devices that gave nothing are no answer", async () => {
  await expect(recording.stop()).rejects.toThrow("the camera and microphone sent nothing to record");
  expect(recording.take.ended).toBe(false);
});

test("a recorder that fails tells whoever waits", async () => {
  const waits = recording.beyond(0);
  Recorder.last.onerror(new Error("the encoder died"));
  await expect(waits).rejects.toThrow("the encoder died");
  await expect(recording.stop()).rejects.toThrow("the encoder died");
  expect(recording.take.ended).toBe(false);
});

test("a take that is broken off is no whole answer", async () => {
  Recorder.last.give("abc");
  recording.breakOff();
  await recording.beyond(0);
  expect(recording.take).toMatchObject({ ended: false, sha256: null });
});
