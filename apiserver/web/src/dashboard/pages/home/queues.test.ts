import { expect, test } from "vitest";

import { colleagues } from "./queues";

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
