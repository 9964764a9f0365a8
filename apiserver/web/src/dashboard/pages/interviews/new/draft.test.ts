import { beforeEach, describe, expect, test } from "vitest";

import { blank, Draft } from "./draft.svelte";

let draft: Draft;
beforeEach(() => (draft = new Draft()));

describe("whom the interview is with", () => {
  test("a trader of the directory has the accounts that were chosen", () => {
    draft.trader = { id: "t1", name: "Ana" };
    draft.account_ids = ["a1"];
    draft.person = { full_name: "Left over", email: "x@y", external_id: "" };
    const body = draft.body();
    expect(body).toMatchObject({ trader_id: "t1", activity: { account_ids: ["a1"] } });
    expect(body).not.toHaveProperty("trader");
  });

  test("somebody else has none of them", () => {
    draft.trader = { id: "t1", name: "Ana" };
    draft.account_ids = ["a1"];
    draft.fromDirectory = false;
    draft.person = { full_name: " Bo ", email: "  ", external_id: " 7 " };
    const body = draft.body();
    expect(body).toMatchObject({ trader: { full_name: "Bo", email: null, external_id: "7" }, activity: { account_ids: [] } });
    expect(body).not.toHaveProperty("trader_id");
  });

  test("nobody is chosen", () => expect(draft.body().trader_id).toBeNull());
});

describe("the questions", () => {
  const options = { questions: [{ ...blank(), max_seconds: 60, max_takes: 2 }, blank()] } as never;

  test("of the default set are the server's", () => {
    draft.questions = [{ ...blank(), prompt: "Mine?" }];
    expect(draft.body().questions).toEqual([]);
    expect([draft.asked(options).length, draft.budget(options)]).toEqual([2, 240]);
  });

  test("of one's own go without what the form tells them apart by", () => {
    draft.standard = false;
    draft.questions = [{ ...blank(), prompt: "Mine?", max_seconds: 90, max_takes: 3 }];
    expect(draft.body().questions).toEqual([{ prompt: "Mine?", topic: "general", think_seconds: 30, max_seconds: 90, max_takes: 3, required: true }]);
    expect(draft.budget(options)).toBe(270);
  });

  test("have keys of their own", () => expect(blank().key).not.toBe(blank().key));
});

test("fields that were left empty are not sent as empty texts", () => {
  draft.reference = "   ";
  draft.timezone = " ";
  expect(draft.body()).toMatchObject({ reference: null, assignee_user_id: null, activity: { timezone: "UTC", preset: null } });
  expect(new Draft().body().activity?.timezone).toBe("Europe/Madrid");
});
