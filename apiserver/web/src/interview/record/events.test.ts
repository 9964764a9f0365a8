import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { happen } from "../../testing/browser";
import { type Client, type PageEvent, Refusal } from "../protocol";
import { EventLog } from "./events";

const send = vi.fn<(events: PageEvent[]) => Promise<void>>();
const beacon = vi.fn<(events: PageEvent[]) => boolean>();
let log: EventLog;

beforeEach(() => {
  vi.useFakeTimers();
  send.mockReset().mockResolvedValue();
  beacon.mockReset();
  log = new EventLog({ events: send, beacon } as unknown as Client);
});
afterEach(() => {
  log.stop();
  vi.useRealTimers();
});

/** The numbers of the events of each request. */
const sent = () => send.mock.calls.map(([events]) => events.map((e) => e.seq));
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

test("an event says when it was, and during which question", () => {
  log.add("copy", { data: { length: 3 } });
  log.question = "q1";
  vi.advanceTimersByTime(1500);
  log.add("tab_hidden", { duration_ms: 20 });
  void log.flush();
  const [first, second] = send.mock.lastCall?.[0] ?? [];
  expect(first).toMatchObject({ seq: 1, kind: "copy", at_ms: 0, data: { length: 3 } });
  expect(first).not.toHaveProperty("question_id");
  expect(second).toMatchObject({ seq: 2, kind: "tab_hidden", at_ms: 1500, question_id: "q1", duration_ms: 20 });
  expect(first?.client_id).not.toBe(second?.client_id);
});

test("events go every five seconds, 200 at once, in their order", async () => {
  log.start();
  for (let i = 0; i < 450; i++) log.add("heartbeat");
  await vi.advanceTimersByTimeAsync(4_999);
  expect(send).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(sent()).toEqual([numbers(1, 200), numbers(201, 400), numbers(401, 450)]);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(send).toHaveBeenCalledTimes(3);
});

test("what could not be sent is sent again, with what came meanwhile", async () => {
  send.mockRejectedValueOnce(new Refusal(503, "", "busy"));
  log.add("copy");
  await log.flush();
  log.add("cut");
  await log.flush();
  expect(sent()).toEqual([[1], [1, 2]]);
  expect(send.mock.calls[0]?.[0][0]?.client_id).toBe(send.mock.calls[1]?.[0][0]?.client_id);
});

test("what the server refuses for good does not hold up the rest", async () => {
  send.mockRejectedValueOnce(new Refusal(422, "", "no"));
  log.add("copy");
  await log.flush();
  log.add("cut");
  await log.flush();
  expect(sent()).toEqual([[1], [2]]);
});

test("nothing is sent twice at a time, and what comes while it is sent follows", async () => {
  let answered = () => {};
  send.mockReturnValueOnce(new Promise((resolve) => (answered = resolve)));
  log.add("copy");
  void log.flush();
  log.add("cut");
  const second = log.flush();
  expect(sent()).toEqual([[1]]);
  answered();
  await second;
  expect(sent()).toEqual([[1], [2]]);
});

test("of more than 5,000 events the newest are kept", async () => {
  for (let i = 0; i < 5_010; i++) log.add("heartbeat");
  await log.flush();
  expect(sent().flat()).toEqual(numbers(11, 5_010));
});

test("a page that goes away sends what waits, until it has stopped", () => {
  log.start();
  happen("pagehide");
  expect(beacon).not.toHaveBeenCalled();
  log.add("copy");
  happen("pagehide");
  expect(beacon.mock.lastCall?.[0].map((e) => e.seq)).toEqual([1]);
  log.stop();
  happen("pagehide");
  expect(beacon).toHaveBeenCalledTimes(1);
});
