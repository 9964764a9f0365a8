import { expect, test } from "vitest";

import { detectors, entered, shown, type Unit } from "./thresholds";

test.each<[number | null, Unit, string]>([
  [null, "%", ""],
  [0, "%", "0"],
  [0.07, "%", "7"],
  [0.29, "%", "29"],
  [0.125, "%", "12.5"],
  [1, "%", "100"],
  [0, "", "0"],
  [30, "s", "30"],
  [1.5, "×", "1.5"],
])("%s %s is shown as %o, and saved as it was", (value, unit, text) => {
  expect(shown(value, unit)).toBe(text);
  expect(entered(text, unit)).toBe(value);
});

test("every share between 0 and 100% is saved as it was shown", () => {
  for (let n = 0; n <= 1000; n++) {
    const share = n / 1000;
    expect(entered(shown(share, "%"), "%")).toBe(share);
  }
});

test.each<[string, Unit, number | null]>([
  ["  ", "%", null],
  [" 12.5 ", "%", 0.125],
  ["1e3", "", 1000],
])("%o %s is saved as %s", (text, unit, want) => expect(entered(text, unit)).toBe(want));

test("a threshold has a label that no other one of its detector has", () => {
  for (const d of detectors) expect(new Set(d.thresholds.map((t) => t.label)).size, d.id).toBe(d.thresholds.length);
});
