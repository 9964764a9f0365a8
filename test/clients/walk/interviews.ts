// Interviews, as far as callers of the API take part in them, and what the
// organization says of itself.
import assert from "node:assert/strict";

import { answered, refused, type API } from "./client.js";

export async function interviews(api: API, faulty: API, narrow: API) {
  await organization(api);
  const { id, trader } = await create(api, faulty);
  await list(api, id);
  await review(api, id);
  await comments(api, id);
  await share(api, id);
  await results(api, id);
  await file(api, id);
  await again(api, id);
  refused(await narrow.GET("/v1/interviews/{id}", { params: { path: { id } } }), 403, "insufficient_scope");
  await remove(api, id, trader);
}

async function organization(api: API) {
  const before = answered(await api.GET("/v1/organization"));
  assert.equal(before.off_box_speech, false);
  const after = answered(await api.PATCH("/v1/organization", { body: { contact: "risk@alpha.example", lawful_basis: null } }));
  assert.equal(after.contact, "risk@alpha.example");
  const reasons = [{ decision: "rejected" as const, text: "Trades were copied." }];
  const offered = answered(await api.PUT("/v1/decision-reasons", { body: { reasons } }));
  assert.deepEqual(answered(await api.GET("/v1/decision-reasons")), offered);
}

async function create(api: API, faulty: API) {
  const options = answered(await api.GET("/v1/interviews/options"));
  assert(options.languages.includes("en") && options.questions.length > 0);
  const made = answered(
    await api.POST("/v1/interviews", {
      body: {
        trader: { full_name: "Wendy Walker", email: "wendy@example.com" },
        reference: "WALK-1",
        reason: "payout_review",
        questions: [{ prompt: "How long do you hold?", topic: "holding_time", max_takes: 2 }],
        activity: { window_days: 30, timezone: "Europe/Berlin" },
        metadata: { ticket: "8812" },
      },
    }),
    201,
  );
  assert(made.secret_available && made.invite_url);
  assert.equal(made.interview.status, "invited");
  const { errors } = refused(await faulty.POST("/v1/interviews", { body: { trader: { full_name: "W" }, window_hours: 0 } }), 422, "validation_failed");
  assert.deepEqual(errors?.map((fault) => [fault.pointer, fault.code]), [["#/window_hours", "out_of_range"]]);
  const read = answered(await api.GET("/v1/interviews/{id}", { params: { path: { id: made.interview.id } } }));
  assert.equal(read.report, null);
  assert.deepEqual(read.answers.map((answer) => answer.status), ["missing"]);
  return { id: read.id, trader: read.trader.id };
}

async function list(api: API, id: string) {
  const found = answered(await api.GET("/v1/interviews", { params: { query: { reference: "WALK-1", status: "invited", sort: "-created_at" } } }));
  assert.deepEqual(found.data.map((row) => row.id), [id]);
  assert(found.kpis.total >= 1 && found.kpis.by_status["invited"]);
  const table = answered<unknown>(await api.GET("/v1/interviews/export", { params: { query: { reference: "WALK-1" } }, parseAs: "text" }));
  assert.equal(String(table).trimEnd().split("\n").length, 2);
}

async function review(api: API, id: string) {
  const path = { id };
  assert.deepEqual(answered(await api.GET("/v1/interviews/{id}/trades", { params: { path } })).data, []);
  const [user] = answered(await api.GET("/v1/users")).data;
  assert(user);
  assert.equal(answered(await api.POST("/v1/interviews/{id}/assign", { params: { path }, body: { user_id: user.id } })).assignee?.user_id, user.id);
  assert.equal(answered(await api.POST("/v1/interviews/{id}/assign", { params: { path }, body: { user_id: null } })).assignee, null);
  const decided = answered(await api.POST("/v1/interviews/{id}/decision", { params: { path }, body: { decision: "rejected", reason: "Not today." } }));
  assert.equal(decided.decision?.value, "rejected");
  const told = answered(await api.PATCH("/v1/interviews/{id}/communication", { params: { path }, body: { done: true } }));
  assert(told.communication.done && told.communication.done_at);
}

async function comments(api: API, id: string) {
  const [user] = answered(await api.GET("/v1/users")).data;
  assert(user);
  const made = answered(await api.POST("/v1/interviews/{id}/comments", { params: { path: { id } }, body: { body: `@${user.name} Look.`, at_ms: 1500, mentions: [user.id] } }), 201);
  assert.deepEqual(answered(await api.GET("/v1/interviews/{id}/comments", { params: { path: { id } } })).data, [made]);
  assert.equal(answered(await api.GET("/v1/interviews", { params: { query: { mentioned: user.id } } })).meta.total, 1);
  answered(await api.DELETE("/v1/interviews/{id}/mentions", { params: { path: { id } } }), 204);
  const path = { id, commentId: made.id };
  const edited = answered(await api.PUT("/v1/interviews/{id}/comments/{commentId}", { params: { path }, body: { body: "Never mind." } }));
  assert(edited.edited_at && edited.mentions.length === 0 && edited.at_ms === null);
  answered(await api.DELETE("/v1/interviews/{id}/comments/{commentId}", { params: { path } }), 204);
  refused(await api.DELETE("/v1/interviews/{id}/comments/{commentId}", { params: { path } }), 404, "not_found");
}

async function share(api: API, id: string) {
  const path = { id };
  const made = answered(await api.POST("/v1/interviews/{id}/share", { params: { path }, body: { expires_hours: 2 } }), 201);
  assert(made.url?.includes("/s/"));
  answered(await api.DELETE("/v1/interviews/{id}/share", { params: { path } }), 204);
  refused(await api.DELETE("/v1/interviews/{id}/share", { params: { path } }), 404, "share_not_found");
}

async function results(api: API, id: string) {
  const path = { id };
  refused(await api.POST("/v1/interviews/{id}/playback", { params: { path } }), 404, "media_not_available");
  refused(await api.GET("/v1/interviews/{id}/subtitles", { params: { path }, parseAs: "text" }), 404, "subtitles_not_found");
  const first = answered(await api.POST("/v1/interviews/{id}/subtitles", { params: { path } }), 202);
  const second = answered(await api.POST("/v1/interviews/{id}/subtitles", { params: { path } }), 202);
  assert.equal(first.job_id, second.job_id);
  refused(await api.POST("/v1/interviews/{id}/regenerate", { params: { path } }), 409, "nothing_to_report");
  const segment = { id, segmentId: "s1" };
  refused(await api.GET("/v1/interviews/{id}/segments/{segmentId}", { params: { path: segment } }), 404, "not_found");
  refused(await api.PUT("/v1/interviews/{id}/segments/{segmentId}", { params: { path: segment }, body: { text: "I hold for nine days." } }), 404, "not_found");
  refused(await api.POST("/v1/interviews/{id}/claims/{claimId}/confirm", { params: { path: { id, claimId: "c1" } } }), 404, "claim_not_found");
}

async function file(api: API, id: string) {
  const path = { id };
  refused(await api.GET("/v1/interviews/{id}/activity-file", { params: { path }, parseAs: "text" }), 404, "activity_file_not_found");
  const text =
    "Ticket,Symbol,Side,Volume,Open Time,Close Time,Open Price,Close Price,Profit\n" +
    "1,EURUSD,buy,0.50,2026-06-15 08:00:00,2026-06-15 08:10:00,1.07001,1.08001,5.25\n";
  const form = new FormData();
  form.append("file", new Blob([text], { type: "text/csv" }), "walk.csv");
  const made = answered(
    // The generated type of a file is a text; the body is the form itself.
    await api.POST("/v1/interviews/{id}/activity-file", { params: { path }, body: { file: "" }, bodySerializer: () => form }),
    201,
  );
  assert.equal(made.trades, 1);
  assert.equal(answered(await api.GET("/v1/interviews/{id}/activity-file", { params: { path }, parseAs: "text" })), text);
}

/** What is done once more. */
async function again(api: API, id: string) {
  const path = { id };
  const fresh = answered(await api.POST("/v1/interviews/{id}/reissue", { params: { path }, body: { window_hours: 1 } }));
  assert(fresh.secret_available && fresh.invite_url);
  refused(await api.POST("/v1/interviews/{id}/retake", { params: { path } }), 409, "interview_still_open");
}

async function remove(api: API, id: string, trader: string) {
  const path = { id };
  answered(await api.PUT("/v1/interviews/{id}/legal-hold", { params: { path }, body: { reason: "Case 7" } }));
  refused(await api.DELETE("/v1/interviews/{id}", { params: { path } }), 409, "legal_hold");
  answered(await api.DELETE("/v1/interviews/{id}/legal-hold", { params: { path } }), 204);
  for (const zip of [
    await api.GET("/v1/interviews/{id}/export", { params: { path }, parseAs: "arrayBuffer" }),
    await api.GET("/v1/traders/{id}/export", { params: { path: { id: trader } }, parseAs: "arrayBuffer" }),
  ]) {
    const bytes = new Uint8Array(answered<unknown>(zip) as ArrayBuffer);
    assert.deepEqual([...bytes.slice(0, 2)], [0x50, 0x4b]);
  }
  answered(await api.DELETE("/v1/interviews/{id}", { params: { path } }), 204);
  const other = answered(await api.POST("/v1/interviews", { body: { trader: { full_name: "Eve Erased" }, auto_questions: 0 } }), 201);
  answered(await api.POST("/v1/traders/{id}/erase", { params: { path: { id: other.interview.trader.id } } }), 204);
  refused(await api.GET("/v1/interviews/{id}", { params: { path: { id: other.interview.id } } }), 404, "not_found");
}
