import { expect, test } from "vitest";

import { forgetDraft, hasDrafts, keepDraft } from "./drafts.svelte";

test("a draft is what the reader has written, and not what is empty or saved", () => {
  const draft = keepDraft("note/1", { body: "" });
  expect(hasDrafts()).toBe(false);
  draft.body = "to be";
  expect([hasDrafts(), keepDraft("note/1", { body: "" }).body]).toEqual([true, "to be"]);
  forgetDraft("note/1");
  expect(hasDrafts()).toBe(false);
});
