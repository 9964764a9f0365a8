import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { happen } from "../../testing/browser";
import { type EventLog } from "./events";
import { LightMeter, type Stop, watchPage, watchTake, watchTracks } from "./integrity";

const added = vi.fn();
const log = { add: added, question: null as string | null } as unknown as EventLog;
let page: EventTarget & { visibilityState: string; fullscreenElement: unknown };
let stop: Stop = () => {};

beforeEach(() => {
  vi.useFakeTimers();
  added.mockReset();
  page = Object.assign(new EventTarget(), { visibilityState: "visible", fullscreenElement: null });
  vi.stubGlobal("document", page);
  vi.stubGlobal("window", Object.assign(globalThis, { outerWidth: 1000, innerWidth: 1000, outerHeight: 800, innerHeight: 700 }));
  vi.stubGlobal("matchMedia", () => ({ matches: true }));
  vi.stubGlobal("getSelection", () => "selected");
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

const watch = (settings: Partial<Parameters<typeof watchPage>[1]> = {}) => {
  stop = watchPage(log, { fullscreen: "off", second_screen: false, ...settings });
};
const kinds = () => added.mock.calls.map(([kind]) => kind as string);

function see(state: "visible" | "hidden"): void {
  page.visibilityState = state;
  page.dispatchEvent(new Event("visibilitychange"));
}

test("a hidden tab is told with how long it was hidden, and not as a window that was left, too", () => {
  watch();
  happen("blur");
  see("hidden");
  vi.advanceTimersByTime(5000);
  see("visible");
  happen("focus");
  expect(added.mock.calls).toEqual([["tab_hidden", { duration_ms: 5000 }, null]]);
});

test("leaving the page is told of the question that was on it, although its time ran out meanwhile", () => {
  watch();
  log.question = "q1";
  see("hidden");
  log.question = null;
  vi.advanceTimersByTime(5000);
  see("visible");
  expect(added.mock.calls).toEqual([["tab_hidden", { duration_ms: 5000 }, "q1"]]);
});

test.each([
  [1999, []],
  [2000, [["window_blur", { duration_ms: 2000 }, null]]],
])("a window that was left for %s ms", (ms, want) => {
  watch();
  happen("blur");
  vi.advanceTimersByTime(ms);
  happen("focus");
  happen("focus");
  expect(added.mock.calls).toEqual(want);
});

test("of what is copied and pasted only the length is told", () => {
  watch();
  page.dispatchEvent(new Event("copy"));
  page.dispatchEvent(Object.assign(new Event("paste"), { clipboardData: { getData: () => "a secret" } }));
  page.dispatchEvent(new Event("paste"));
  expect(added.mock.calls).toEqual([
    ["copy", { data: { length: 8 } }],
    ["paste", { data: { length: 8 } }],
    ["paste", { data: { length: 0 } }],
  ]);
});

test.each([
  ["off", []],
  ["ask", []],
  ["require", ["fullscreen_exit"]],
] as const)("leaving the full screen that is set to %s", (fullscreen, want) => {
  watch({ fullscreen });
  page.fullscreenElement = {};
  page.dispatchEvent(new Event("fullscreenchange"));
  page.fullscreenElement = null;
  page.dispatchEvent(new Event("fullscreenchange"));
  expect(kinds()).toEqual(want);
});

test("a second screen is looked for only where it was asked for", () => {
  const screen = Object.assign(new EventTarget(), { isExtended: true });
  vi.stubGlobal("screen", screen);
  watch();
  expect(kinds()).toEqual([]);
  stop();
  watch({ second_screen: true });
  screen.dispatchEvent(new Event("change"));
  expect(added.mock.calls).toEqual([["second_screen"], ["screen_changed", { data: { extended: true } }]]);
});

test("keys and menus", () => {
  watch();
  page.dispatchEvent(Object.assign(new Event("keyup"), { key: "a" }));
  page.dispatchEvent(Object.assign(new Event("keyup"), { key: "PrintScreen" }));
  page.dispatchEvent(new Event("contextmenu"));
  happen("offline");
  expect(kinds()).toEqual(["print_screen_key", "context_menu", "network_offline"]);
});

test("tools beside the page are suspected once, and a small change is none", () => {
  watch();
  const resize = (innerWidth: number) => {
    Object.assign(globalThis, { innerWidth });
    happen("resize");
  };
  resize(700);
  expect(kinds()).toEqual([]);
  resize(600);
  resize(500);
  expect(added.mock.calls).toEqual([["devtools_suspected", { data: { gap: 400 } }]]);
});

test("what is no longer watched is not told", () => {
  watch();
  stop();
  page.dispatchEvent(new Event("copy"));
  happen("offline");
  expect(kinds()).toEqual([]);
});

describe("devices", () => {
  const track = (kind: string, label = "") => Object.assign(new EventTarget(), { kind, label });
  const stream = (...tracks: EventTarget[]) => ({ getTracks: () => tracks }) as unknown as MediaStream;

  test("a track that ends is lost, by its kind", () => {
    const [camera, microphone] = [track("video", "FaceTime HD"), track("audio")];
    stop = watchTracks(log, stream(camera, microphone));
    camera.dispatchEvent(new Event("ended"));
    microphone.dispatchEvent(new Event("ended"));
    expect(added.mock.calls).toEqual([
      ["camera_lost", { data: { ended: true } }],
      ["microphone_lost", { data: { ended: true } }],
    ]);
  });

  test.each([
    [2999, []],
    [3000, [["camera_lost", { data: { ended: false } }]]],
  ])("a camera that gives nothing for %s ms", (ms, want) => {
    const camera = track("video");
    stop = watchTracks(log, stream(camera));
    camera.dispatchEvent(new Event("mute"));
    vi.advanceTimersByTime(ms);
    camera.dispatchEvent(new Event("unmute"));
    vi.advanceTimersByTime(10_000);
    expect(added.mock.calls).toEqual(want);
  });

  test.each([
    ["OBS Virtual Camera", ["virtual_camera_suspected"]],
    ["Jobson Webcam", []], // no word of its own
    ["FaceTime HD Camera", []],
  ])("the camera %s", (label, want) => {
    stop = watchTracks(log, stream(track("video", label)));
    expect(kinds()).toEqual(want);
  });

  test.each([
    ["running", ["heartbeat", "audio_silent"]],
    ["suspended", ["heartbeat"]], // nothing was measured
  ])("a silent answer, while the browser's meter is %s", (state, want) => {
    const node = { connect: () => {}, getFloatTimeDomainData: () => {} };
    vi.stubGlobal(
      "AudioContext",
      class {
        state = state;
        createAnalyser = () => node;
        createMediaStreamSource = () => node;
        resume = async () => {};
        close = async () => {};
      },
    );
    Object.assign(page, { createElement: () => ({ getContext: () => null }) });
    const end = watchTake(log, { getAudioTracks: () => [{}] } as unknown as MediaStream, null);
    vi.advanceTimersByTime(5000);
    end();
    expect(kinds()).toEqual(want);
  });

  test.each([
    [640, 15, true],
    [640, 16, false],
    [0, 0, null], // there is no picture yet
  ])("a picture %s pixels wide with the brightness %s", (videoWidth, luma, want) => {
    const picture = { canvas: { width: 2, height: 1 }, drawImage: () => {}, getImageData: () => ({ data: [luma, luma, luma, 255, luma, luma, luma, 255] }) };
    Object.assign(page, { createElement: () => ({ getContext: () => picture }) });
    expect(new LightMeter().dark({ videoWidth } as HTMLVideoElement)).toBe(want);
  });
});
