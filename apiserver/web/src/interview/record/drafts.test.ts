import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { Drafts } from "./drafts";

/** A browser's storage, which holds so many characters. */
function storageOf(room: number): Record<string, unknown> {
  const storage: Record<string, unknown> = {};
  const hide = (name: string, value: unknown) => Object.defineProperty(storage, name, { value });
  hide("getItem", (key: string) => storage[key] ?? null);
  hide("removeItem", (key: string) => delete storage[key]);
  hide("setItem", (key: string, text: string) => {
    if (text.length > room) throw new DOMException("full", "QuotaExceededError");
    storage[key] = text;
  });
  return storage;
}

beforeEach(() => vi.stubGlobal("localStorage", storageOf(100)));
afterEach(() => vi.unstubAllGlobals());

test("what is being written outlives a reload, and is another's in another interview", () => {
  new Drafts("/i/a").write("q1", "I trade the news.");
  expect(new Drafts("/i/a").read("q1")).toBe("I trade the news.");
  expect([new Drafts("/i/a").read("q2"), new Drafts("/i/b").read("q1")]).toEqual(["", ""]);
});

test("another tab writes on, and the first one after it", () => {
  const [first, second] = [new Drafts("/i/a"), new Drafts("/i/a")];
  first.write("q1", "I trade");
  second.write("q1", "I trade the news.");
  expect(first.read("q1")).toBe("I trade the news.");
});

test("an answer that is saved, or submitted, is no draft any more", () => {
  const drafts = new Drafts("/i/a");
  drafts.write("q1", "One");
  drafts.write("q2", "Two");
  drafts.write("q1", "");
  expect([drafts.read("q1"), drafts.read("q2")]).toEqual(["", "Two"]);
  new Drafts("/i/b").write("q1", "Three");
  drafts.clear();
  expect([new Drafts("/i/a").read("q2"), new Drafts("/i/b").read("q1")]).toEqual(["", "Three"]);
});

test.each([
  ["full", () => storageOf(3)],
  ["blocked", () => undefined],
])("what is being written outlives a look at another question while the storage is %s", (_, storage) => {
  vi.stubGlobal("localStorage", storage());
  const drafts = new Drafts("/i/a");
  drafts.write("q1", "I trade the news.");
  expect(drafts.read("q1")).toBe("I trade the news.");
  drafts.clear();
  expect(drafts.read("q1")).toBe("");
});
