// The state of the page: what the server last said, the devices, and takes on
// their way. Components read it and call its methods; nothing else keeps state.
import { deviceTrouble, environment } from "./format";
import { keepPrompts } from "./prompts";
import { type Answer, type Client, type DeviceCheck, type ExtraTime, type Landing, type Mode, persist, type Question, Refusal, type State, type TakeOpened } from "./protocol";
import { Drafts } from "./record/drafts";
import { EventLog } from "./record/events";
import { noteReload, type Stop, watchPage, watchTake, watchTracks } from "./record/integrity";
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
  /** Whether all of the take is there. */
  whole: boolean;
  /** What went wrong for good; null while it may still succeed. */
  failed: string | null;
}

/** Why the page cannot go on. */
export type End = "declined" | "submitted" | "gone" | "unknown" | "expired" | "elsewhere" | "tab";

/** How long before the end the page saves what is being written, in milliseconds: later the server accepts no answer. */
const lastSave = 5_000;

/** The same for a page that is hidden: browsers run its timers once a minute, or not at all. */
const lastSaveHidden = 65_000;

/** How far the clocks of the page and of the machine may move against each other before the page asks for the time, in milliseconds. */
const clockJump = 2_000;

/** How often the page looks whether the interview was ended, once its time is over, in milliseconds. */
const lookAgain = 10_000;

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
  /** Why the link has ended, in the server's words; null: it does not say. */
  why = $state<string | null>(null);
  /** Whether the time for answers is over, but for the moment in which the page saves what is being written. */
  late = $state(false);
  pending = $state<Pending[]>([]);
  stream = $state<MediaStream | null>(null);
  /** What an earlier page had begun to record when it was left: shown once. */
  cutOff = $state<{ question: string; recordedMs: number | null; counts: boolean }[]>([]);
  devices = $state<Devices | null>(null);
  offline = $state(!navigator.onLine);
  /** Whether a request is repeated because the server does not answer. */
  waiting = $state(false);
  /** Whether something is kept in this page's memory alone. */
  volatile = $state(false);
  /** Whether the server waits for takes that may be kept in this browser, whose database does not open. */
  unread = $state(false);

  readonly log: EventLog;
  readonly drafts: Drafts;
  #storage: TakeStorage | null = null;
  #recording: Recording | null = null;
  #stopTake: Stop = () => {};
  /** How often the devices were released. */
  #released = 0;
  #unwatch: Stop = () => {};
  #stops: Stop[] = [];
  /** Whether all that an earlier page had left was looked at. */
  #resumed = false;
  /** By the key of their take. */
  #uploads = new Map<string, TakeUpload>();
  /** What sends takes again that could not be sent, by their key. */
  #failed = new Map<string, () => void>();
  #tab: Tab;
  /** When the time is over, by performance.now(). */
  #closes = Infinity;
  #looked = 0;
  /** By how much the machine's clock is ahead of performance.now(), which may stand still while the machine sleeps. */
  #ahead = Date.now() - performance.now();
  /** What the page has saved by itself, by question. */
  #saved = new Map<string, string>();

  constructor(readonly client: Client) {
    this.#tab = new Tab(`assay${client.base}`, () => this.#finish("tab"));
    this.log = new EventLog(client);
    noteReload(this.log);
    this.drafts = new Drafts(client.base);
    addEventListener("offline", () => (this.offline = true));
    addEventListener("online", () => (this.offline = false));
    setInterval(() => this.#tick(), 1000);
    document.addEventListener("visibilitychange", () => this.#tick());
    addEventListener("beforeunload", (event) => {
      if ((this.volatile && this.pending.length > 0) || this.pending.some((p) => p.recording)) event.preventDefault();
    });
  }

  /** Loads the page: what everybody sees, and the session of this device if it has one. */
  async load(): Promise<void> {
    await this.#guard(async () => {
      this.landing = await this.#persist(this.client.landing);
      if (!this.landing.session) return;
      if (!this.#resumed) await this.#resume(await this.#persist(this.client.state), false);
      else await this.#refresh();
    });
  }

  /** Takes the interview from another tab of this browser; the page says that it is open there until this tab has it. */
  async takeTab(): Promise<void> {
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
      this.#adopt(await request());
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
    return (
      this.answersOf(question)
        .filter((answer) => answer.status === "sealed")
        .at(-1) ?? null
    );
  }

  /** The required questions without an answer. One that is being uploaded is an answer. */
  get missing(): Question[] {
    return this.questions.filter((q) => q.required && this.sealed(q.id) === null && !this.pending.some((p) => p.question === q.id && p.failed === null));
  }

  takesLeft(question: Question): number {
    return question.max_takes - this.answersOf(question.id).filter((answer) => answer.counts).length;
  }

  /** Whom to ask, as the firm says. */
  get contact(): string {
    const firm = this.landing?.firm;
    return firm?.contact ?? firm?.name ?? "the firm that sent you the link";
  }

  /** Tells the server how the check of the devices went. */
  checkDevices(check: Pick<DeviceCheck, "outcome" | "upload_kbps" | "extra_time" | "accommodation">): Promise<void> {
    const label = (kind: "video" | "audio") =>
      this.stream
        ?.getTracks()
        .find((track) => track.kind === kind)
        ?.label.slice(0, 200) ?? null;
    return this.change(() =>
      this.client.deviceCheck({ ...environment(), camera: label("video"), microphone: label("audio"), screen: `${screen.width}×${screen.height}`, ...check }),
    );
  }

  /** Says that the devices do not work: what is unanswered may then be left so. */
  giveUpDevices(): Promise<void> {
    const extra = String(this.state?.extra_time_factor ?? 1) as ExtraTime;
    return this.checkDevices({ outcome: "overridden", upload_kbps: null, extra_time: extra, accommodation: null });
  }

  /**
   * Asks for the devices, and returns whether they are there: not if they were released, or asked for again, before the
   * browser answered. Throws words for what the browser throws.
   */
  async useDevices(devices: Devices): Promise<boolean> {
    try {
      return await this.#useDevices(devices);
    } catch (err) {
      throw new Error(deviceTrouble(err), { cause: err });
    }
  }

  async #useDevices(devices: Devices): Promise<boolean> {
    this.releaseDevices();
    const released = this.#released;
    const pick = (id: string) => (id === "" ? {} : { deviceId: { ideal: id } });
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: true, noiseSuppression: true, ...pick(devices.microphone) },
      video: devices.mode === "video" ? { width: { ideal: 640 }, height: { ideal: 480 }, frameRate: { ideal: 24, max: 30 }, facingMode: "user", ...pick(devices.camera) } : false,
    });
    if (released !== this.#released) {
      stream.getTracks().forEach((track) => track.stop());
      return false;
    }
    this.stream = stream;
    this.devices = devices;
    this.#unwatch = watchTracks(this.log, stream);
    return true;
  }

  releaseDevices(): void {
    this.#released++;
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
    const opened = await this.#openTake(question, mode, mime);
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

  #openTake(question: Question, mode: Mode, mime: string): Promise<TakeOpened> {
    return this.#answerAnew(question, () => this.client.openTake(question.id, mode, mime));
  }

  /** Begins or seals an answer. A take that was opened before, and that nobody here knows, is given up for it. */
  async #answerAnew<T>(question: Question, request: () => Promise<T>): Promise<T> {
    try {
      return await this.#persist(request);
    } catch (err) {
      if (!(err instanceof Refusal) || err.status !== 409) throw err;
      await this.#refresh(question.id);
      return this.#persist(request);
    }
  }

  /** Breaks off the take that is being recorded, because a device has stopped: the question is offered again. */
  async breakOff(): Promise<void> {
    const recording = this.#recording;
    this.#stopRecorder();
    if (recording === null) return;
    const { key, question, take, recordedMs } = recording.take;
    this.#uploads.get(key)?.stop();
    this.#uploads.delete(key);
    await this.#guard(() => this.#abort(question, take, recordedMs));
    this.pending = this.pending.filter((p) => p.question !== question || p.take !== take);
    await (await this.#storageOnce()).remove(key);
  }

  /** Stops what is being recorded without ending the take. */
  #stopRecorder(): void {
    this.#recording?.breakOff();
    this.#recording = null;
    this.#stopTake();
    this.#stopTake = () => {};
  }

  /** Ends the take that is being recorded: the rest of it goes on its way. */
  async stopRecording(): Promise<void> {
    const recording = this.#recording;
    this.#recording = null;
    this.#stopTake();
    this.#stopTake = () => {};
    if (recording === null) return;
    await recording.stop();
    this.#update(recording.take, { recording: false, whole: true, bytes: recording.take.bytes });
  }

  show = (question: Question) => this.change(() => this.#persist(() => this.client.serve(question.id)));

  async seal(question: Question, text: string): Promise<void> {
    this.#saved.delete(question.id);
    await this.#saveText(question, text);
  }

  async #saveText(question: Question, text: string): Promise<void> {
    await this.change(() => this.#answerAnew(question, () => this.client.seal(question.id, { text })));
    const saved = this.end === null && this.drafts.read(question.id).trim() === text; // and not written on meanwhile
    if (saved) this.drafts.write(question.id, "");
  }

  /** What was written and not saved. */
  get unsaved(): { question: Question; text: string }[] {
    return this.questions.map((question) => ({ question, text: this.drafts.read(question.id).trim() })).filter(({ text }) => text !== "");
  }

  /** Gives up a recording that cannot be sent, so that there can be another one. */
  async giveUp(pending: Pending): Promise<void> {
    await this.#guard(() => this.#abort(pending.question, pending.take, null));
    this.pending = this.pending.filter((p) => p.question !== pending.question || p.take !== pending.take);
    if (this.state !== null) await (await this.#storageOnce()).remove(takeKey(this.state.interview_id, pending.question, pending.take));
  }

  /** Sends a recording again that could not be sent. */
  sendAgain(pending: Pending): void {
    this.pending = this.pending.filter((p) => p.question !== pending.question || p.take !== pending.take);
    if (this.state !== null) this.#failed.get(takeKey(this.state.interview_id, pending.question, pending.take))?.();
  }

  async submit(): Promise<void> {
    await this.#guard(async () => {
      await this.log.flush();
      await this.#persist(() => this.client.submit(this.missing.map((q) => q.id)));
      this.#finish("submitted");
    });
  }

  /** Uploads and seals one take, then forgets it. */
  async #deliver(take: StoredTake, storage: TakeStorage, recording: Recording | null): Promise<void> {
    this.pending.push({ question: take.question, take: take.take, bytes: take.bytes, sent: 0, troubled: false, recording: recording !== null, whole: take.ended, failed: null });
    const upload = new TakeUpload(take, storage, recording, (sent, troubled) => this.#update(take, { sent, troubled, bytes: take.bytes }));
    this.#uploads.set(take.key, upload);
    try {
      await upload.finished;
      const seal = { take: take.take, bytes: take.bytes, sha256: take.sha256 ?? "", duration_ms: take.recordedMs };
      this.#adopt(
        await persist(
          () => this.client.seal(take.question, seal),
          () => this.#update(take, { troubled: true }),
        ),
      );
      await storage.remove(take.key);
      this.pending = this.pending.filter((p) => p.question !== take.question || p.take !== take.take);
    } catch (err) {
      if (this.#ended(err, 401, 410)) return;
      this.#update(take, { failed: err instanceof Error ? err.message : String(err), recording: false });
      this.#failed.set(take.key, () => void this.#deliver(take, storage, null));
    } finally {
      this.#uploads.delete(take.key);
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
    if (this.end === "tab") this.end = null;
    this.#resumed = false;
    this.pending = this.pending.filter((p) => this.#uploads.has(takeKey(state.interview_id, p.question, p.take))); // none of before another tab had the interview
    this.#adopt(state);
    if (this.#stops.length === 0) {
      this.log.start();
      this.#stops.push(watchPage(this.log, state.integrity));
    }
    const storage = await this.#storageOnce();
    for (const take of await storage.takes(state.interview_id)) if (!this.#uploads.has(take.key)) await this.#recover(take, storage);
    this.unread = storage.unread && this.#orphans().length > 0;
    if (!storage.unread) for (const answer of this.#orphans()) await this.#cut(answer.question_id, answer.take, null);
    this.#resumed = true;
  }

  /** Takes that the server waits for, and that nobody here records or sends. */
  #orphans(): Answer[] {
    const known = (a: Answer) => this.pending.some((p) => p.question === a.question_id && p.take === a.take);
    return (this.state?.answers ?? []).filter((answer) => answer.status === "recording" && !known(answer));
  }

  /**
   * Looks again where the interview stands, and gives up what nobody records or sends any more. While the
   * database does not open, that is only what there is of the question that is answered anew.
   */
  async #refresh(anew?: string): Promise<void> {
    this.#adopt(await this.#persist(this.client.state));
    if (!this.#resumed) return; // more may be kept here
    const { unread } = await this.#storageOnce();
    for (const { question_id, take } of this.#orphans()) if (!unread || question_id === anew) await this.#abort(question_id, take, null);
    this.unread &&= this.#orphans().length > 0;
  }

  /** Tells the server that a take was broken off; one that has ended meanwhile stays as it is. */
  async #abort(question: string, take: number, recordedMs: number | null): Promise<void> {
    try {
      this.#adopt(await this.#persist(() => this.client.abortTake(question, take, recordedMs)));
    } catch (err) {
      if (!(err instanceof Refusal) || err.status !== 409) throw err;
      this.#adopt(await this.#persist(this.client.state));
    }
  }

  #adopt(state: State): void {
    this.state = keepPrompts(this.state, state);
    this.#closes = performance.now() + (state.time_left_ms ?? Infinity);
    this.late = this.#timeLeft() <= lastSave;
  }

  #timeLeft = () => this.#closes - performance.now();

  /** Notices that the time is over; from then on the server ends the interview, and the page says so. */
  #tick(): void {
    if (this.state === null || this.end !== null) return;
    const ahead = Date.now() - performance.now();
    if (Math.abs(ahead - this.#ahead) > clockJump) {
      this.#ahead = ahead;
      void this.#guard(async () => this.#adopt(await this.#persist(this.client.state))).catch(() => {});
    }
    if (this.#timeLeft() > (document.hidden ? lastSaveHidden : lastSave)) return;
    void this.#saveDrafts();
    if (this.#timeLeft() > lastSave) return;
    this.late = true;
    if (this.#timeLeft() > 0) return;
    if (this.pending.length > 0 || performance.now() - this.#looked < lookAgain) return;
    this.#looked = performance.now();
    void this.#guard(() => this.#refresh()).catch(() => {}); // the next look tries again
  }

  /** Saves what is being written to questions that have no answer, or one that was saved like this before. */
  async #saveDrafts(): Promise<void> {
    for (const { question, text } of this.unsaved) {
      const answered = (this.sealed(question.id) !== null && !this.#saved.has(question.id)) || this.pending.some((p) => p.question === question.id);
      if (answered || this.#saved.get(question.id) === text) continue;
      this.#saved.set(question.id, text);
      await this.#saveText(question, text).catch(() => {}); // what is refused now stays so
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
    await this.#abort(question, take, recordedMs);
    const counts = this.answersOf(question).some((answer) => answer.take === take && answer.counts);
    this.cutOff.push({ question, recordedMs, counts });
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
    this.#stopRecorder();
    this.releaseDevices();
    this.log.stop();
    this.#uploads.forEach((upload) => upload.stop());
    this.#uploads.clear();
    this.#stops.forEach((stop) => stop());
    this.#stops = [];
    if (end !== "tab") this.#tab.release();
    if (end === "submitted" || end === "declined") this.drafts.clear();
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (err) {
      if (!this.#ended(err, 401, 404, 410)) throw err;
    }
  }

  /** The session has ended: by its age, or because it goes on elsewhere, unless the link has ended with it. */
  #lose(err: Refusal): void {
    this.#finish(err.code === "authentication_required" ? "expired" : "elsewhere");
    this.client.landing().catch((err: unknown) => {
      if (err instanceof Refusal && !err.temporary && [404, 410].includes(err.status)) this.#gone(err);
    });
  }

  /** The link has ended: the page says why, and asks the server for it where the refusal does not say. */
  #gone(err: Refusal): void {
    this.#finish("gone");
    this.why = err.status === 410 ? err.message : null;
    this.client.landing().catch((told: unknown) => {
      if (told instanceof Refusal && !told.temporary && told.status === 410) this.why = told.message;
    });
  }

  /** Whether the refusal, of one of the statuses, ends the page for good. */
  #ended(err: unknown, ...statuses: number[]): boolean {
    if (!(err instanceof Refusal) || err.temporary || !statuses.includes(err.status)) return false;
    if (this.end !== null && this.end !== "tab") return true; // the page says so already
    if (err.status === 410) this.#gone(err);
    else if (err.status === 401 && this.state !== null) this.#lose(err);
    else if (err.status === 404) this.#finish(this.landing === null ? "unknown" : "gone");
    else return false;
    return true;
  }
}
