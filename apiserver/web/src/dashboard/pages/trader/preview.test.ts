import { expect, test } from "vitest";

import { dateOrderOf, timezoneOf } from "./preview";

const plain = { date_order: "ymd", date_order_line: null, timezone: "UTC", timezone_basis: "assumed_utc" as const };

test("says where the time zone comes from", () => {
  expect(timezoneOf({ ...plain, timezone: "Europe/Prague", timezone_basis: "given" })).toBe("Europe/Prague, as you entered");
  expect(timezoneOf({ ...plain, timezone: "eet", timezone_basis: "file" })).toBe("eet, from the file");
  expect(timezoneOf({ ...plain, timezone: "", timezone_basis: "file" })).toBe("Each time in the file has its own");
  expect(timezoneOf(plain)).toContain("UTC, because the file doesn’t say");
});

test("says what shows the order of dates", () => {
  expect(dateOrderOf(plain)).toBe("Unambiguous");
  expect(dateOrderOf({ ...plain, date_order: "dmy", date_order_line: 14 })).toBe("Day first, as line 14 shows");
  expect(dateOrderOf({ ...plain, date_order: "mdy" })).toBe("Month first, as this format or your details say");
});
