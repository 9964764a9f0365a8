import { expect, test, vi } from "vitest";

import { clock, deviceTrouble, environment, megabytes, moment, spoken } from "./format";

test.each([
  [75, "1:15"],
  [0, "0:00"],
  [-3, "0:00"],
  [0.1, "0:01"],
  [59.2, "1:00"],
  [600, "10:00"],
  [3_725, "62:05"],
])("%s s on the clock are %s", (seconds, want) => expect(clock(seconds)).toBe(want));

test.each([
  [0, "0 s"],
  [45, "45 s"],
  [60, "1 min"],
  [90, "1 min 30 s"],
  [600, "10 min"],
])("%s s are read as %s", (seconds, want) => expect(spoken(seconds).replaceAll("\u00a0", " ")).toBe(want));

test.each([
  [0, "0.0 MB"],
  [1_234_567, "1.2 MB"],
  [999_950_000, "1000.0 MB"],
])("%s bytes are %s", (bytes, want) => expect(megabytes(bytes)).toBe(want));

test("a moment is in the trader's own zone, by its name", () => {
  expect(moment("2026-07-01T12:00:00Z")).toBe("1 Jul 2026, 14:00 (Europe/Madrid)");
});

test.each([
  ["Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36 Edg/130.0", "Edge", "Windows"],
  ["Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:131.0) Gecko/20100101 Firefox/131.0", "Firefox", "Windows"],
  ["Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Mobile Safari/537.36", "Chromium", "Android"],
  ["Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1", "Safari", "iOS"],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15", "Safari", "macOS"],
  ["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36", "Chromium", "Linux"],
  ["curl/8.0", "other", "other"],
])("%s", (userAgent, browser, os) => {
  vi.stubGlobal("navigator", { userAgent });
  expect(environment()).toEqual({ browser, os });
});

test.each<[unknown, string]>([
  [new DOMException("denied", "NotAllowedError"), "Your browser blocked the camera or microphone."],
  [new DOMException("none", "NotFoundError"), "No camera or microphone was found."],
  [new DOMException("busy", "NotReadableError"), "Another app is using the camera or microphone."],
  [new DOMException("gone", "OverconstrainedError"), "That device is no longer available."],
  [new Error("Something else."), "Something else."],
  ["a text", "a text"],
])("trouble with a device: %s", (err, want) => expect(deviceTrouble(err)).toContain(want));
