import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { reconnected } from "./connection";

const network = new EventTarget();
const reach = vi.fn<() => Promise<{ status: number }>>();

beforeEach(() => {
  vi.useFakeTimers();
  reach.mockReset();
  vi.stubGlobal("fetch", reach);
  vi.stubGlobal("location", { pathname: "/traders" });
  for (const name of ["addEventListener", "removeEventListener"] as const) vi.stubGlobal(name, network[name].bind(network));
});
afterEach(() => vi.useRealTimers());

test("waits until the server answers, whatever a proxy says meanwhile", async () => {
  reach.mockRejectedValueOnce(new TypeError("offline")).mockResolvedValueOnce({ status: 502 }).mockResolvedValueOnce({ status: 200 });
  const back = vi.fn();
  void reconnected().then(back);
  for (const [pause, want] of [
    [1_000, 0],
    [2_000, 0],
    [4_000, 1],
  ] as const) {
    await vi.advanceTimersByTimeAsync(pause);
    expect(back).toHaveBeenCalledTimes(want);
  }
});

test("asks at once when the browser has a network again, and once for all that wait", async () => {
  reach.mockResolvedValue({ status: 200 });
  const back = vi.fn();
  void reconnected().then(back);
  void reconnected().then(back);
  network.dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(0);
  expect([back.mock.calls.length, reach.mock.calls.length]).toEqual([2, 1]);
});
