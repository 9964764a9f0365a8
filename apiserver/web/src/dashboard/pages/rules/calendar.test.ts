import { expect, test } from "vitest";

import { parse } from "./calendar";

const head = "time,currency,impact,title";
const nfp = { time: "2026-01-09T13:30:00Z", currency: "USD", impact: "high", title: "Payrolls" };

test.each([
  ["a line", `${head}\n2026-01-09T13:30:00Z,USD,high,Payrolls\n`],
  ["no line break at the end", `${head}\n2026-01-09T13:30:00Z,USD,high,Payrolls`],
  ["line breaks of Windows", `${head}\r\n2026-01-09T13:30:00Z,USD,high,Payrolls\r\n`],
  ["a byte order mark", `\uFEFF${head}\n2026-01-09T13:30:00Z,USD,high,Payrolls\n`],
  ["columns in another order, and one more", `title,impact,forecast,currency,time\nPayrolls,high,200K,USD,2026-01-09T13:30:00Z\n`],
  ["spaces around cells", `${head}\n 2026-01-09T13:30:00Z , USD ,high, Payrolls \n`],
  ["quotes", `"time","currency","impact","title"\n"2026-01-09T13:30:00Z","USD","high","Payrolls"\n`],
  ["empty lines", `${head}\n\n2026-01-09T13:30:00Z,USD,high,Payrolls\n\n`],
])("a calendar with %s", (_, text) => expect(parse(text)).toEqual([nfp]));

test.each([
  ["commas", `"CPI, core"`, "CPI, core"],
  ["quotes", `"The ""big"" one"`, `The "big" one`],
  ["line breaks", `"two\nlines"`, "two\nlines"],
  ["nothing", ``, ""],
  ["an empty quote", `""`, ""],
])("a title with %s", (_, cell, title) => expect(parse(`${head}\n2026-01-09T13:30:00Z,USD,high,${cell}\n`)).toEqual([{ ...nfp, title }]));

test("events are in the order of their times, whatever zone they are written in", () => {
  const events = parse(`${head}\n2026-01-09T13:30:00Z,USD,high,second\n2026-01-09T14:00:00+02:00,EUR,low,first\n2027-01-01T00:00:00Z,EUR,low,third\n`);
  expect(events.map((e) => e.title)).toEqual(["first", "second", "third"]);
});

test("a calendar without events", () => {
  expect(parse("")).toEqual([]);
  expect(parse(`${head}\n`)).toEqual([]);
});
