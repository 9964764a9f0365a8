import { describe, expect, test } from "vitest";

import { clock, known, span } from "./zone";

test.each([
  ["Europe/Berlin", "Europe/Berlin"],
  ["UTC", "UTC"],
  ["Mars/Olympus_Mons", "UTC"],
  ["", "UTC"],
])("the zone %s is %s", (zone, want) => expect(known(zone)).toBe(want));

describe("a clock is that of its zone and not of the reader's", () => {
  test.each([
    ["America/New_York", "2026-11-22T03:03:05Z", "21 Nov 2026, 22:03:05", "21 Nov 2026", "22:03"],
    ["Asia/Kolkata", "2026-11-22T18:30:00Z", "23 Nov 2026, 00:00:00", "23 Nov 2026", "00:00"],
    ["Europe/Berlin", "2026-10-25T00:30:00Z", "25 Oct 2026, 02:30:00", "25 Oct 2026", "02:30"],
    ["Europe/Berlin", "2026-10-25T01:30:00Z", "25 Oct 2026, 02:30:00", "25 Oct 2026", "02:30"],
    ["ny_close", "2026-06-02T20:59:59Z", "2 Jun 2026, 23:59:59", "2 Jun 2026", "23:59"],
    ["ny_close", "2026-12-02T22:00:00Z", "3 Dec 2026, 00:00:00", "3 Dec 2026", "00:00"],
    ["nowhere", "2026-11-22T23:59:59Z", "22 Nov 2026, 23:59:59", "22 Nov 2026", "23:59"],
  ])("%s at %s", (zone, at, second, day, minute) => {
    const c = clock(zone);
    const date = new Date(at);
    expect([c.second(date), c.day(date), c.minute(date)]).toEqual([second, day, minute]);
  });

  test("axes have less room", () => {
    const c = clock("UTC");
    expect([c.short(new Date("2026-11-22T12:00:00Z")), c.month(new Date("2026-11-22T12:00:00Z"))]).toEqual(["22 Nov", "Nov 2026"]);
  });
});

test.each([
  ["2026-01-09", 0, "9 Jan 2026"],
  ["2026-01-09", 1, "9 Jan 2026"],
  ["2026-01-09", 3, "9 Jan 2026 – 11 Jan 2026"],
  ["2026-12-31", 2, "31 Dec 2026 – 1 Jan 2027"],
  // The clocks change in between.
  ["2026-03-28", 3, "28 Mar 2026 – 30 Mar 2026"],
])("the days from %s on for %s are %s", (from, days, want) => expect(span(from, days)).toBe(want));
