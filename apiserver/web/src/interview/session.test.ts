import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { happen } from "../testing/browser";
import { type Answer, type Client, type Landing, type Question, Refusal, type State } from "./protocol";
import { type StoredTake, takeKey, TakeStorage } from "./record/storage";
import { Session } from "./session.svelte";

vi.mock("./record/integrity", () => ({ noteReload: () => {}, watchPage: () => () => {}, watchTake: () => () => {}, watchTracks: () => () => {} }));
const uploads = vi.hoisted(() => ({ begun: [] as { take: StoredTake; stopped: boolean }[], outcome: Promise.resolve() as Promise<void> }));
vi.mock("./record/upload", () => ({
  TakeUpload: class {
    finished = uploads.outcome;
    stopped = false;
    constructor(readonly take: StoredTake) {
      uploads.begun.push(this);
    }
    stop() {
      this.stopped = true;
    }
  },
}));

const question = (id: string, changes: Partial<Question> = {}): Question => ({
  id,
  index: Number(id.slice(1)) - 1,
  prompt: null,
  think_left_ms: null,
  think_seconds: 30,
  max_seconds: 120,
  max_takes: 2,
  required: true,
  unanswerable: false,
  ...changes,
});
const answer = (question_id: string, take: number, changes: Partial<Answer> = {}): Answer => ({
  question_id,
  take,
  mode: "video",
  status: "sealed",
  counts: true,
  duration_ms: 1000,
  text: null,
  ...changes,
});
const state = (changes: Partial<State> = {}) =>
  ({
    interview_id: "i1",
    time_left_ms: 60_000,
    extra_time_factor: 1,
    integrity: { fullscreen: "off", second_screen: false },
    questions: [question("q1"), question("q2")],
    answers: [],
    ...changes,
  }) as State;
const landing = (changes: Partial<Landing> = {}) => ({ session: true, firm: { name: "Firm", contact: null }, consent: { sha256: "abc" }, ...changes }) as Landing;
const stored = (question: string, take: number, changes: Partial<StoredTake> = {}): StoredTake => ({
  key: takeKey("i1", question, take),
  interview: "i1",
  question,
  take,
  mime: "video/webm",
  uploadEndpoint: "/uploads",
  uploadURL: null,
  bytes: 7,
  recordedMs: 3000,
  sha256: "hash",
  ended: true,
  ...changes,
});

const refusal = (status: number, detail = "no", code = "code") => new Refusal(status, code, detail);

function serverOf() {
  const nothing = async () => {};
  return {
    base: "/i/token",
    landing: vi.fn(async () => landing()),
    state: vi.fn(async () => state()),
    openSession: vi.fn(async () => state()),
    consent: vi.fn(async (_sha256: string) => state({ consented_at: "now" })),
    decline: vi.fn(nothing),
    abortTake: vi.fn(async (question: string, take: number, _ms: number | null) => state({ answers: [answer(question, take, { status: "aborted" })] })),
    seal: vi.fn(async () => state({ answers: [answer("q1", 1)] })),
    submit: vi.fn(nothing),
    events: vi.fn(nothing),
  };
}

let server: ReturnType<typeof serverOf>;
let session: Session;
let tab: EventTarget & { hidden: boolean };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance", "Date"] });
  vi.stubGlobal("indexedDB", new IDBFactory());
  vi.stubGlobal("IDBKeyRange", IDBKeyRange);
  tab = Object.assign(new EventTarget(), { hidden: false });
  vi.stubGlobal("document", tab);
  uploads.begun = [];
  uploads.outcome = Promise.resolve();
  server = serverOf();
  session = new Session(server as unknown as Client);
});
afterEach(() => vi.useRealTimers());

describe("opening the page", () => {
  test("a trader without a session sees what everybody sees", async () => {
    server.landing.mockResolvedValue(landing({ session: false }));
    await session.load();
    expect([session.landing?.firm.name, session.state, session.end]).toEqual(["Firm", null, null]);
    expect(server.state).not.toHaveBeenCalled();
  });

  test("a trader with a session goes on where the server is", async () => {
    await session.load();
    expect(session.questions.map((q) => q.id)).toEqual(["q1", "q2"]);
    expect(session.end).toBeNull();
  });

  test("a link that there is not", async () => {
    server.landing.mockRejectedValue(refusal(404));
    await session.load();
    expect(session.end).toBe("unknown");
  });

  test("a link that has ended says why", async () => {
    server.landing.mockRejectedValue(refusal(410, "It expired."));
    await session.load();
    expect([session.end, session.why]).toEqual(["gone", "It expired."]);
  });

  test.each([401, 403, 404, 410])("the page of a proxy with status %s ends nothing", async (status) => {
    await session.load();
    session.drafts.write("q1", "About four hours.");
    await expect(session.change(() => Promise.reject(refusal(status, "HTTP", "")))).rejects.toMatchObject({ status });
    expect([session.end, session.drafts.read("q1")]).toEqual([null, "About four hours."]);
  });

  test("the page can be used only once its tab has the interview", async () => {
    session.end = "tab";
    let answer = (_: State) => {};
    server.state.mockReturnValue(new Promise((resolve) => (answer = resolve)));
    const taken = session.takeTab();
    expect(session.end).toBe("tab");
    answer(state());
    await taken;
    expect(session.end).toBeNull();
  });

  test("a tab that takes an interview that has ended says why", async () => {
    await session.load();
    session.end = "tab";
    server.state.mockRejectedValue(refusal(410, "It expired."));
    server.landing.mockRejectedValue(refusal(410, "It expired."));
    await session.takeTab();
    expect([session.end, session.why]).toEqual(["gone", "It expired."]);
  });

  test("a fault is not swallowed", async () => {
    server.landing.mockRejectedValue(refusal(400));
    await expect(session.load()).rejects.toMatchObject({ status: 400 });
    expect(session.end).toBeNull();
  });
});

describe("the session ends", () => {
  beforeEach(() => session.load());

  test.each<[string, number, unknown, string, string | null]>([
    ["on another device", 401, landing(), "elsewhere", null],
    ["with its link", 401, refusal(410, "It was deleted."), "gone", "It was deleted."],
    ["because it was submitted", 410, refusal(410, "It was submitted."), "gone", "no"],
    ["because it is not there any more", 404, landing(), "gone", null],
  ])("%s", async (_, status, then, end, why) => {
    if (then instanceof Refusal) server.landing.mockRejectedValue(then);
    else server.landing.mockResolvedValue(then as Landing);
    await session.change(() => Promise.reject(refusal(status)));
    await vi.waitFor(() => expect(session.end).toBe(end));
    if (status === 410) await vi.waitFor(() => expect(session.why).toBe("It was submitted."));
    else await vi.waitFor(() => expect(session.why).toBe(why));
  });

  test("by its age: what is being written is kept, and the trader may continue", async () => {
    session.drafts.write("q1", "About four hours.");
    await session.change(() => Promise.reject(refusal(401, "expired", "authentication_required")));
    expect(session.end).toBe("expired");
    expect(session.drafts.read("q1")).toBe("About four hours.");
  });

  test("by the trader's own will", async () => {
    await session.decline();
    expect(session.end).toBe("declined");
  });

  test("with the submission, which names what was required and has no answer", async () => {
    await session.change(async () => state({ questions: [question("q1"), question("q2"), question("q3", { required: false })], answers: [answer("q1", 1)] }));
    await session.submit();
    expect(server.submit).toHaveBeenCalledWith(["q2"]);
    expect(session.end).toBe("submitted");
  });

  test("events are sent before the submission", async () => {
    session.log.add("copy");
    await session.submit();
    expect(server.events.mock.invocationCallOrder[0]).toBeLessThan(server.submit.mock.invocationCallOrder[0] ?? 0);
  });
});

test("the consent is to the text that was shown", async () => {
  await session.load();
  await session.consent();
  expect(server.consent).toHaveBeenCalledWith("abc");
  expect(session.state?.consented_at).toBe("now");
});

describe("answers", () => {
  beforeEach(() => session.load());

  test("the newest sealed take counts, and a newer one that was aborted does not", async () => {
    await session.change(async () => state({ answers: [answer("q1", 1), answer("q1", 2), answer("q1", 3, { status: "aborted" }), answer("q2", 1, { status: "recording" })] }));
    expect([session.sealed("q1")?.take, session.sealed("q2")]).toEqual([2, null]);
  });

  test("an answer that is being uploaded is not missing, and one that cannot be sent is", () => {
    const pending = { question: "q1", take: 1, bytes: 7, sent: 3, troubled: true, recording: false, whole: true, failed: null };
    session.pending = [pending];
    expect(session.missing.map((q) => q.id)).toEqual(["q2"]);
    session.pending = [{ ...pending, failed: "no" }];
    expect(session.missing.map((q) => q.id)).toEqual(["q1", "q2"]);
  });

  test.each<[Answer[], number]>([
    [[], 2],
    [[answer("q1", 1)], 1],
    [[answer("q1", 1), answer("q1", 2)], 0],
    [[answer("q1", 1, { status: "aborted", counts: false }), answer("q2", 1)], 2],
  ])("after %o there are %s takes left", async (answers, want) => {
    await session.change(async () => state({ answers }));
    expect(session.takesLeft(question("q1"))).toBe(want);
  });
});

test("the page asks before it is left while an answer is recorded, or kept in its memory alone", () => {
  const asks = () => !happen(new Event("beforeunload", { cancelable: true }));
  const pending = { question: "q1", take: 1, bytes: 7, sent: 3, troubled: false, recording: false, whole: true, failed: null };
  session.pending = [pending];
  expect(asks()).toBe(false);
  session.volatile = true;
  expect(asks()).toBe(true);
  session.volatile = false;
  session.pending = [{ ...pending, recording: true, whole: false }];
  expect(asks()).toBe(true);
});

test.each<[Landing | null, string]>([
  [landing({ firm: { name: "Firm", contact: "Zoe, zoe@firm" } as Landing["firm"] }), "Zoe, zoe@firm"],
  [landing(), "Firm"],
  [null, "the firm that sent you the link"],
])("whom to ask", (seen, want) => {
  session.landing = seen;
  expect(session.contact).toBe(want);
});

describe("the time for answers", () => {
  test("is over when the server's time is, whatever this machine's clock says", async () => {
    await session.load();
    server.state.mockResolvedValueOnce(state()).mockResolvedValue(state({ time_left_ms: 0 }));
    vi.setSystemTime(Date.now() + 86_400_000);
    await vi.advanceTimersByTimeAsync(54_000);
    expect(session.late).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(session.late).toBe(true);
  });

  test("ends with what is being written saved, but for an answer that is there already", async () => {
    server.state.mockResolvedValue(state({ answers: [answer("q1", 1)] }));
    await session.load();
    session.drafts.write("q1", "Another answer, half");
    session.drafts.write("q2", " About four hours, and ");
    await vi.advanceTimersByTimeAsync(54_000);
    expect(server.seal).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(server.seal.mock.calls).toEqual([["q2", { text: "About four hours, and" }]]);
  });

  test("is asked for again when the machine has slept, because the page's own clock stood still", async () => {
    await session.load();
    server.state.mockResolvedValue(state({ time_left_ms: 0 }));
    vi.setSystemTime(Date.now() + 1_800_000);
    tab.dispatchEvent(new Event("visibilitychange"));
    await vi.waitFor(() => expect(session.late).toBe(true));
    expect(server.state).toHaveBeenCalledTimes(2);
  });

  test("takes no text away that could not be saved before it", async () => {
    await session.load();
    session.drafts.write("q2", "About four hours.");
    server.seal.mockRejectedValue(refusal(410, "It was submitted."));
    await session.seal(question("q2"), "About four hours.");
    expect(session.end).toBe("gone");
    expect(session.unsaved.map((draft) => [draft.question.id, draft.text])).toEqual([["q2", "About four hours."]]);
  });

  test("ends sooner for a hidden page, whose timers hardly run: what is being written is saved, and may be written on", async () => {
    server.state.mockResolvedValue(state({ time_left_ms: 600_000 }));
    server.seal.mockResolvedValue(state({ time_left_ms: 60_000, answers: [answer("q1", 1, { mode: "text" })] }));
    await session.load();
    session.drafts.write("q1", "About four");
    tab.hidden = true;
    await vi.advanceTimersByTimeAsync(530_000);
    expect(server.seal).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(10_000);
    expect([session.late, session.drafts.read("q1"), server.seal.mock.calls]).toEqual([false, "", [["q1", { text: "About four" }]]]);
    tab.hidden = false;
    session.drafts.write("q1", "About four hours.");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.seal.mock.calls.slice(1)).toEqual([["q1", { text: "About four hours." }]]);
  });

  test("is over at once where the server says so, and does not begin before the start", async () => {
    await session.load();
    await session.change(async () => state({ time_left_ms: 0 }));
    expect(session.late).toBe(true);
    await session.change(async () => state({ time_left_ms: null }));
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(session.late).toBe(false);
  });

  test("ends the page when the server has ended the interview", async () => {
    await session.load();
    server.state.mockRejectedValue(refusal(410, "It was submitted."));
    await vi.advanceTimersByTimeAsync(75_000);
    await vi.waitFor(() => expect([session.end, session.why]).toEqual(["gone", "It was submitted."]));
  });
});

describe("what an earlier page has left", () => {
  /** What lies in the browser's database when the page opens. */
  async function leave(...takes: StoredTake[]): Promise<TakeStorage> {
    const storage = await TakeStorage.open(() => {});
    for (const take of takes) await storage.put(take);
    return storage;
  }
  const waitsFor = (...answers: Answer[]) => server.state.mockResolvedValue(state({ answers }));

  test("a whole take is sent and sealed, and then forgotten", async () => {
    const storage = await leave(stored("q1", 1));
    waitsFor(answer("q1", 1, { status: "recording" }));
    await session.load();
    await vi.waitFor(() => expect(session.pending).toEqual([]));
    expect(uploads.begun.map((u) => u.take.key)).toEqual(["i1/q1/1"]);
    expect(server.seal).toHaveBeenCalledWith("q1", { take: 1, bytes: 7, sha256: "hash", duration_ms: 3000 });
    expect(server.abortTake).not.toHaveBeenCalled();
    await vi.waitFor(async () => expect(await storage.takes("i1")).toEqual([]));
  });

  test("a take that was cut off is given up, with what was recorded of it", async () => {
    const storage = await leave(stored("q1", 1, { ended: false }));
    waitsFor(answer("q1", 1, { status: "recording" }));
    await session.load();
    expect(server.abortTake).toHaveBeenCalledWith("q1", 1, 3000);
    expect(session.cutOff).toEqual([{ question: "q1", recordedMs: 3000, counts: true }]);
    expect(uploads.begun).toEqual([]);
    expect(await storage.takes("i1")).toEqual([]);
  });

  test("a take that another browser recorded is given up, and nobody knows its length", async () => {
    waitsFor(answer("q2", 1, { status: "recording" }));
    server.abortTake.mockResolvedValue(state({ answers: [answer("q2", 1, { status: "aborted", counts: false })] }));
    await session.load();
    expect(server.abortTake).toHaveBeenCalledWith("q2", 1, null);
    expect(session.cutOff).toEqual([{ question: "q2", recordedMs: null, counts: false }]);
  });

  test("a take that is sealed already is forgotten", async () => {
    const storage = await leave(stored("q1", 1));
    waitsFor(answer("q1", 1));
    await session.load();
    expect([uploads.begun.length, server.abortTake.mock.calls.length, await storage.takes("i1")]).toEqual([0, 0, []]);
  });

  test("a take that ended on the server meanwhile stays as it is there", async () => {
    await leave(stored("q1", 1, { ended: false }));
    server.state.mockResolvedValueOnce(state({ answers: [answer("q1", 1, { status: "recording" })] })).mockResolvedValue(state({ answers: [answer("q1", 1)] }));
    server.abortTake.mockRejectedValue(refusal(409));
    await session.load();
    expect([session.end, session.sealed("q1")?.take]).toEqual([null, 1]);
  });

  test("a take that could not be sent can be sent again", async () => {
    await leave(stored("q1", 1));
    waitsFor(answer("q1", 1, { status: "recording" }));
    uploads.outcome = Promise.reject(new Error("This browser’s storage can’t be read."));
    uploads.outcome.catch(() => {}); // the page hears of it later
    await session.load();
    await vi.waitFor(() => expect(session.pending[0]).toMatchObject({ failed: "This browser’s storage can’t be read.", whole: true }));
    uploads.outcome = Promise.resolve();
    session.sendAgain(session.pending[0]!);
    await vi.waitFor(() => expect(session.pending).toEqual([]));
    expect(uploads.begun.map((u) => u.take.key)).toEqual(["i1/q1/1", "i1/q1/1"]);
    expect(server.seal).toHaveBeenCalledTimes(1);
  });

  test("a take that cannot be sent says why, and can be given up for another one", async () => {
    const storage = await leave(stored("q1", 1));
    waitsFor(answer("q1", 1, { status: "recording" }));
    uploads.outcome = Promise.reject(refusal(413, "It is too large."));
    uploads.outcome.catch(() => {}); // the page hears of it later
    await session.load();
    await vi.waitFor(() => expect(session.pending[0]?.failed).toBe("It is too large."));
    await session.giveUp(session.pending[0]!);
    expect(server.abortTake).toHaveBeenCalledWith("q1", 1, null);
    expect(session.pending).toEqual([]);
    expect(await storage.takes("i1")).toEqual([]);
  });

  /** A browser whose database does not open so many times. */
  function fails(times: number): void {
    const real = indexedDB;
    vi.stubGlobal("indexedDB", {
      open: (...args: Parameters<IDBFactory["open"]>) => {
        if (times-- > 0) throw new DOMException("Internal error opening backing store", "UnknownError");
        return real.open(...args);
      },
    });
  }

  test("a whole take is sent although the browser's database fails to open at first", async () => {
    await leave(stored("q1", 1));
    waitsFor(answer("q1", 1, { status: "recording" }));
    fails(1);
    await session.load();
    expect([uploads.begun.map((u) => u.take.key), session.unread, server.abortTake.mock.calls.length]).toEqual([["i1/q1/1"], false, 0]);
  });

  test("nothing is given up unasked while the browser's database does not open", async () => {
    await leave(stored("q1", 1));
    waitsFor(answer("q1", 1, { status: "recording" }), answer("q2", 1, { status: "recording" }));
    fails(1000);
    await session.load();
    await session.load(); // "Try again"
    expect([session.unread, server.abortTake.mock.calls.length, session.cutOff]).toEqual([true, 0, []]);
    // The trader answers the question anew.
    server.seal.mockRejectedValueOnce(refusal(409));
    await session.seal(question("q1"), "About four hours.");
    expect(server.abortTake.mock.calls).toEqual([["q1", 1, null]]);
    expect(server.seal).toHaveBeenCalledTimes(2);
  });

  test("nothing is given up when the page tries again what had broken off", async () => {
    await leave(stored("q1", 1, { ended: false }), stored("q2", 1));
    waitsFor(answer("q1", 1, { status: "recording" }), answer("q2", 1, { status: "recording" }));
    server.abortTake.mockRejectedValueOnce(refusal(400));
    await expect(session.load()).rejects.toMatchObject({ status: 400 });
    await session.load();
    expect(server.abortTake.mock.calls.map(([q]) => q)).toEqual(["q1", "q1"]);
    expect(uploads.begun.map((u) => u.take.key)).toEqual(["i1/q2/1"]);
  });
});

describe("devices", () => {
  /** A browser that answers each request for devices when the test says so. */
  function browser() {
    const asked: (() => { stopped: boolean })[] = [];
    const getUserMedia = () =>
      new Promise((resolve) =>
        asked.push(() => {
          const track = { stopped: false, stop: () => (track.stopped = true) };
          resolve({ getTracks: () => [track] });
          return track;
        }),
      );
    vi.stubGlobal("navigator", { ...navigator, mediaDevices: { getUserMedia } });
    return asked;
  }
  const devices = { mode: "video" as const, camera: "", microphone: "" };

  test("a camera that was asked for twice is on once, whichever answer comes first", async () => {
    const asked = browser();
    const both = [session.useDevices(devices), session.useDevices({ ...devices, camera: "other" })];
    const [second, first] = [asked[1]!(), asked[0]!()];
    expect(await Promise.all(both)).toEqual([false, true]);
    expect([first.stopped, second.stopped, session.devices?.camera]).toEqual([true, false, "other"]);
  });

  test("a camera that comes when it is needed no more is turned off", async () => {
    const asked = browser();
    const use = session.useDevices(devices);
    session.releaseDevices();
    const track = asked[0]!();
    expect([await use, track.stopped, session.stream]).toEqual([false, true, null]);
  });
});
