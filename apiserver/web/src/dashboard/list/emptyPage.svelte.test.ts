import { flushSync } from "svelte";
import { afterEach, expect, test } from "vitest";

import { go, route, showQuery } from "../router.svelte";
import { leaveEmptyPage } from "./emptyPage.svelte";

let destroy = () => {};
afterEach(() => destroy());

test.each([
  ["a page behind the last one", "/interviews?status=completed&page=3", 0, 50, "status=completed&page=2"],
  ["a page behind the only one", "/interviews?page=2", 0, 25, ""],
  ["the last page", "/interviews?page=2", 1, 26, "page=2"],
  ["a list without a row", "/interviews?page=2", 0, 0, "page=2"],
])("%s", (_, address, rows, total, want) => {
  go(address);
  showQuery();
  let value = $state.raw<{ data: unknown[]; meta: { limit: number; total: number } }>();
  destroy = $effect.root(() => leaveEmptyPage({ get value() { return value; } })); // prettier-ignore
  flushSync();
  value = { data: Array.from({ length: rows }), meta: { limit: 25, total } };
  flushSync();
  expect(route.query.toString()).toBe(want);
});
