// Plays a recording whose address is signed for minutes: before it expires a
// new one is asked for, and the segments that follow are loaded from there, so
// that the picture goes on. Until somebody plays it, nothing of it is loaded.
import type Hls from "hls.js/light";
import type { LoaderContext } from "hls.js/light";

import { type Playback } from "./report";

/** Whether the server has said that there is nothing to play for this reader, or no more: to ask again soon is in vain. */
const isFinal = (err: unknown) => [401, 403, 404, 410].includes((err as { status?: number }).status ?? 0);

const told = (err: unknown) => (err instanceof Error ? err.message : String(err));

/** The pause before a signature is asked for again that was not given, in milliseconds. */
const again = 2000;

const segment = /\/media\/v1\/([^/]+)\/([^/]+)\/[^/]+\//;

/** Puts the newest signature into the address of a file of the same recording. */
export function resign(url: string, base: string): string {
  return url.replace(segment, (match) => segment.exec(base)?.[0] ?? match);
}

export class Player {
  #hls: Hls | null = null;
  #base = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ended = false;
  /** When the signature should be exchanged, and when it stops working, by this machine's clock. */
  #refresh = 0;
  #expires = 0;
  #opening: Promise<unknown> = Promise.resolve();
  #renewing: Promise<void> | null = null;
  #begun = false;
  /** Whether somebody has pressed play before there was anything to play. */
  #wanted = false;
  /** Whether it was reported that nothing can be played. */
  #reported = false;
  /** Whether nothing is loaded any more, because no signature was given. */
  #halted = false;

  constructor(
    private readonly video: HTMLVideoElement,
    private readonly sign: () => Promise<Playback>,
    private readonly callbacks: {
      /** Somebody wants to play it: it is being loaded. */
      begun: () => void;
      /** The video has something to play. */
      ready: () => void;
      /** Why nothing can be played; "": it can be again. */
      failed: (reason: string) => void;
    },
  ) {
    video.addEventListener("play", this.#play);
  }

  /** Asks how to play it, and waits for somebody who does. */
  async open(): Promise<Playback> {
    const signed = this.sign();
    this.#opening = signed.catch(() => {}); // who plays it asks again
    const playback = await signed;
    this.#signed(playback);
    return playback;
  }

  #play = () => {
    if (this.#ended) return;
    if (this.#begun) {
      this.#renewLater(); // it was not, while nothing played
      return;
    }
    this.#begun = true;
    this.callbacks.begun();
    this.#begin().catch((err: unknown) => {
      this.#begun = false;
      this.video.pause();
      this.callbacks.failed(told(err));
    });
  };

  async #begin(): Promise<void> {
    await this.#opening;
    // Without the parts for captions and several tracks: the recording has neither.
    const { default: Library } = await import("hls.js/light").catch(() => {
      throw new Error("the player could not be loaded. Load the page again.");
    });
    if (Date.now() < this.#refresh) this.#renewLater();
    else await this.#renew();
    if (this.#ended) return;
    if (Library.isSupported()) this.#playHLS(Library);
    else this.#attach(() => (this.video.src = this.#base)); // Safari plays it itself
    this.callbacks.ready();
  }

  /** Gives the video something to play, which stops what had been begun, and begins it again. */
  #attach(source: () => void): void {
    this.#wanted ||= !this.video.paused;
    source();
    if (this.#wanted) void this.video.play().catch(() => {}); // a browser may want a click first
  }

  #playHLS(Library: typeof Hls): void {
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
        this.#renew().then(
          () => this.#resume(),
          () => (this.#halted = true),
        );
      } else if (data.type === Library.ErrorTypes.MEDIA_ERROR) {
        this.#hls?.recoverMediaError();
      } else {
        this.callbacks.failed(data.details);
      }
    });
    this.#hls.on(Library.Events.MANIFEST_PARSED, () => (this.#wanted = false));
    this.#hls.on(Library.Events.MEDIA_ATTACHED, () => this.#attach(() => {}));
    this.#attach(() => {
      this.#hls?.loadSource(this.#base);
      this.#hls?.attachMedia(this.video);
    });
  }

  /** Loads on after a request was refused or lost: from where it was, or from the beginning if not even the list had come. */
  #resume(): void {
    if (this.#hls === null || this.#ended) return;
    this.#halted = false;
    if (this.#hls.levels.length === 0) this.#attach(() => this.#hls?.loadSource(this.#base));
    else this.#hls.startLoad();
  }

  #signed(playback: Playback): void {
    const source = playback.sources[0];
    if (!source) throw new Error("there is no recording");
    this.#base = source.url;
    // This machine's clock may be wrong. The answer's time is cut to the second.
    const ahead = Date.now() - (Date.parse(playback.answered_at ?? "") + 1000) || 0;
    this.#refresh = new Date(playback.refresh_after).getTime() + ahead;
    this.#expires = new Date(playback.expires_at).getTime() + ahead;
  }

  /** Exchanges the signature in time, while it is played: each exchange is a use of the session, and in the audit log. */
  #renewLater(soonest = 0): void {
    clearTimeout(this.#timer);
    if (this.#ended) return;
    const renew = () => {
      if (this.video.paused) return; // the next play does it
      this.#renew().then(
        () => this.#halted && this.#resume(),
        () => {}, // it is reported
      );
    };
    this.#timer = setTimeout(renew, Math.max(soonest, this.#refresh - Date.now()));
  }

  /**
   * Resolves when there is a new signature: what fails is tried again, and reported when the old one no longer works.
   * Rejects, and reports it, when there will be none.
   */
  #renew(): Promise<void> {
    this.#renewing ??= this.#insist().finally(() => (this.#renewing = null));
    return this.#renewing;
  }

  async #insist(): Promise<void> {
    while (!this.#ended) {
      try {
        this.#signed(await this.sign());
        this.#renewLater(5000);
        if (this.#reported) this.callbacks.failed("");
        this.#reported = false;
        return;
      } catch (err) {
        if (isFinal(err) || Date.now() > this.#expires) {
          this.callbacks.failed(told(err));
          this.#reported = true;
        }
        if (isFinal(err)) throw err;
      }
      await new Promise((resolve) => setTimeout(resolve, again));
    }
  }

  stop(): void {
    this.#ended = true;
    this.video.removeEventListener("play", this.#play);
    clearTimeout(this.#timer);
    this.#hls?.destroy();
  }
}
