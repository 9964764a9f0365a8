// Watches the page for what a reviewer may want to know. Each event is an
// observation and proves no intent; nothing that was typed or copied is read.
import { type EventLog } from "./events";

const virtualCamera = /\b(OBS|ManyCam|Snap Camera|XSplit)\b/i;

/** A hidden window or a blurred one shorter than this is nothing, in milliseconds. */
const blurAtLeast = 2000;
const mutedAtLeast = 3000;
const darkAtLeast = 5000;
const darkLuma = 16;
export const silentRMS = 0.001; // −60 dBFS

/** Undoes what was set up. */
export type Stop = () => void;

type Screen_ = Screen & EventTarget & { isExtended?: boolean };

/** Watches window and document until stopped. */
export function watchPage(log: EventLog, settings: { fullscreen: "off" | "ask" | "require"; second_screen: boolean }): Stop {
  const stop = new AbortController();
  const on = (target: EventTarget, kind: string, handle: (event: Event) => void) => target.addEventListener(kind, handle, { signal: stop.signal });
  const leave = () => ({ at: performance.now(), question: log.question });
  let hidden: ReturnType<typeof leave> | null = null;
  let blurred: ReturnType<typeof leave> | null = null;
  on(document, "visibilitychange", () => {
    if (document.visibilityState === "hidden") {
      hidden = leave();
      blurred = null;
    } else if (hidden !== null) {
      log.add("tab_hidden", { duration_ms: Math.round(performance.now() - hidden.at) }, hidden.question);
      hidden = null;
    }
  });
  on(window, "blur", () => {
    if (document.visibilityState === "visible") blurred = leave();
  });
  on(window, "focus", () => {
    if (blurred !== null && performance.now() - blurred.at >= blurAtLeast) {
      log.add("window_blur", { duration_ms: Math.round(performance.now() - blurred.at) }, blurred.question);
    }
    blurred = null;
  });
  for (const kind of ["copy", "cut", "paste"] as const) {
    on(document, kind, (event) => {
      const text = kind === "paste" ? ((event as ClipboardEvent).clipboardData?.getData("text") ?? "") : (getSelection()?.toString() ?? "");
      log.add(kind, { data: { length: text.length } });
    });
  }
  on(document, "contextmenu", () => log.add("context_menu"));
  on(document, "keyup", (event) => {
    if ((event as KeyboardEvent).key === "PrintScreen") log.add("print_screen_key");
  });
  if (settings.fullscreen === "require") {
    on(document, "fullscreenchange", () => {
      if (document.fullscreenElement === null) log.add("fullscreen_exit");
    });
  }
  on(window, "offline", () => log.add("network_offline"));
  if (settings.second_screen) watchScreens(log, on);
  // Against what the window began with, and once: keyboards of phones and zooming change it, too.
  const gap = () => Math.max(window.outerWidth - window.innerWidth, window.outerHeight - window.innerHeight);
  const usual = gap();
  let suspected = !matchMedia("(pointer: fine)").matches;
  on(window, "resize", () => {
    if (suspected || gap() - usual <= 260) return;
    suspected = true;
    log.add("devtools_suspected", { data: { gap: gap() } });
  });
  return () => stop.abort();
}

/** Records that the page was loaded anew, if it was. */
export function noteReload(log: EventLog): void {
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  if (navigation?.type === "reload") log.add("page_reload");
}

function watchScreens(log: EventLog, on: (target: EventTarget, kind: string, handle: () => void) => void): void {
  const screen_ = screen as Screen_;
  if (screen_.isExtended) log.add("second_screen");
  on(screen_, "change", () => log.add("screen_changed", { data: { extended: screen_.isExtended ?? false } }));
}

/** Watches the tracks of the camera and the microphone. */
export function watchTracks(log: EventLog, stream: MediaStream): Stop {
  const stops = stream.getTracks().map((track) => {
    const kind = track.kind === "video" ? "camera_lost" : "microphone_lost";
    if (track.kind === "video" && virtualCamera.test(track.label)) log.add("virtual_camera_suspected");
    let timer: ReturnType<typeof setTimeout> | undefined;
    const abort = new AbortController();
    const options = { signal: abort.signal };
    track.addEventListener("ended", () => log.add(kind, { data: { ended: true } }), options);
    track.addEventListener("mute", () => (timer = setTimeout(() => log.add(kind, { data: { ended: false } }), mutedAtLeast)), options);
    track.addEventListener("unmute", () => clearTimeout(timer), options);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  });
  return () => stops.forEach((stop) => stop());
}

/** Measures how loud a stream is. */
export class LevelMeter {
  readonly #context = new AudioContext();
  readonly #analyser: AnalyserNode;
  readonly #samples: Float32Array<ArrayBuffer>;

  constructor(stream: MediaStream) {
    this.#analyser = this.#context.createAnalyser();
    this.#analyser.fftSize = 2048;
    this.#samples = new Float32Array(this.#analyser.fftSize);
    this.#context.createMediaStreamSource(stream).connect(this.#analyser);
    void this.#context.resume();
  }

  /** Root mean square of the last samples, 0 to 1. */
  level(): number {
    this.#analyser.getFloatTimeDomainData(this.#samples);
    return Math.sqrt(this.#samples.reduce((sum, x) => sum + x * x, 0) / this.#samples.length);
  }

  /** Whether it measures: browsers may wait for somebody to touch the page. */
  get running(): boolean {
    return this.#context.state === "running";
  }

  close(): void {
    void this.#context.close();
  }
}

/** Measures how bright a picture is. */
export class LightMeter {
  readonly #picture: CanvasRenderingContext2D | null;

  constructor() {
    const canvas = document.createElement("canvas");
    canvas.width = 32;
    canvas.height = 24;
    this.#picture = canvas.getContext("2d", { willReadFrequently: true });
  }

  /** Whether the picture is dark; null while there is none. */
  dark(video: HTMLVideoElement | null): boolean | null {
    if (video === null || this.#picture === null || video.videoWidth === 0) return null;
    return meanLuma(this.#picture, video) < darkLuma;
  }
}

/** Watches one take for a dark picture and for silence. */
export function watchTake(log: EventLog, stream: MediaStream, video: HTMLVideoElement | null): Stop {
  const meter = stream.getAudioTracks().length > 0 ? new LevelMeter(stream) : null;
  const light = new LightMeter();
  let darkSince: number | null = null;
  let told = false;
  let measured = 0;
  let silent = 0;
  const heartbeat = setInterval(() => log.add("heartbeat"), 10_000);
  log.add("heartbeat");
  const timer = setInterval(() => {
    if (meter?.running) {
      measured++;
      if (meter.level() < silentRMS) silent++;
    }
    const dark = light.dark(video);
    if (dark === null) return;
    darkSince = dark ? (darkSince ?? performance.now()) : null;
    if (darkSince !== null && !told && performance.now() - darkSince >= darkAtLeast) {
      log.add("camera_dark");
      told = true;
    }
  }, 500);
  return () => {
    clearInterval(heartbeat);
    clearInterval(timer);
    if (measured >= 4 && silent * 2 > measured) log.add("audio_silent", { data: { share: silent / measured } });
    meter?.close();
  };
}

function meanLuma(picture: CanvasRenderingContext2D, video: HTMLVideoElement): number {
  const { width, height } = picture.canvas;
  picture.drawImage(video, 0, 0, width, height);
  const pixels = picture.getImageData(0, 0, width, height).data;
  let sum = 0;
  for (let i = 0; i < pixels.length; i += 4) sum += 0.2126 * pixels[i]! + 0.7152 * pixels[i + 1]! + 0.0722 * pixels[i + 2]!;
  return sum / (width * height);
}
