import { beforeEach, expect, test, vi } from "vitest";

import { Tab } from "./tab";

/** The locks of one browser, as far as tabs use them. */
function locks() {
  let holder: { lose: (err: Error) => void } | null = null;
  const queue: (() => void)[] = [];
  return {
    request(_name: string, options: LockOptions, use: () => Promise<void>): Promise<void> {
      return new Promise((resolve, reject) => {
        const take = () => {
          const mine = (holder = { lose: reject });
          void use().then(() => {
            if (holder !== mine) return;
            holder = null;
            queue.shift()?.();
            resolve();
          });
        };
        if (options.steal && holder !== null) holder.lose(new DOMException("stolen", "AbortError"));
        if (options.steal || holder === null) return take();
        queue.push(take);
        options.signal?.addEventListener("abort", () => {
          queue.splice(queue.indexOf(take), 1);
          reject(new DOMException("timed out", "AbortError"));
        });
      });
    },
  };
}

const timeOut: AbortController[] = [];
const soon = () => new Promise((resolve) => setTimeout(resolve, 0));

beforeEach(() => {
  timeOut.length = 0;
  vi.stubGlobal("navigator", { locks: locks() });
  vi.spyOn(AbortSignal, "timeout").mockImplementation(() => {
    const control = new AbortController();
    timeOut.push(control);
    return control.signal;
  });
});

test("one tab has the interview, and another one hears that it does not", async () => {
  const lost = vi.fn();
  expect(await new Tab("i", lost).take()).toBe(true);
  const second = new Tab("i", lost).take();
  timeOut[1]?.abort();
  expect(await second).toBe(false);
  expect(lost).not.toHaveBeenCalled();
});

test("a tab that is loaded anew waits for the old page to let go", async () => {
  const old = new Tab("i", () => {});
  await old.take();
  const again = new Tab("i", () => {}).take();
  old.release();
  expect(await again).toBe(true);
});

test("a tab that takes it by force has it, and the other one is told", async () => {
  const [lost, mine] = [vi.fn(), vi.fn()];
  const first = new Tab("i", lost);
  await first.take();
  const second = new Tab("i", mine);
  expect(await second.take(true)).toBe(true);
  await soon();
  expect([lost.mock.calls.length, mine.mock.calls.length]).toEqual([1, 0]);
  expect(await first.take(true)).toBe(true);
  await soon();
  expect(mine).toHaveBeenCalledTimes(1);
});

test("whoever has it already takes it again without asking", async () => {
  const tab = new Tab("i", () => {});
  await tab.take();
  expect(await tab.take()).toBe(true);
  expect(timeOut).toHaveLength(1);
});

test("a browser without locks goes on", async () => {
  vi.stubGlobal("navigator", {});
  expect(await new Tab("i", () => {}).take()).toBe(true);
});
