import { expect, test } from "vitest";

import { colleagues, dayOf } from "./queues";

test.each([
  ["2026-11-28T22:59:00.000Z", "2026-11-28"],
  ["2026-11-28T23:30:00.000Z", "2026-11-29"],
  ["2026-01-05T00:00:00.000Z", "2026-01-05"],
  ["2026-12-31T23:00:00.000Z", "2027-01-01"],
])("%s is on %s for the reader", (at, day) => expect(dayOf(at)).toBe(day));

test("the queues of colleagues have their names and lead to their interviews", () => {
  const queues = [
    { assignee: { user_id: "u1", name: "Jo Lee" }, waiting: 4 },
    { assignee: { user_id: "me", name: "Zoe" }, waiting: 3 },
    { assignee: { user_id: "u2", name: null }, waiting: 1 },
  ];
  expect(colleagues(queues, "me")).toEqual([
    { name: "Jo Lee", waiting: 4, href: "/interviews?status=completed&decision=none%2Cneeds_review&assignee=u1" },
    { name: "Former member", waiting: 1, href: "/interviews?status=completed&decision=none%2Cneeds_review&assignee=u2" },
  ]);
});
