import { flushSync } from "svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { steps } from "../../testing/address";
import { go, setQuery, showQuery } from "../router.svelte";
import { typedFilters } from "./typed.svelte";

let destroy = () => {};
beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  destroy();
  vi.useRealTimers();
});

/** The fields of a page at the address, as a component has them. */
function fields(address: string) {
  go(address);
  showQuery();
  let made: ReturnType<typeof typedFilters> | undefined;
  destroy = $effect.root(() => {
    made = typedFilters(["search", "email"]);
  });
  flushSync();
  const f = made!;
  const type = (name: string, text: string) => {
    f.texts[name] = text;
    f.later();
  };
  const pause = () => {
    vi.advanceTimersByTime(250);
    flushSync();
  };
  return { ...f, shown: (name: string) => f.texts[name], type, pause };
}
const address = () => steps.at(-1);

test("a space at the end stays in the field while the reader thinks", () => {
  const f = fields("/interviews?page=2");
  f.type("search", "John ");
  f.pause();
  expect([f.shown("search"), address()]).toEqual(["John ", "/interviews?search=John"]);
  f.type("search", "John S");
  f.pause();
  expect(address()).toBe("/interviews?search=John+S");
});

test("two fields that are filled in one after the other both count", () => {
  const f = fields("/interviews");
  f.type("search", "John");
  f.type("email", "j@example.com");
  f.pause();
  expect(address()).toBe("/interviews?search=John&email=j%40example.com");
});

test.each([
  ["is there at once", true],
  ["is still being fetched", false],
])("what was typed is not written to the page that follows, which %s", (_, there) => {
  const f = fields("/interviews");
  f.type("search", "John");
  if (there) destroy();
  go("/traders");
  f.pause();
  expect(address()).toBe("/traders");
});

test("filters that are cleared stay so", () => {
  const f = fields("/interviews?search=John");
  f.type("search", "John S");
  f.drop();
  setQuery({ search: null });
  f.pause();
  expect([f.shown("search"), address()]).toEqual(["", "/interviews"]);
});
