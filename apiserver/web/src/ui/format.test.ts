import { describe, expect, test, vi } from "vitest";

import { parseExactly } from "./exact";
import { bytes, compact, count, counted, day, decimal, duration, instant, moment, money, percent, position, relative, second, words } from "./format";

/** A number as an answer of the server brings it. */
const parsed = (json: string) => parseExactly(json) as number;

/** What is not there is a dash, and never a zero. */
const none = "–";

test.each<[number | null | undefined, string]>([
  [null, none],
  [undefined, none],
  [0, "0"],
  [-0, "-0"],
  [-1, "-1"],
  [999, "999"],
  [12345, "12,345"],
  [-12345, "-12,345"],
  [0.4, "0"],
  [Number.MAX_SAFE_INTEGER, "9,007,199,254,740,991"],
])("count(%s) is %s", (n, want) => expect(count(n)).toBe(want));

test.each<[number | null | undefined, string]>([
  [null, none],
  [undefined, none],
  [0, "0"],
  [999, "999"],
  [1000, "1k"],
  [12345, "12.3k"],
  [999_999, "1m"],
  [-12345, "-12.3k"],
  [1e12, "1tn"],
  [0.25, "0.25"],
  [-0.0000002, "-0.0000002"],
  [5.5e-17, "0"],
])("compact(%s) is %s", (n, want) => expect(compact(n)).toBe(want));

test.each<[number, string, string | undefined, string]>([
  [0, "trader", undefined, "0 traders"],
  [1, "trader", undefined, "1 trader"],
  [2, "trader", undefined, "2 traders"],
  [1, "delivery", "deliveries", "1 delivery"],
  [1234, "delivery", "deliveries", "1,234 deliveries"],
])("counted(%s, %s, %s) is %s", (n, one, many, want) => expect(counted(n, one, many)).toBe(want));

test.each<[number | null | undefined, number | undefined, string]>([
  [null, undefined, none],
  [0, undefined, "0"],
  [1.5, undefined, "1.5"],
  [1.005, undefined, "1.01"],
  [2.344, undefined, "2.34"],
  [1234.5678, 3, "1,234.568"],
  [-0.1, 1, "-0.1"],
  [parsed("0.12345678901234567890"), 19, "0.1234567890123456789"],
  [parsed("2e400"), 8, "2E400"],
])("decimal(%s, %s) is %s", (n, digits, want) => expect(decimal(n, digits)).toBe(want));

test.each<[number | null | undefined, number | undefined, string]>([
  [null, undefined, none],
  [undefined, undefined, none],
  [0, undefined, "0%"],
  [0.1234, undefined, "12.3%"],
  [0.1234, 0, "12%"],
  [0.005, 0, "1%"],
  [1, undefined, "100%"],
  [-0.25, undefined, "-25%"],
  [12, undefined, "1,200%"],
])("percent(%s, %s) is %s", (share, digits, want) => expect(percent(share, digits)).toBe(want));

test.each<[number | null, string | null | undefined, string]>([
  [null, "USD", none],
  [0, "USD", "0.00 USD"],
  [1234.5, "USD", "1,234.50 USD"],
  [-0.005, "EUR", "-0.01 EUR"],
  [-1234.567, null, "-1,234.57"],
  [7, "", "7.00"],
  [71625, "JPY", "71,625 JPY"],
  [0, "JPY", "0 JPY"],
  [12.5, "JPY", "12.5 JPY"],
  [-12.345, "KWD", "-12.345 KWD"],
  [1.5, "KWD", "1.500 KWD"],
  [1.5, "USDT", "1.50 USDT"],
  [1.5, "(unknown currency)", "1.50 (unknown currency)"],
  [7, undefined, "7.00"],
  [0.00000025, "BTC", "0.00000025 BTC"],
  [-0.004, "USD", "-0.004 USD"],
  [5.5e-17, "USD", "0.00 USD"],
  [parsed("9007199254740993.125"), "USD", "9,007,199,254,740,993.13 USD"],
  [parsed("-100000000000000000000.01"), "USD", "-100,000,000,000,000,000,000.01 USD"],
  [parsed("5e308"), "USD", "5E308 USD"],
  [parsed("-123456789e400"), null, "-1.23457E408"],
  [1.5e25, "USD", "1.5E25 USD"],
])("money(%s, %s) is %s", (n, currency, want) => expect(money(n, currency)).toBe(want));

test.each<[number | null | undefined, string]>([
  [null, none],
  [0, "0 B"],
  [1023, "1,023 B"],
  [1024, "1 KiB"],
  [1536, "1.5 KiB"],
  [1024 ** 2 - 1, "1 MiB"],
  [5 * 1024 ** 3, "5 GiB"],
  [1024 ** 5, "1,024 TiB"],
])("bytes(%s) is %s", (n, want) => expect(bytes(n)).toBe(want));

describe("duration", () => {
  test.each<[number | null | undefined, string]>([
    [null, none],
    [undefined, none],
    [0, "0 ms"],
    [0.4, "0 ms"],
    [999, "999 ms"],
    [1_000, "1 s"],
    [1_449, "1.4 s"],
    [999.6, "1 s"],
    [9_949, "9.9 s"],
    [9_999, "10 s"],
    [10_000, "10 s"],
    [59_499, "59 s"],
    [59_500, "1 min"],
    [60_000, "1 min"],
    [125_000, "2 min 5 s"],
    [3_600_000, "1 h"],
    [3_605_000, "1 h"],
    [3_599_999, "1 h"],
    [90_000_000, "1 d 1 h"],
    [86_400_000 * 400, "400 d"],
  ])("%s ms is %s", (ms, want) => expect(duration(ms)).toBe(want));

  // The server's clock may be ahead of the reader's.
  test.each([
    [-1, "-1 ms"],
    [-5_000, "-5 s"],
    [-125_000, "-2 min 5 s"],
  ])("%s ms is %s", (ms, want) => expect(duration(ms)).toBe(want));
});

test.each([
  [0, "0:00"],
  [999, "0:00"],
  [1_000, "0:01"],
  [247_000, "4:07"],
  [3_599_999, "59:59"],
  [3_600_000, "1:00:00"],
  [3_753_000, "1:02:33"],
  [36_000_000, "10:00:00"],
])("position(%s) is %s", (ms, want) => expect(position(ms)).toBe(want));

describe("times in the reader's zone", () => {
  test.each<[string | null | undefined, string]>([
    [null, none],
    [undefined, none],
    ["2026-11-22T13:03:00Z", "22 Nov 2026, 14:03 CET"],
    ["2026-07-01T12:00:00Z", "1 Jul 2026, 14:00 CEST"],
    // The hour that comes twice in the night in which summer time ends.
    ["2026-10-25T00:30:00Z", "25 Oct 2026, 02:30 CEST"],
    ["2026-10-25T01:30:00Z", "25 Oct 2026, 02:30 CET"],
    // The hour that there is not.
    ["2026-03-29T00:59:00Z", "29 Mar 2026, 01:59 CET"],
    ["2026-03-29T01:00:00Z", "29 Mar 2026, 03:00 CEST"],
    ["2026-11-22T14:03:00+02:00", "22 Nov 2026, 13:03 CET"],
  ])("moment(%s) is %s", (at, want) => expect(moment(at)).toBe(want));

  test("second has the seconds", () => {
    expect(second("2026-11-22T13:03:05.999Z")).toBe("22 Nov 2026, 14:03:05 CET");
    expect(second(null)).toBe(none);
  });
  test("instant names no zone", () => {
    expect(instant("2026-11-22T13:03:05.999Z")).toBe("22 Nov 2026, 14:03:05");
    expect(instant(null)).toBe(none);
  });

  test.each<[string | null, string]>([
    [null, none],
    ["2026-11-22T22:59:59Z", "22 Nov 2026"],
    ["2026-11-22T23:00:00Z", "23 Nov 2026"],
    ["2026-12-31T23:30:00Z", "1 Jan 2027"],
  ])("day(%s) is %s", (at, want) => expect(day(at)).toBe(want));
});

describe("relative", () => {
  const now = Date.parse("2026-11-22T12:00:00Z");
  test.each<[string | null | undefined, string]>([
    [null, none],
    [undefined, none],
    ["2026-11-22T12:00:00Z", "just now"],
    ["2026-11-22T11:59:01Z", "just now"],
    ["2026-11-22T12:00:59Z", "in less than a minute"],
    ["2026-11-22T11:59:00Z", "1 minute ago"],
    ["2026-11-22T11:55:00Z", "5 minutes ago"],
    ["2026-11-22T11:00:01Z", "59 minutes ago"],
    ["2026-11-22T15:00:00Z", "in 3 hours"],
    ["2026-11-21T12:00:00Z", "yesterday"],
    ["2026-11-20T23:00:00Z", "yesterday"],
    ["2026-11-20T22:59:59Z", "2 days ago"],
    ["2026-11-24T11:59:59Z", "in 2 days"],
    ["2026-11-23T12:00:00Z", "tomorrow"],
    ["2026-10-01T12:00:00Z", "last month"],
    ["2024-11-01T12:00:00Z", "2 years ago"],
  ])("%s is %s", (at, want) => expect(relative(at, now)).toBe(want));
});

test.each([
  ["awaiting_review", "Awaiting review"],
  ["trader.note_added", "Trader note added"],
  ["x", "X"],
  ["", ""],
  ["api_key", "API key"],
])("words(%s) is %s", (name, want) => expect(words(name)).toBe(want));

test.each([
  ["de-DE", "CET"],
  ["en-US", "GMT+1"],
  ["en-IN", "GMT+1"],
])("a reader of %s gets English numbers, and times as reports have them", async (language, zone) => {
  vi.resetModules();
  vi.stubGlobal("navigator", { language });
  const own = await import("./format");
  expect(own.decimal(1234.5)).toBe("1,234.5");
  expect(own.words("pending")).toBe("Pending");
  expect(own.day("2026-09-03T12:00:00Z")).toBe("3 Sep 2026");
  expect(own.instant("2026-11-22T23:04:05Z")).toBe("23 Nov 2026, 00:04:05");
  expect(own.moment("2026-11-22T13:04:05Z")).toBe(`22 Nov 2026, 14:04 ${zone}`);
});
