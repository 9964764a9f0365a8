import { flushSync } from "svelte";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import type { News, Topic } from "./live.svelte";

/** The other tabs of this browser. */
const others: News[] = [];
class Channel {
  static last: Channel;
  onmessage: (message: { data: News }) => void = () => {};
  constructor() {
    Channel.last = this;
  }
  postMessage(news: News): void {
    others.push(news);
  }
}

/** The stream of the server. */
class Stream extends EventTarget {
  static opened: Stream[] = [];
  onerror: () => void = () => {};
  closed = false;
  constructor(readonly address: string) {
    super();
    Stream.opened.push(this);
  }
  close(): void {
    this.closed = true;
  }
  say(name: string, data?: unknown): void {
    this.dispatchEvent(Object.assign(new Event(name), { data: JSON.stringify(data) }));
  }
}

const page = Object.assign(new EventTarget(), { hidden: false });
const network = new EventTarget();
for (const name of ["addEventListener", "removeEventListener"] as const) Object.assign(globalThis, { [name]: network[name].bind(network) });
Object.assign(globalThis, { BroadcastChannel: Channel, EventSource: Stream, document: page });
const { follow, onLive } = await import("./live.svelte");

const fn = vi.fn();
let ends: (() => void)[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  fn.mockReset();
  others.length = 0;
  Stream.opened = [];
  page.hidden = false;
  vi.stubGlobal("navigator", { locks: { request: (_name: string, _options: unknown, use: () => Promise<void>) => use() } });
});
afterEach(() => {
  for (const end of ends) end();
  ends = [];
  vi.useRealTimers();
});

function listen(topics: Topic[], interest = {}): void {
  ends.push($effect.root(() => onLive(topics, fn, interest)));
  flushSync();
}
const receive = (news: News) => Channel.last.onmessage({ data: news });
const look = (hidden: boolean) => {
  page.hidden = hidden;
  page.dispatchEvent(new Event("visibilitychange"));
};

describe("news", () => {
  test.each<[string, News, number]>([
    ["of the topic", { topic: "traders", id: "t1" }, 1],
    ["of several objects of the topic", { topic: "traders", id: null }, 1],
    ["of another object", { topic: "traders", id: "t2" }, 0],
    ["of another topic", { topic: "webhooks", id: "t1" }, 0],
    ["of everything", "everything", 1],
  ])("%s", (_, news, times) => {
    listen(["traders", "interviews"], { id: () => "t1" });
    receive(news);
    vi.advanceTimersByTime(1_000);
    expect(fn).toHaveBeenCalledTimes(times);
  });

  test("within a second are announced once", () => {
    listen(["traders"]);
    for (let i = 0; i < 5; i++) receive({ topic: "traders", id: `${i}` });
    vi.advanceTimersByTime(999);
    expect(fn).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    receive({ topic: "traders", id: "6" });
    vi.advanceTimersByTime(1_000);
    expect(fn).toHaveBeenCalledTimes(2);
  });

  test("wait until the tab is looked at, and are announced then", () => {
    listen(["traders"]);
    look(true);
    receive({ topic: "traders", id: null });
    vi.advanceTimersByTime(60_000);
    expect(fn).not.toHaveBeenCalled();
    look(false);
    vi.advanceTimersByTime(0);
    expect(fn).toHaveBeenCalledTimes(1);
    look(true);
    look(false);
    vi.advanceTimersByTime(10_000);
    expect(fn).toHaveBeenCalledTimes(1);
  });

  test("wait while they are held, and are announced then", () => {
    let held = $state(true);
    listen(["traders"], { held: () => held });
    receive({ topic: "traders", id: null });
    vi.advanceTimersByTime(60_000);
    expect(fn).not.toHaveBeenCalled();
    held = false;
    flushSync();
    vi.advanceTimersByTime(0);
    expect(fn).toHaveBeenCalledTimes(1);
  });

  test("are not announced to a page that was left", () => {
    listen(["traders"]);
    receive("everything");
    ends.pop()?.();
    receive("everything");
    vi.advanceTimersByTime(10_000);
    expect(fn).not.toHaveBeenCalled();
  });
});

describe("the stream", () => {
  const lost = vi.fn();
  beforeEach(() => lost.mockReset());
  const open = () => ends.push(follow(lost));
  const last = () => Stream.opened.at(-1)!;

  test("tells this tab and the others", () => {
    listen(["traders"]);
    open();
    last().say("change", { topic: "traders", id: "t1" });
    vi.advanceTimersByTime(1_000);
    expect(fn).toHaveBeenCalledTimes(1);
    expect(others).toEqual([{ topic: "traders", id: "t1" }]);
  });

  test("that breaks off is opened again, at longer and longer pauses of a minute at most", () => {
    open();
    for (const [i, pause] of [2, 4, 8, 16, 32, 60, 60].entries()) {
      last().onerror();
      expect([last().closed, lost.mock.calls.length]).toEqual([true, i + 1]);
      vi.advanceTimersByTime(pause * 1000 - 1);
      expect(Stream.opened).toHaveLength(i + 1);
      vi.advanceTimersByTime(1);
      expect(Stream.opened).toHaveLength(i + 2);
    }
    last().say("ready");
    last().onerror();
    vi.advanceTimersByTime(2_000);
    expect(Stream.opened).toHaveLength(9);
  });

  test("is opened again at once when the browser has a network", () => {
    open();
    for (const pause of [2, 4, 8]) {
      last().onerror();
      vi.advanceTimersByTime(pause * 1000);
    }
    last().onerror();
    network.dispatchEvent(new Event("online"));
    expect(Stream.opened).toHaveLength(5);
    network.dispatchEvent(new Event("online"));
    vi.advanceTimersByTime(60_000);
    expect(Stream.opened).toHaveLength(5);
  });

  test("that was away may have missed anything, and says so once it is back", () => {
    open();
    last().say("ready");
    others.length = 0;
    last().onerror();
    vi.advanceTimersByTime(2_000);
    expect(others).toEqual([]);
    last().say("ready");
    last().say("ready");
    expect(others).toEqual(["everything"]);
  });

  test("is closed with the page that reads it, and not opened again", () => {
    open();
    last().onerror();
    ends.pop()?.();
    vi.advanceTimersByTime(120_000);
    expect([Stream.opened.length, last().closed]).toEqual([1, true]);
  });
});
