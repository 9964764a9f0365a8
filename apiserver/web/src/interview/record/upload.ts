// A take on its way to the server, by tus, out of the browser's database:
// while it is being recorded, or later, when only the database remembers it.
import * as tus from "tus-js-client";

import { readProblem, Refusal } from "../protocol";
import { type Recording } from "./recording";
import { type StoredTake, type TakeStorage } from "./storage";

/** The most that one request carries. */
const chunkSize = 8 << 20;

/** Pauses between attempts; the last one is repeated for ever. */
const pauses = [500, 1000, 2000, 4000, 8000, 15_000];

/** How long nothing may be sent before an attempt counts as hanging, in milliseconds. */
const silence = 60_000;

/** How often the bytes of a take are read in vain before its upload fails. */
const reads = 3;

/** What tus reads: bytes of a take, and more of them as they are recorded. */
class Source {
  /** Why the bytes cannot be read; null when they were, or may be. */
  failure: Error | null = null;
  #failures = 0;

  constructor(
    private readonly storage: TakeStorage,
    private readonly take: StoredTake,
    private readonly recording: Recording | null,
    private readonly watch: (sending: boolean) => void,
  ) {}

  /** Null, because nobody knows yet; the typings of the library want a number. */
  size = null as unknown as number;

  async slice(start: number, end: number) {
    this.watch(false); // more may have to be recorded first
    await this.recording?.beyond(start);
    const value = await this.#read(start, end);
    this.watch(true);
    const done = this.take.ended && start + value.size >= this.take.bytes;
    return { value: value.size > 0 ? value : null, done };
  }

  /** Reads what there is of the take, without a gap: the browser may have lost a part of it. */
  async #read(start: number, end: number): Promise<Blob> {
    const size = Math.min(end, this.take.bytes) - start;
    try {
      const value = await this.storage.read(this.take.key, start, end);
      if (value.size < size) throw new Error(`${value.size} of ${size} bytes`);
      this.#failures = 0;
      return value;
    } catch (cause) {
      const failure = new Error("This browser’s storage can’t be read. Reload this page to try again.", { cause });
      if (++this.#failures >= reads) this.failure = failure;
      throw failure;
    }
  }

  close(): void {}
}

export class TakeUpload {
  readonly finished: Promise<void>;
  #upload: tus.Upload;
  #again: ReturnType<typeof setTimeout> | undefined;
  #hanging: ReturnType<typeof setTimeout> | undefined;
  #online = () => this.#retry(0);
  #attempt = 0;
  #stopped = false;
  sent = 0;

  /** Starts at once; recording is null for a take of an earlier page. */
  constructor(
    private readonly take: StoredTake,
    storage: TakeStorage,
    recording: Recording | null,
    private readonly progress: (sent: number, troubled: boolean) => void,
  ) {
    let succeed: () => void;
    let fail: (err: unknown) => void;
    this.finished = new Promise((resolve, reject) => {
      succeed = resolve;
      fail = reject;
    });
    this.finished.catch(() => {}); // whoever waits for it is told
    const source = new Source(storage, take, recording, (sending) => this.#watch(sending));
    const close = () => {
      this.#watch(false);
      removeEventListener("online", this.#online);
    };
    this.#upload = new tus.Upload(new Blob(), {
      endpoint: take.uploadEndpoint,
      uploadUrl: take.uploadURL,
      uploadLengthDeferred: true,
      chunkSize,
      retryDelays: null, // retried below, for as long as it takes
      storeFingerprintForResuming: false,
      metadata: { question_id: take.question, take: String(take.take), filetype: take.mime },
      fileReader: { openFile: async () => source },
      onUploadUrlAvailable: () => {
        take.uploadURL = this.#upload.url;
        void storage.put(take);
      },
      // On a slow connection a chunk takes minutes. An attempt begins with what the server has.
      onProgress: (sent) => {
        this.#watch(true);
        const more = sent > this.sent;
        this.sent = sent;
        if (more) this.progress(sent, false);
      },
      onChunkComplete: (_size, accepted) => {
        this.#watch(false);
        this.#attempt = 0;
        this.sent = accepted;
        this.progress(accepted, false);
      },
      onSuccess: () => {
        close();
        succeed();
      },
      onError: (err) => {
        if (this.#stopped) return;
        const refusal = source.failure ?? refusalOf(err, recording);
        if (refusal !== null) {
          close();
          fail(refusal);
          return;
        }
        this.#later();
      },
    });
    addEventListener("online", this.#online);
    this.#start();
  }

  #start(): void {
    this.#watch(true);
    this.#upload.start();
  }

  /** Tries again after a pause. */
  #later(): void {
    this.#watch(false);
    this.progress(this.sent, true);
    this.#retry(pauses[Math.min(this.#attempt++, pauses.length - 1)] ?? 0);
  }

  /** Breaks an attempt off that sends nothing for long: a network that is away may never say so. */
  #watch(sending: boolean): void {
    clearTimeout(this.#hanging);
    if (!sending || this.#stopped) return;
    this.#hanging = setTimeout(() => {
      void this.#upload.abort(false);
      this.#later();
    }, silence);
  }

  /** Starts again where the server is; a second call while one waits does nothing more. */
  #retry(pause: number): void {
    if (pause === 0 && this.#again === undefined) return; // it runs
    clearTimeout(this.#again);
    this.#again = setTimeout(() => {
      this.#again = undefined;
      this.#upload.options.uploadUrl = this.take.uploadURL;
      this.#start();
    }, pause);
  }

  /** Ends it here. What is kept stays where it is. */
  stop(): void {
    this.#stopped = true;
    removeEventListener("online", this.#online);
    clearTimeout(this.#again);
    this.#watch(false);
    void this.#upload.abort(false);
  }
}

/** Why an upload cannot succeed however often it is tried; null when it may. */
function refusalOf(err: Error | tus.DetailedError, recording: Recording | null): Error | null {
  if (recording?.failure) return recording.failure;
  const answer = err instanceof tus.DetailedError ? err.originalResponse : null;
  const status = answer?.getStatus() ?? 0;
  if (status < 400 || [409, 423].includes(status)) return null;
  const problem = readProblem(answer?.getBody() ?? "");
  const refusal = new Refusal(status, problem.code, problem.detail ?? "The server did not accept the recording.");
  return refusal.temporary ? null : refusal;
}
