// What the trader's page and the server say to each other. All paths lie below
// /i/{token}; bodies are JSON with snake_case names, times RFC 3339, durations
// milliseconds unless a name says otherwise. A refusal is a problem document.
import { parseExactly } from "../ui/exact";

/** What may be answered with. */
export type Mode = "video" | "audio" | "text";

/** GET interview: what everybody with the link may know before a session. */
export interface Landing {
  firm: { name: string; contact: string | null; lawful_basis: string | null };
  status: "invited" | "in_progress";
  language: string;
  answer_modes: Mode[];
  /** At most: before the start with as many from the trader's data as there may be. */
  question_count: number;
  /** The most that thinking and one take of each of them can take, in minutes. */
  minutes: number;
  retention_days: number;
  expires_at: string;
  consent: { version: string; sha256: string; text: string };
  /** Whether this browser has the interview open already. */
  session: boolean;
}

export interface Question {
  id: string;
  index: number;
  /** Null until the trader has asked to see the question. */
  prompt: string | null;
  /** What is left of the time to think; null until then, too. */
  think_left_ms: number | null;
  think_seconds: number;
  max_seconds: number;
  max_takes: number;
  required: boolean;
  /** Whether it cannot be answered any more: no take is left, or the devices do not work. */
  unanswerable: boolean;
}

/** A take that the server knows of. */
export interface Answer {
  question_id: string;
  take: number;
  mode: Mode;
  status: "recording" | "sealed" | "aborted";
  /** Whether it uses up one of the question's takes. */
  counts: boolean;
  duration_ms: number | null;
  /** A written answer, as it was sealed; null for others. */
  text: string | null;
}

/** POST session, GET state and every change answer with it. */
export interface State {
  session_id: string;
  interview_id: string;
  status: "invited" | "in_progress";
  consented_at: string | null;
  device_checked_at: string | null;
  started_at: string | null;
  /** When the interview closes; null before it has started. */
  complete_by: string | null;
  /** Until then, by the server's clock; null before it has started. */
  time_left_ms: number | null;
  /** Whether it can be submitted without an answer to questions that are unanswerable. */
  allow_unanswered: boolean;
  answer_modes: Mode[];
  /** The times of the questions are multiplied by it already. */
  extra_time_factor: number;
  integrity: { fullscreen: "off" | "ask" | "require"; second_screen: boolean };
  /** Empty before the start. */
  questions: Question[];
  answers: Answer[];
}

export type ExtraTime = "1" | "1.5" | "2";

/** POST device-check. */
export interface DeviceCheck {
  outcome: "ok" | "overridden";
  browser: string;
  os: string;
  camera: string | null;
  microphone: string | null;
  screen: string;
  upload_kbps: number | null;
  /** How many times the planned time the trader asks for. */
  extra_time: ExtraTime;
  /** What the trader asks for instead; null when the devices do. */
  accommodation: string | null;
}

export interface TakeOpened {
  take: number;
  /** Where tus creates the upload. */
  upload_endpoint: string;
}

/** A recorded answer, or a written one, which has no take before it is sealed. */
export type Seal = { take: number; bytes: number; sha256: string; duration_ms: number } | { text: string };

export interface PageEvent {
  client_id: string;
  seq: number;
  kind: string;
  /** Milliseconds since the session of this page began. */
  at_ms: number;
  wall_at: string;
  question_id?: string;
  duration_ms?: number;
  data?: Record<string, string | number | boolean>;
}

/** A refusal of the server, or the lack of an answer (status 0). */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    options?: ErrorOptions,
  ) {
    super(detail, options);
  }

  /** Whether the same request may succeed later. Without a code it is a proxy that refuses, and not the server. */
  get temporary(): boolean {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500 || (this.code === "" && [401, 403, 404, 410].includes(this.status));
  }
}

/** Reads a problem document; the page of a proxy, or no body, has an empty code. */
export function readProblem(body: string): { code: string; detail?: string; title?: string } {
  try {
    const { code, detail, title } = JSON.parse(body);
    return typeof code === "string" ? { code, detail, title } : { code: "" };
  } catch {
    return { code: "" };
  }
}

/** The server's side of one invitation. */
export class Client {
  /** base is /i/{token}. */
  constructor(readonly base: string) {}

  landing = () => this.#call<Landing>("GET", "interview");
  openSession = () => this.#call<State>("POST", "session", {});
  state = () => this.#call<State>("GET", "state");
  consent = (sha256: string) => this.#call<State>("POST", "consent", { accepted: true, sha256 });
  decline = () => this.#call<void>("POST", "decline", {});
  deviceCheck = (check: DeviceCheck) => this.#call<State>("POST", "device-check", check);
  start = () => this.#call<State>("POST", "start", {});
  /** Shows the question: from the first time on, the time to think runs. */
  serve = (question: string) => this.#call<State>("POST", `answers/${question}/serve`, {});
  openTake = (question: string, mode: Mode, mediaType: string) => this.#call<TakeOpened>("POST", `answers/${question}/takes`, { mode, media_type: mediaType });
  /** The take was broken off; the server decides whether it counts. recordedMs is null where this browser does not know. */
  abortTake = (question: string, take: number, recordedMs: number | null) => this.#call<State>("POST", `answers/${question}/abort`, { take, recorded_ms: recordedMs });
  seal = (question: string, seal: Seal) => this.#call<State>("POST", `answers/${question}/seal`, seal);
  /** unanswered are the required questions that are left without an answer. */
  submit = (unanswered: string[]) => this.#call<void>("POST", "submit", { unanswered });
  events = (events: PageEvent[]) => this.#call<void>("POST", "events", { events, sent_at: new Date().toISOString() });

  /** Sends events while the page goes away: nobody waits for the answer. */
  beacon(events: PageEvent[]): boolean {
    const body = new Blob([JSON.stringify({ events, sent_at: new Date().toISOString() })], { type: "application/json" });
    return navigator.sendBeacon(`${this.base}/events`, body);
  }

  /** Sends bytes that are thrown away; resolves to kilobits per second. */
  async measureUpload(bytes: number): Promise<number> {
    const began = performance.now();
    const answer = await fetch(`${this.base}/speed-test`, {
      method: "POST",
      headers: { "Content-Type": "application/octet-stream" },
      body: new Uint8Array(bytes),
      signal: AbortSignal.timeout(30_000),
    });
    if (!answer.ok) throw new Refusal(answer.status, "", answer.statusText);
    return Math.round((bytes * 8) / (performance.now() - began));
  }

  async #call<T>(method: string, path: string, body?: unknown): Promise<T> {
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(`${this.base}/${path}`, {
        method,
        credentials: "same-origin",
        cache: "no-store",
        signal: AbortSignal.timeout(30_000),
        ...(body === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
      });
      text = await answer.text();
    } catch (err) {
      throw new Refusal(0, "unreachable", "The server cannot be reached. Check your connection, and try again.", { cause: err });
    }
    if (answer.ok) return (text === "" ? undefined : parseExactly(text)) as T;
    const problem = readProblem(text);
    throw new Refusal(answer.status, problem.code, problem.detail ?? problem.title ?? `HTTP ${answer.status}`);
  }
}

/** Repeats what fails for the moment, until it succeeds or is refused. */
export async function persist<T>(attempt: () => Promise<T>, waiting: (reason: Refusal) => void): Promise<T> {
  for (let pause = 1000; ; pause = Math.min(pause * 2, 15_000)) {
    try {
      return await attempt();
    } catch (err) {
      if (!(err instanceof Refusal) || !err.temporary) throw err;
      waiting(err);
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          removeEventListener("online", done);
          resolve();
        };
        const timer = setTimeout(done, pause * (0.8 + Math.random() * 0.4));
        addEventListener("online", done);
      });
    }
  }
}
