import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { addressOf, filterNames, queryOf, views } from "./query";

beforeEach(() => vi.useFakeTimers({ now: new Date("2026-11-22T12:34:56Z") }));
afterEach(() => vi.useRealTimers());

/** What is asked for an address, without what is always asked. */
function asked(address: string) {
  const { limit: _, kpi_from: __, ...rest } = queryOf(new URLSearchParams(address));
  return rest;
}

describe("the page", () => {
  test.each([
    ["", 1],
    ["page=3", 3],
    ["page=0", 1],
    ["page=-2", 1],
    ["page=2.9", 2],
    ["page=two", 1],
    ["page=", 1],
  ])("of ?%s is %s", (address, page) => expect(asked(address)).toEqual({ page }));
});

test("filters go to the server as the address has them", () => {
  expect(asked("status=completed&decision=none,needs_review&search=Zo%C3%AB+M%C3%BCller&sort=-created_at&overdue=true&unknown=1&email=")).toEqual({
    page: 1,
    status: "completed",
    decision: "none,needs_review",
    search: "Zoë Müller",
    sort: "-created_at",
    overdue: "true",
  });
});

describe("days are those of the reader, whose zone changes its clocks", () => {
  test.each<[string, Record<string, string>]>([
    ["created_from=2026-11-22", { created_from: "2026-11-21T23:00:00.000Z" }],
    ["created_to=2026-11-22", { created_to: "2026-11-22T23:00:00.000Z" }],
    ["created_from=2026-11-22&created_to=2026-11-22", { created_from: "2026-11-21T23:00:00.000Z", created_to: "2026-11-22T23:00:00.000Z" }],
    ["completed_from=2026-07-01", { completed_from: "2026-06-30T22:00:00.000Z" }],
    // A day of 23 hours, and one of 25.
    ["created_from=2026-03-29&created_to=2026-03-29", { created_from: "2026-03-28T23:00:00.000Z", created_to: "2026-03-29T22:00:00.000Z" }],
    ["created_from=2026-10-25&created_to=2026-10-25", { created_from: "2026-10-24T22:00:00.000Z", created_to: "2026-10-25T23:00:00.000Z" }],
    ["completed_to=2026-12-31", { completed_to: "2026-12-31T23:00:00.000Z" }],
    ["created_from=yesterday", {}],
    ["created_from=2026-11", {}],
    ["created_from=", {}],
  ])("?%s", (address, want) => expect(asked(address)).toEqual({ page: 1, ...want }));
});

test.each([
  ["", "2026-10-23T12:34:00.000Z"],
  ["figures=7", "2026-11-15T12:34:00.000Z"],
  ["figures=x", "2026-10-23T12:34:00.000Z"],
])("figures of ?%s go back to %s, to the minute", (address, want) => expect(queryOf(new URLSearchParams(address)).kpi_from).toBe(want));

test("views of the queue are made of filters that can be seen and cleared", () => {
  for (const view of views("user-1")) {
    for (const name of Object.keys(view.query)) expect(filterNames, view.label).toContain(name);
  }
  expect(views("user-1").find((v) => v.label === "Mine")?.query).toEqual({ assignee: "user-1" });
});

test.each<[Record<string, string>, string, string]>([
  [{}, "", "/interviews"],
  [{}, "status=failed&page=3", "/interviews"],
  [{ status: "completed" }, "page=3", "/interviews?status=completed"],
  [{ status: "completed" }, "figures=90&search=x", "/interviews?status=completed&figures=90"],
  [{}, "figures=90", "/interviews?figures=90"],
])("the view %o from ?%s is at %s", (query, now, want) => expect(addressOf(query, new URLSearchParams(now))).toBe(want));
