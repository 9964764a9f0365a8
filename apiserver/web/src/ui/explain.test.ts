import { describe, expect, test } from "vitest";

import { Problem } from "../api/client";
import { explain } from "./explain";

const refused = (status: number, code: string, told: Record<string, unknown> = {}, headers: Record<string, string> = {}) => new Problem(status, code, told, new Headers(headers));

describe("what is said of a refusal", () => {
  test.each<[string, Problem, string, string]>([
    [
      "a code that the page knows",
      refused(403, "insufficient_scope", { detail: "scope traders:write is missing" }),
      "Your role does not allow this.",
      "Ask an owner of your organization to do it or to change your role.",
    ],
    ["no connection", refused(0, "offline"), "There is no connection to the server.", "This page tries again when the connection is back, and keeps what you entered."],
    [
      "what the server says of one that is unavailable",
      refused(503, "service_unavailable", { title: "Unavailable", detail: "The database is being restored." }),
      "The database is being restored.",
      "Try again in a moment.",
    ],
    ["a detail that repeats the title", refused(404, "not_found", { title: "Not found", detail: "Not found" }), "Not found.", "It may have been deleted, or the address is wrong."],
    ["a time to wait", refused(429, "rate_limited", {}, { "Retry-After": "7" }), "Too many requests.", "Wait 7 seconds, then try again."],
    [
      "a time to wait, and not a vague one beside it",
      refused(503, "service_unavailable", { title: "Unavailable", detail: "The server cannot answer right now. Try again later." }, { "Retry-After": "5" }),
      "The server cannot answer right now.",
      "Wait 5 seconds, then try again.",
    ],
    ["a second to wait", refused(429, "rate_limited", {}, { "Retry-After": "1" }), "Too many requests.", "Wait 1 second, then try again."],
    ["a date to wait for", refused(429, "rate_limited", {}, { "Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT" }), "Too many requests.", "Wait a moment, then try again."],
    ["a code of a newer server", refused(422, "brand_new", { title: "New", detail: "The wheel is square." }), "The wheel is square.", ""],
    ["a title alone", refused(422, "brand_new", { title: "New" }), "New", ""],
    ["nothing but a status", refused(502, "http_502"), "The server answered 502.", "Try again in a moment."],
  ])("%s", (_, problem, what, remedy) => expect(explain(problem)).toMatchObject({ what, remedy }));

  test("members are named as people read them", () => {
    const errors = [
      { pointer: "#/base_url", code: "invalid", detail: "must be an https address." },
      { parameter: "created_from", code: "invalid", detail: "is not a time." },
      { header: "If-Match", code: "missing", detail: "is missing." },
      { pointer: "#/questions/0/prompt", code: "empty", detail: "is empty." },
      { pointer: "#", code: "odd", detail: "The whole is odd." },
    ];
    expect(explain(refused(422, "validation_failed", { errors })).what).toBe(
      "base url: must be an https address. created from: is not a time. If-Match: is missing. questions 0 prompt: is empty. The whole is odd.",
    );
  });
});

test.each([
  [0, true],
  [400, false],
  [408, true],
  [409, false],
  [429, true],
  [499, false],
  [500, true],
  [503, true],
])("status %s may pass by itself: %s", (status, temporary) => expect(explain(refused(status, "x")).temporary).toBe(temporary));
