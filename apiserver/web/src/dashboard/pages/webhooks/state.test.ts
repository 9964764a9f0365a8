import { expect, test } from "vitest";

import type { Schema } from "../../../api/client";
import { describeEvents, outcome, place, stateOf } from "./state";

test.each<[boolean, string | null, string, string]>([
  [true, null, "Enabled", "good"],
  [true, "gone", "Enabled", "good"], // enabled again
  [false, "gone", "Disabled: gone", "bad"],
  [false, "failing", "Disabled: failing", "bad"],
  [false, null, "Disabled", "quiet"],
])("an endpoint that is active %s, with the reason %s", (is_active, disabled_reason, label, tone) => {
  expect(stateOf({ is_active, disabled_reason } as Schema<"WebhookEndpoint">)).toMatchObject({ label, tone });
});

test("a paused endpoint", () => {
  const paused = { is_active: true, disabled_reason: null, paused_at: "2026-11-20T08:00:00Z" } as Schema<"WebhookEndpoint">;
  expect(stateOf(paused)).toMatchObject({ label: "Paused", tone: "warn", about: expect.stringMatching(/^Paused since .*2026/) as string });
});

test.each([
  [["*"], "all"],
  [["interview.completed", "*"], "all"],
  [["a"], "a"],
  [["a", "b", "c"], "a, b, c"],
  [["a", "b", "c", "d"], "a, b and 2 more"],
  [[], ""],
])("the events %o are %s", (events, want) => expect(describeEvents(events)).toBe(want));

test.each([
  ["https://example.com/hook", "example.com/hook"],
  ["HTTPS://example.com", "example.com"],
  ["http://example.com", "http://example.com"], // which is worth seeing
])("%s is shown as %s", (url, want) => expect(place(url)).toBe(want));

test.each([
  [null, 204, "status 204"],
  ["rejected", 404, "Rejected, status 404"],
  ["tls_failed", null, "TLS failed"],
  ["dns_failed", null, "DNS failed"],
  ["invented_later", null, "Invented later"],
])("an attempt with the code %s and the status %s ended with %s", (error_code, http_status, want) => expect(outcome({ error_code, http_status })).toBe(want));
