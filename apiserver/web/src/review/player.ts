// Plays a recording whose address is signed for minutes: before it expires a
// new one is asked for, and the segments that follow are loaded from there, so
// that the picture goes on.
import type Hls from "hls.js/light";
import type { LoaderContext } from "hls.js/light";

import { type Playback } from "./report";

/** The pause before a signature is asked for again that was not given, in milliseconds. */
const again = 2000;

const segment = /\/media\/v1\/([^/]+)\/([^/]+)\/[^/]+\//;

/** Puts the newest signature into the address of a file of the same recording. */
export function resign(url: string, base: string): string {
  return url.replace(segment, (match) => (segment.exec(base)?.[0] ?? match));
}

export class Player {
  #hls: Hls | null = null;
  #base = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ended = false;
  /** When the signature stops working, by this machine's clock. */
  #expires = 0;
  #renewing: Promise<void> | null = null;
  /** Whether somebody has pressed play before there was anything to play. */
  #wanted = false;

  /** failed is told why nothing can be played, and "" when it can be again. */
  constructor(
    private readonly video: HTMLVideoElement,
    private readonly sign: () => Promise<Playback>,
    private readonly failed: (reason: string) => void,
  ) {}

  async start(): Promise<Playback> {
    const playback = await this.sign();
    const source = playback.sources[0];
    if (!source) throw new Error("there is no recording");
    this.#renewed(playback);
    // Loaded when there is something to play, and without the parts for captions
    // and several tracks: the recording has neither.
    const { default: Library } = await import("hls.js/light");
    if (this.#ended) return playback;
    if (Library.isSupported()) this.#playHLS(Library, source.url);
    else this.#attach(() => (this.video.src = source.url)); // Safari plays it itself
    return playback;
  }

  /** Gives the video something to play, which stops what had been begun, and begins it again. */
  #attach(source: () => void): void {
    this.#wanted ||= !this.video.paused;
    source();
    if (this.#wanted) void this.video.play().catch(() => {}); // a browser may want a click first
  }

  #playHLS(Library: typeof Hls, url: string): void {
    const current = () => this.#base;
    const Default = Library.DefaultConfig.loader;
    class Signed extends Default {
      override load(context: LoaderContext, ...rest: [never, never]): void {
        context.url = resign(context.url, current());
        super.load(context, ...rest);
      }
    }
    // No worker: the Content-Security-Policy lets none come from a blob.
    this.#hls = new Library({ enableWorker: false, loader: Signed, maxBufferLength: 60 });
    this.#hls.on(Library.Events.ERROR, (_, data) => {
      if (!data.fatal || this.#ended) return;
      if (data.type === Library.ErrorTypes.NETWORK_ERROR) {
        void this.#renew().then(() => this.#resume());
      } else if (data.type === Library.ErrorTypes.MEDIA_ERROR) {
        this.#hls?.recoverMediaError();
      } else {
        this.failed(data.details);
      }
    });
    this.#hls.on(Library.Events.MANIFEST_PARSED, () => (this.#wanted = false));
    this.#hls.on(Library.Events.MEDIA_ATTACHED, () => this.#attach(() => {}));
    this.#attach(() => {
      this.#hls?.loadSource(url);
      this.#hls?.attachMedia(this.video);
    });
  }

  /** Loads on after a request was refused or lost: from where it was, or from the beginning if not even the list had come. */
  #resume(): void {
    if (this.#hls === null || this.#ended) return;
    if (this.#hls.levels.length === 0) this.#attach(() => this.#hls?.loadSource(this.#base));
    else this.#hls.startLoad();
  }

  #renewed(playback: Playback): void {
    this.#base = playback.sources[0]?.url ?? this.#base;
    this.#expires = new Date(playback.expires_at).getTime();
    clearTimeout(this.#timer);
    if (this.#ended) return;
    const wait = Math.max(5000, new Date(playback.refresh_after).getTime() - Date.now());
    this.#timer = setTimeout(() => void this.#renew(), wait);
  }

  /** Resolves when there is a new signature: what fails is tried again, and told when the old one works no more. */
  #renew(): Promise<void> {
    this.#renewing ??= this.#insist().finally(() => (this.#renewing = null));
    return this.#renewing;
  }

  async #insist(): Promise<void> {
    let told = false;
    while (!this.#ended) {
      try {
        this.#renewed(await this.sign());
        if (told) this.failed("");
        return;
      } catch (err) {
        if (Date.now() > this.#expires) {
          this.failed(err instanceof Error ? err.message : String(err));
          told = true;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, again));
    }
  }

  stop(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#hls?.destroy();
  }
}
