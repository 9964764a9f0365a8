import { describe, expect, test } from "vitest";

import type { Schema } from "../../../api/client";
import { describePlatforms, healthOf, inTrouble, notStarted } from "./health";

type Integration = Schema<"Integration">;
const integration = (health_status: string, is_active = true) => ({ health_status, is_active }) as Integration;

describe("an integration's state", () => {
  test.each<[string, boolean, string, string, boolean]>([
    ["pending", true, "First sync", "info", false],
    ["healthy", true, "Healthy", "good", false],
    ["degraded", true, "Degraded", "warn", true],
    ["failing", true, "Failing", "bad", true],
    ["blocked", true, "Blocked", "bad", true],
    ["check_failed", true, "Check failed", "bad", true],
    ["failing", false, "Paused", "quiet", false],
    ["healthy", false, "Paused", "quiet", false],
    ["napping", true, "napping", "quiet", false], // of a newer server
  ])("%s, active %s", (status, active, label, tone, trouble) => {
    expect(healthOf(integration(status, active))).toMatchObject({ label, tone });
    expect(inTrouble(integration(status, active))).toBe(trouble);
  });
});

test.each<[string, [status: string, active: boolean][]]>([
  ["Your platform is syncing normally.", [["healthy", true]]],
  ["Your platform is being read for the first time.", [["pending", true]]],
  ["Your platform is paused.", [["pending", false]]],
  [
    "Both platforms are syncing normally.",
    [
      ["healthy", true],
      ["healthy", true],
    ],
  ],
  [
    "All 3 platforms are paused.",
    [
      ["healthy", false],
      ["failing", false],
      ["pending", false],
    ],
  ],
  [
    "1 platform is syncing normally, 1 is paused.",
    [
      ["healthy", true],
      ["healthy", false],
    ],
  ],
  [
    "2 platforms are syncing normally, 1 is being read for the first time, 2 are paused.",
    [
      ["healthy", true],
      ["healthy", true],
      ["pending", true],
      ["healthy", false],
      ["healthy", false],
    ],
  ],
])("%s", (sentence, list) => {
  expect(describePlatforms(list.map(([status, active]) => integration(status, active)))).toBe(sentence);
});

test.each<["sync" | "audit", string | null, string]>([
  ["sync", "already_queued", "A sync is already queued and is about to start."],
  ["audit", "already_queued", "An audit is already queued and is about to start."],
  ["sync", "inactive", "The sync wasn’t started because this integration is paused. Resume it first."],
  ["audit", "blocked", "The audit wasn’t started because the platform refused the API key. Enter a new key in Settings."],
  ["sync", "of_a_newer_server", "The sync wasn’t started."],
  ["sync", null, "The sync wasn’t started."],
])("why no %s was started: %s", (what, reason, want) => expect(notStarted(what, reason)).toBe(want));
