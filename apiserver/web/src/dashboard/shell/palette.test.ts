import { expect, test } from "vitest";

import { match } from "../router.svelte";
import { routes, type Scope } from "../routes";
import { actionsFor, integrationsFor, interviewTarget, most, move, pagesFor, type Situation, traderTarget, viewsFor } from "./palette";

test("pages are found by a part of their names in the menu, and those of one object are not offered", () => {
  expect(pagesFor("inter", routes).map((t) => t.path)).toEqual(["/interviews"]);
  expect(pagesFor("API k", routes)).toEqual([{ path: "/developers/keys", label: "API keys", kind: "Page", about: "Developers" }]);
  expect(pagesFor("", routes).some((t) => t.path.includes("{"))).toBe(false);
  expect(pagesFor("nowhere", routes)).toEqual([]);
});

const owner: Situation = { can: () => true, path: "/", theme: "system", integrations: [{ id: "i1", name: "Prime (EU)" }] };
const labels = (typed: string, changes: Partial<Situation> = {}) => actionsFor(typed, { ...owner, ...changes }).map((a) => a.label);

test.each<[string, string[]]>([
  ["new int", ["New interview"]],
  ["SYNC (eu)", ["Sync Prime (EU) now"]],
  ["theme switch", ["Switch theme to light", "Switch theme to dark"]],
  ["invite", ["Invite a colleague"]],
  ["api key", ["Create API key"]],
  ["endpoint", ["Add webhook endpoint"]],
  ["shortcuts", ["Show keyboard shortcuts"]],
  ["sign out", ["Sign out"]],
  ["statement", []],
  ["nothing", []],
])("the words %j find the actions %j", (typed, want) => expect(labels(typed)).toEqual(want));

test("where a trader is open, actions are offered for the trader", () => {
  const [interview, , upload] = actionsFor("", { ...owner, path: "/traders/t1" });
  expect([interview?.path, upload?.path]).toEqual(["/interviews/new?trader=t1", "/traders/t1?tab=files"]);
  expect(labels("trader", { path: "/traders" })).toEqual([]);
});

test.each<[Scope[], string[]]>([
  [[], ["Switch theme to light", "Switch theme to dark", "Show keyboard shortcuts", "Sign out"]],
  [["interviews:create"], ["New interview", "Switch theme to light", "Switch theme to dark", "Show keyboard shortcuts", "Sign out"]],
])("who has the scopes %j is offered %j", (scopes, want) => expect(labels("", { can: (scope) => scopes.includes(scope) })).toEqual(want));

test("actions lead to pages that there are", () => {
  for (const { path } of actionsFor("", { ...owner, path: "/traders/t1" })) if (path !== "") expect(match(new URL(path, "http://x").pathname), path).not.toBeNull();
});

test("many integrations do not hide the other actions", () => {
  const integrations = Array.from({ length: 40 }, (_, n) => ({ id: `${n}`, name: `Platform ${n}` }));
  expect(labels("", { integrations }).filter((l) => l.startsWith("Sync "))).toHaveLength(most);
  expect(labels("sync 37", { integrations })).toEqual(["Sync Platform 37 now"]);
});

test("integrations are found by a part of their names, and only a few are offered", () => {
  const list = Array.from({ length: 9 }, (_, n) => ({ id: `${n}`, name: `Platform ${n}` }));
  expect(integrationsFor("FORM 3", list)).toEqual([{ path: "/integrations/3", label: "Platform 3", kind: "Integration", about: "" }]);
  expect(integrationsFor("", list)).toHaveLength(most);
});

test.each([
  [{ full_name: "Zoe", email: "zoe@example.com", external_id: "T-1" }, "Zoe", "zoe@example.com · T-1"],
  [{ full_name: null, email: "zoe@example.com", external_id: "T-1" }, "zoe@example.com", "T-1"],
  [{ full_name: null, email: null, external_id: null }, "Unnamed trader", ""],
])("the trader %o is offered as %s", (names, label, about) => {
  expect(traderTarget({ id: "1", ...names })).toEqual({ path: "/traders/1", label, kind: "Trader", about });
});

test("an interview is offered with its reference and status", () => {
  const trader = { full_name: "Zoe" } as Parameters<typeof interviewTarget>[0]["trader"];
  expect(interviewTarget({ id: "1", trader, reference: "PO-1", status: "in_progress" })).toEqual({
    path: "/interviews/1",
    label: "Zoe",
    kind: "Interview",
    about: "PO-1 · in progress",
  });
});

test.each([
  [0, 1, 3, 1],
  [2, 1, 3, 0],
  [0, -1, 3, 2],
  [0, 1, 0, 0],
] as const)("from %i by %i of %i is %i", (at, by, length, want) => expect(move(at, by, length)).toBe(want));

test("saved views are found by a part of their name", () => {
  const views = [
    { list: "traders" as const, name: "VIP, not verified", query: "tag=vip" },
    { list: "payouts" as const, name: "Large", query: "" },
  ];
  expect(viewsFor("vip", views)).toEqual([{ path: "/traders?tag=vip", label: "VIP, not verified", kind: "View", about: "Traders" }]);
});
