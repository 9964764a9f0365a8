// Plays a recording whose address is signed for minutes: before it expires a
// new one is asked for, and the segments that follow are loaded from there, so
// that the picture goes on.
import type Hls from "hls.js/light";
import type { LoaderContext } from "hls.js/light";

import { type Playback } from "./report";

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
    if (Library.isSupported()) this.#playHLS(Library, source.url);
    else this.video.src = source.url; // Safari plays it itself
    return playback;
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
        void this.#renew().then(() => this.#hls?.startLoad());
      } else if (data.type === Library.ErrorTypes.MEDIA_ERROR) {
        this.#hls?.recoverMediaError();
      } else {
        this.failed(data.details);
      }
    });
    this.#hls.loadSource(url);
    this.#hls.attachMedia(this.video);
  }

  #renewed(playback: Playback): void {
    this.#base = playback.sources[0]?.url ?? this.#base;
    clearTimeout(this.#timer);
    if (this.#ended) return;
    const wait = Math.max(5000, new Date(playback.refresh_after).getTime() - Date.now());
    this.#timer = setTimeout(() => void this.#renew(), wait);
  }

  async #renew(): Promise<void> {
    try {
      this.#renewed(await this.sign());
    } catch (err) {
      this.failed(err instanceof Error ? err.message : String(err));
    }
  }

  stop(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#hls?.destroy();
  }
}
