// The state of the page: what the server last said, the devices, and takes on
// their way. Components read it and call its methods; nothing else keeps state.
import { type Answer, type Client, type Landing, type Mode, persist, type Question, Refusal, type State } from "./protocol";
import { EventLog } from "./record/events";
import { type Stop, watchPage, watchTake, watchTracks } from "./record/integrity";
import { Recording, recordable } from "./record/recording";
import { type StoredTake, takeKey, TakeStorage } from "./record/storage";
import { Tab } from "./record/tab";
import { TakeUpload } from "./record/upload";

/** A take that is recorded or on its way. */
export interface Pending {
  question: string;
  take: number;
  bytes: number;
  sent: number;
  troubled: boolean;
  recording: boolean;
  /** What went wrong for good; null while it may still succeed. */
  failed: string | null;
}

/** Why the page cannot go on. */
export type End = "declined" | "submitted" | "gone" | "unknown" | "elsewhere" | "tab";

/** What the trader has chosen to answer with. */
export interface Devices {
  mode: Mode;
  camera: string;
  microphone: string;
}

export class Session {
  landing = $state<Landing | null>(null);
  state = $state<State | null>(null);
  end = $state<End | null>(null);
  pending = $state<Pending[]>([]);
  stream = $state<MediaStream | null>(null);
  /** What an earlier page had begun to record when it was left: shown once. */
  cutOff = $state<{ question: string; recordedMs: number | null }[]>([]);
  devices = $state<Devices | null>(null);
  offline = $state(!navigator.onLine);
  /** Whether a request is repeated because the server does not answer. */
  waiting = $state(false);
  /** Whether something is kept in this page's memory alone. */
  volatile = $state(false);

  readonly log: EventLog;
  #storage: TakeStorage | null = null;
  #recording: Recording | null = null;
  #stopTake: Stop = () => {};
  #unwatch: Stop = () => {};
  #stops: Stop[] = [];
  #uploads = new Set<TakeUpload>();
  #tab: Tab;

  constructor(readonly client: Client) {
    this.#tab = new Tab(`assay${client.base}`, () => this.#finish("tab"));
    this.log = new EventLog(client);
    addEventListener("offline", () => (this.offline = true));
    addEventListener("online", () => (this.offline = false));
    addEventListener("beforeunload", (event) => {
      if (this.volatile && this.pending.length > 0) event.preventDefault();
    });
  }

  /** Loads the page: what everybody sees, and the session of this device if it has one. */
  async load(): Promise<void> {
    await this.#guard(async () => {
      this.landing = await this.#persist(this.client.landing);
      if (this.landing.session) await this.#resume(await this.#persist(this.client.state), false);
    });
  }

  /** Takes the interview from another tab of this browser. */
  async takeTab(): Promise<void> {
    this.end = null;
    await this.#guard(async () => this.#resume(await this.#persist(this.client.state), true));
  }

  async open(): Promise<void> {
    await this.#guard(async () => this.#resume(await this.client.openSession(), false));
  }

  consent = () => this.change(() => this.client.consent(this.landing?.consent.sha256 ?? ""));

  async decline(): Promise<void> {
    await this.#guard(async () => {
      await this.client.decline();
      this.#finish("declined");
    });
  }

  /** Makes a change and takes over the state that the server answers with. */
  async change(request: () => Promise<State>): Promise<void> {
    await this.#guard(async () => {
      this.state = await request();
    });
  }

  get questions(): Question[] {
    return this.state?.questions ?? [];
  }

  answersOf(question: string): Answer[] {
    return (this.state?.answers ?? []).filter((answer) => answer.question_id === question);
  }

  /** The answer that counts: the newest sealed one. */
  sealed(question: string): Answer | null {
    return this.answersOf(question).filter((answer) => answer.status === "sealed").at(-1) ?? null;
  }

  takesLeft(question: Question): number {
    return question.max_takes - this.answersOf(question.id).filter((answer) => answer.counts).length;
  }

  /** Asks for the devices; throws what the browser throws. */
  async useDevices(devices: Devices): Promise<void> {
    this.releaseDevices();
    const pick = (id: string) => (id === "" ? {} : { deviceId: { ideal: id } });
    this.stream = await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: true, noiseSuppression: true, ...pick(devices.microphone) },
      video: devices.mode === "video" ? { width: { ideal: 640 }, height: { ideal: 480 }, frameRate: { ideal: 24, max: 30 }, facingMode: "user", ...pick(devices.camera) } : false,
    });
    this.devices = devices;
    this.#unwatch = watchTracks(this.log, this.stream);
  }

  releaseDevices(): void {
    this.#unwatch();
    this.#unwatch = () => {};
    this.stream?.getTracks().forEach((track) => track.stop());
    this.stream = null;
  }

  /** Begins a take of the question; its bytes travel while it is recorded. */
  async record(question: Question, mode: "video" | "audio", preview: HTMLVideoElement | null): Promise<void> {
    await this.#guard(() => this.#record(question, mode, preview));
  }

  async #record(question: Question, mode: "video" | "audio", preview: HTMLVideoElement | null): Promise<void> {
    const stream = this.stream;
    const mime = recordable(mode);
    if (stream === null || mime === null || this.state === null) throw new Error("no device to record from");
    const storage = await this.#storageOnce();
    const opened = await this.#persist(() => this.client.openTake(question.id, mode, mime));
    const stored: StoredTake = {
      key: takeKey(this.state.interview_id, question.id, opened.take),
      interview: this.state.interview_id,
      question: question.id,
      take: opened.take,
      mime,
      uploadEndpoint: opened.upload_endpoint,
      uploadURL: null,
      bytes: 0,
      recordedMs: 0,
      sha256: null,
      ended: false,
    };
    await storage.put(stored);
    this.#recording = new Recording(stored, storage, stream);
    this.#stopTake = watchTake(this.log, stream, preview);
    void this.#deliver(stored, storage, this.#recording);
  }

  /** Ends the take that is being recorded: the rest of it goes on its way. */
  async stopRecording(): Promise<void> {
    const recording = this.#recording;
    this.#recording = null;
    this.#stopTake();
    this.#stopTake = () => {};
    if (recording === null) return;
    await recording.stop();
    this.#update(recording.take, { recording: false, bytes: recording.take.bytes });
  }

  show = (question: Question) => this.change(() => this.#persist(() => this.client.serve(question.id)));

  seal = (question: Question, text: string) => this.change(() => this.#persist(() => this.client.seal(question.id, { text })));

  /** Gives up a recording that cannot be sent, so that there can be another one. */
  async giveUp(pending: Pending): Promise<void> {
    await this.change(() => this.client.abortTake(pending.question, pending.take, null));
    this.pending = this.pending.filter((p) => p.question !== pending.question || p.take !== pending.take);
    if (this.state !== null) await (await this.#storageOnce()).remove(takeKey(this.state.interview_id, pending.question, pending.take));
  }

  async submit(): Promise<void> {
    await this.#guard(async () => {
      await this.log.flush();
      await this.#persist(this.client.submit);
      this.#finish("submitted");
    });
  }

  /** Uploads and seals one take, then forgets it. */
  async #deliver(take: StoredTake, storage: TakeStorage, recording: Recording | null): Promise<void> {
    this.pending.push({ question: take.question, take: take.take, bytes: take.bytes, sent: 0, troubled: false, recording: recording !== null, failed: null });
    const upload = new TakeUpload(take, storage, recording, (sent, troubled) => this.#update(take, { sent, troubled, bytes: take.bytes }));
    this.#uploads.add(upload);
    try {
      await upload.finished;
      const seal = { take: take.take, bytes: take.bytes, sha256: take.sha256 ?? "", duration_ms: take.recordedMs };
      this.state = await persist(() => this.client.seal(take.question, seal), () => this.#update(take, { troubled: true }));
      await storage.remove(take.key);
      this.pending = this.pending.filter((p) => p.question !== take.question || p.take !== take.take);
    } catch (err) {
      if (this.#ended(err, 401, 410)) return;
      this.#update(take, { failed: err instanceof Error ? err.message : String(err), recording: false });
    } finally {
      this.#uploads.delete(upload);
    }
  }

  #update(take: StoredTake, change: Partial<Pending>): void {
    const pending = this.pending.find((p) => p.question === take.question && p.take === take.take);
    if (pending) Object.assign(pending, change);
  }

  /** Takes over a session: watches the page, and sends what an earlier page recorded. */
  async #resume(state: State, force: boolean): Promise<void> {
    if (!(await this.#tab.take(force))) {
      this.log.add("multiple_tabs");
      await this.log.flush();
      this.#finish("tab");
      return;
    }
    this.state = state;
    this.log.start();
    this.#stops.push(watchPage(this.log, state.integrity));
    const storage = await this.#storageOnce();
    const kept = await storage.takes(state.interview_id);
    for (const take of kept) await this.#recover(take, storage);
    for (const answer of this.state.answers) {
      const here = kept.some((take) => take.question === answer.question_id && take.take === answer.take);
      if (answer.status === "recording" && !here) await this.#cut(answer.question_id, answer.take, null);
    }
  }

  async #recover(take: StoredTake, storage: TakeStorage): Promise<void> {
    const known = this.answersOf(take.question).find((answer) => answer.take === take.take);
    if (known && known.status !== "recording") {
      await storage.remove(take.key); // it was settled, and the page left before it could forget it
      return;
    }
    if (take.ended) {
      void this.#deliver(take, storage, null);
      return;
    }
    // The page was left in the middle of it: what came is no whole answer.
    await this.#cut(take.question, take.take, take.recordedMs);
    await storage.remove(take.key);
  }

  /** Gives up a take that was being recorded when its page went away. */
  async #cut(question: string, take: number, recordedMs: number | null): Promise<void> {
    this.cutOff.push({ question, recordedMs });
    this.state = await this.#persist(() => this.client.abortTake(question, take, recordedMs));
  }

  async #storageOnce(): Promise<TakeStorage> {
    this.#storage ??= await TakeStorage.open(() => (this.volatile = true));
    return this.#storage;
  }

  /** Repeats a request until it is answered; the page says so meanwhile. */
  async #persist<T>(attempt: () => Promise<T>): Promise<T> {
    try {
      return await persist(attempt, () => (this.waiting = true));
    } finally {
      this.waiting = false;
    }
  }

  #finish(end: End): void {
    this.end = end;
    void this.stopRecording().catch(() => {}); // what was recorded is kept where it can be
    this.releaseDevices();
    this.log.stop();
    this.#uploads.forEach((upload) => upload.stop());
    this.#uploads.clear();
    this.#stops.forEach((stop) => stop());
    this.#stops = [];
    if (end !== "tab") this.#tab.release();
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (err) {
      if (!this.#ended(err, 401, 404, 410)) throw err;
    }
  }

  /** The session has ended: it goes on elsewhere, unless the link has ended with it. */
  #lose(): void {
    this.#finish("elsewhere");
    this.client.landing().catch((err: unknown) => {
      if (err instanceof Refusal && [404, 410].includes(err.status)) this.end = "gone";
    });
  }

  /** Whether the refusal, of one of the statuses, ends the page for good. */
  #ended(err: unknown, ...statuses: number[]): boolean {
    if (!(err instanceof Refusal) || !statuses.includes(err.status)) return false;
    if (err.status === 410) this.#finish("gone");
    else if (err.status === 401 && this.state !== null) this.#lose();
    else if (err.status === 404) this.#finish(this.landing === null ? "unknown" : "gone");
    else return false;
    return true;
  }
}
