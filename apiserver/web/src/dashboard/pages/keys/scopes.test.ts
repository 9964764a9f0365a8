import { expect, test } from "vitest";

import { choices, scopeGroups } from "./scopes";

const all = scopeGroups.flatMap((g) => g.scopes.map((s) => s.scope));
const choice = (label: string) => choices.find((c) => c.label === label)?.scopes;

test("every scope can be chosen, in one place", () => {
  expect(new Set(all).size).toBe(all.length);
  expect(scopeGroups.every((g) => g.scopes.length > 0)).toBe(true);
  expect([...(choice("All except administration") ?? []), "api_keys:manage"].toSorted()).toEqual(all.toSorted());
});

test("a key that only reads changes nothing", () => expect(choice("Read-only")).toEqual(["interviews:read", "traders:read", "integrations:read"]));
