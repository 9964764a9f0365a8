// The state of the page: what the server last said, the devices, and takes on
// their way. Components read it and call its methods; nothing else keeps state.
import { type Answer, type Client, type Landing, type Mode, persist, type Question, Refusal, type State } from "./protocol";
import { EventLog } from "./record/events";
import { type Stop, watchPage, watchTake, watchTracks } from "./record/integrity";
import { Recording, recordable } from "./record/recording";
import { type StoredTake, takeKey, TakeStorage } from "./record/storage";
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
export type End = "declined" | "submitted" | "gone" | "elsewhere";

export class Session {
  landing = $state<Landing | null>(null);
  state = $state<State | null>(null);
  end = $state<End | null>(null);
  pending = $state<Pending[]>([]);
  stream = $state<MediaStream | null>(null);
  /** What an earlier page had begun to record when it was left: shown once. */
  cutOff = $state<{ question: string; recordedMs: number }[]>([]);
  offline = $state(!navigator.onLine);

  readonly log: EventLog;
  #storage: TakeStorage | null = null;
  #recording: Recording | null = null;
  #stopTake: Stop = () => {};
  #stops: Stop[] = [];

  constructor(readonly client: Client) {
    this.log = new EventLog(client);
    addEventListener("offline", () => (this.offline = true));
    addEventListener("online", () => (this.offline = false));
  }

  /** Loads the page: what everybody sees, and the session of this device if it has one. */
  async load(): Promise<void> {
    await this.#guard(async () => {
      this.landing = await persist(this.client.landing, () => {});
      try {
        await this.#resume(await this.client.state());
      } catch (err) {
        if (!(err instanceof Refusal) || err.status !== 401) throw err; // no session yet: the landing page asks for it
      }
    });
  }

  async open(): Promise<void> {
    await this.#guard(async () => this.#resume(await this.client.openSession()));
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
    return question.max_takes - this.answersOf(question.id).length;
  }

  /** Asks for the devices; throws what the browser throws. */
  async useDevices(mode: Mode, camera?: string, microphone?: string): Promise<void> {
    this.releaseDevices();
    const pick = (id?: string) => (id ? { deviceId: { exact: id } } : {});
    this.stream = await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: true, noiseSuppression: true, ...pick(microphone) },
      video: mode === "video" ? { width: { ideal: 640 }, height: { ideal: 480 }, frameRate: { ideal: 24, max: 30 }, facingMode: "user", ...pick(camera) } : false,
    });
    this.#stops.push(watchTracks(this.log, this.stream));
  }

  releaseDevices(): void {
    this.stream?.getTracks().forEach((track) => track.stop());
    this.stream = null;
  }

  /** Begins a take of the question; its bytes travel while it is recorded. */
  async record(question: Question, mode: "video" | "audio", preview: HTMLVideoElement | null): Promise<Recording> {
    const stream = this.stream;
    const mime = recordable(mode);
    if (stream === null || mime === null || this.state === null) throw new Error("no device to record from");
    const storage = await this.#storageOnce();
    const opened = await persist(() => this.client.openTake(question.id, mode), () => {});
    const stored: StoredTake = {
      key: takeKey(this.state.interview_id, question.id, opened.take),
      interview: this.state.interview_id,
      question: question.id,
      take: opened.take,
      mime,
      uploadEndpoint: opened.upload_endpoint ?? "",
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
    return this.#recording;
  }

  /** Ends the take that is being recorded: the rest of it goes on its way. */
  async stopRecording(): Promise<void> {
    const recording = this.#recording;
    this.#recording = null;
    this.#stopTake();
    if (recording === null) return;
    await recording.stop();
    this.#update(recording.take, { recording: false, bytes: recording.take.bytes });
  }

  async seal(question: Question, text: string): Promise<void> {
    await this.#guard(async () => {
      const opened = await persist(() => this.client.openTake(question.id, "text"), () => {});
      this.state = await persist(() => this.client.seal(question.id, { take: opened.take, text }), () => {});
    });
  }

  async submit(): Promise<void> {
    await this.#guard(async () => {
      await this.log.flush();
      await persist(this.client.submit, () => {});
      this.#finish("submitted");
    });
  }

  /** Uploads and seals one take, then forgets it. */
  async #deliver(take: StoredTake, storage: TakeStorage, recording: Recording | null): Promise<void> {
    this.pending.push({ question: take.question, take: take.take, bytes: take.bytes, sent: 0, troubled: false, recording: recording !== null, failed: null });
    const upload = new TakeUpload(take, storage, recording, (sent, troubled) => this.#update(take, { sent, troubled, bytes: take.bytes }));
    try {
      await upload.finished;
      const seal = { take: take.take, bytes: take.bytes, sha256: take.sha256 ?? "", duration_ms: take.recordedMs };
      this.state = await persist(() => this.client.seal(take.question, seal), () => this.#update(take, { troubled: true }));
      await storage.remove(take.key);
      this.pending = this.pending.filter((p) => p.question !== take.question || p.take !== take.take);
    } catch (err) {
      if (this.#ended(err)) return;
      this.#update(take, { failed: err instanceof Error ? err.message : String(err), recording: false });
    }
  }

  #update(take: StoredTake, change: Partial<Pending>): void {
    const pending = this.pending.find((p) => p.question === take.question && p.take === take.take);
    if (pending) Object.assign(pending, change);
  }

  /** Takes over a session: watches the page, and sends what an earlier page recorded. */
  async #resume(state: State): Promise<void> {
    this.state = state;
    this.log.start();
    this.#stops.push(watchPage(this.log, state.integrity));
    const storage = await this.#storageOnce();
    for (const take of await storage.takes(state.interview_id)) await this.#recover(take, storage);
  }

  async #recover(take: StoredTake, storage: TakeStorage): Promise<void> {
    if (take.ended) {
      void this.#deliver(take, storage, null);
      return;
    }
    // The page was left in the middle of it: what came is no whole answer.
    this.cutOff.push({ question: take.question, recordedMs: take.recordedMs });
    this.state = await persist(() => this.client.abortTake(take.question, take.take, take.recordedMs), () => {});
    await storage.remove(take.key);
  }

  async #storageOnce(): Promise<TakeStorage> {
    this.#storage ??= await TakeStorage.open();
    return this.#storage;
  }

  #finish(end: End): void {
    this.end = end;
    this.releaseDevices();
    this.log.stop();
    this.#stops.forEach((stop) => stop());
    this.#stops = [];
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (err) {
      if (!this.#ended(err)) throw err;
    }
  }

  /** Whether the refusal ends the page for good. */
  #ended(err: unknown): boolean {
    if (!(err instanceof Refusal)) return false;
    if (err.status === 404 || err.status === 410) this.#finish("gone");
    else if (err.status === 401 && this.state !== null) this.#finish("elsewhere");
    else return false;
    return true;
  }
}
