// One take: from the camera into the browser's database, hashed on the way.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

import { type StoredTake, type TakeStorage } from "./storage";

/** How often a recorder hands over what it has, in milliseconds. */
const timeslice = 3000;

const formats = {
  video: ["video/webm;codecs=vp8,opus", "video/webm", "video/mp4"],
  audio: ["audio/webm;codecs=opus", "audio/webm", "audio/mp4"],
};

/** The container that this browser records in; null when it cannot record. */
export function recordable(kind: "video" | "audio"): string | null {
  if (typeof MediaRecorder === "undefined") return null;
  return formats[kind].find((type) => MediaRecorder.isTypeSupported(type)) ?? null;
}

export class Recording {
  readonly #recorder: MediaRecorder;
  readonly #hash = sha256.create();
  readonly #growth = new EventTarget();
  readonly #began: number;
  #kept: Promise<void> = Promise.resolve();
  #failure: Error | null = null;

  constructor(
    readonly take: StoredTake,
    private readonly storage: TakeStorage,
    stream: MediaStream,
  ) {
    this.#recorder = new MediaRecorder(stream, { mimeType: take.mime, videoBitsPerSecond: 1_000_000, audioBitsPerSecond: 64_000 });
    this.#recorder.ondataavailable = (event) => this.#keep(event.data);
    this.#recorder.onerror = (event) => this.#fail(event);
    this.#recorder.start(timeslice);
    this.#began = performance.now();
  }

  get elapsedMs(): number {
    return performance.now() - this.#began;
  }

  /** What keeps the recording from being kept; null while all is well. */
  get failure(): Error | null {
    return this.#failure;
  }

  /** Chunks are appended in the order in which they came. */
  #keep(data: Blob): void {
    const recordedMs = Math.round(this.elapsedMs);
    this.#kept = this.#kept
      .then(async () => {
        if (data.size === 0) return;
        this.#hash.update(new Uint8Array(await data.arrayBuffer()));
        await this.storage.append(this.take, data, recordedMs);
        this.#growth.dispatchEvent(new Event("grown"));
      })
      .catch((err: unknown) => this.#fail(err));
  }

  #fail(err: unknown): void {
    this.#failure ??= err instanceof Error ? err : new Error("the browser has stopped recording");
    this.#growth.dispatchEvent(new Event("grown"));
  }

  /** Resolves when there is more than size, or nothing more will come. */
  async beyond(size: number): Promise<void> {
    while (this.take.bytes <= size && !this.take.ended && this.#failure === null) {
      await new Promise((resolve) => this.#growth.addEventListener("grown", resolve, { once: true }));
    }
    if (this.#failure !== null) throw this.#failure;
  }

  /** Stops without an end: the take was broken off, and is no whole answer. */
  breakOff(): void {
    if (this.#recorder.state !== "inactive") this.#recorder.stop();
  }

  /** Ends the take; resolves when all of it is kept. */
  async stop(): Promise<StoredTake> {
    if (this.#recorder.state !== "inactive") {
      const stopped = new Promise((resolve) => this.#recorder.addEventListener("stop", resolve, { once: true }));
      this.#recorder.stop();
      await stopped;
    }
    await this.#kept;
    // A device that went to sleep in between may have given not a single picture or sound.
    if (this.take.bytes === 0) this.#fail(new Error("the camera and microphone sent nothing to record"));
    if (this.#failure !== null) throw this.#failure;
    this.take.sha256 ??= bytesToHex(this.#hash.digest());
    this.take.ended = true;
    await this.storage.put(this.take);
    this.#growth.dispatchEvent(new Event("grown"));
    return this.take;
  }
}
