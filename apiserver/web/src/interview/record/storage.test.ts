import { IDBDatabase, IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { beforeEach, describe, expect, test, vi } from "vitest";

import { type StoredTake, takeKey, TakeStorage } from "./storage";

const take = (number = 1, question = "q1", interview = "i1"): StoredTake => ({
  key: takeKey(interview, question, number),
  interview,
  question,
  take: number,
  mime: "video/webm",
  uploadEndpoint: "/uploads",
  uploadURL: null,
  bytes: 0,
  recordedMs: 0,
  sha256: null,
  ended: false,
});

const full = vi.fn();
const text = async (storage: TakeStorage, key: string, start: number, end: number) => (await storage.read(key, start, end)).text();

beforeEach(() => {
  full.mockReset();
  vi.stubGlobal("IDBKeyRange", IDBKeyRange);
});

const databases: [string, () => unknown][] = [
  ["the browser's database", () => new IDBFactory()],
  ["the page's memory, where the browser has no database", () => undefined],
  [
    "the page's memory, where the browser refuses the database",
    () => ({
      open: () => {
        throw new DOMException("blocked", "SecurityError");
      },
    }),
  ],
];

describe.each(databases)("a take in %s", (where, database) => {
  const memory = where.includes("memory");

  test("is read back in any pieces", async () => {
    vi.stubGlobal("indexedDB", database());
    const storage = await TakeStorage.open(full);
    const [a, b] = [take(1), take(2)];
    await storage.put(a);
    await storage.put(b);
    for (const piece of ["abc", "defg", "h"]) await storage.append(a, new Blob([piece]), 100);
    await storage.append(b, new Blob(["xyz"]), 100);
    expect([a.bytes, a.recordedMs, b.bytes]).toEqual([8, 100, 3]);
    const whole = "abcdefgh";
    for (let start = 0; start <= whole.length; start++) {
      for (let end = start + 1; end <= whole.length + 2; end++) expect(await text(storage, a.key, start, end), `${start} to ${end}`).toBe(whole.slice(start, end));
    }
    expect(full).toHaveBeenCalledTimes(memory ? 2 : 0);
  });

  test("is there no more when it was removed", async () => {
    vi.stubGlobal("indexedDB", database());
    const storage = await TakeStorage.open(full);
    const [a, b] = [take(1), take(2)];
    for (const t of [a, b]) {
      await storage.put(t);
      await storage.append(t, new Blob(["abc"]), 100);
    }
    await storage.remove(a.key);
    expect([await text(storage, a.key, 0, 9), await text(storage, b.key, 0, 9)]).toEqual(["", "abc"]);
  });
});

test("a page finds the takes that an earlier one has left of its interview, and no others", async () => {
  vi.stubGlobal("indexedDB", new IDBFactory());
  const before = await TakeStorage.open(full);
  const [mine, others] = [take(1), take(1, "q1", "i10")];
  for (const t of [mine, others]) {
    await before.put(t);
    await before.append(t, new Blob(["abc"]), 3000);
  }
  const after = await TakeStorage.open(full);
  expect(await after.takes("i1")).toEqual([{ ...take(1), bytes: 3, recordedMs: 3000 }]);
  expect(await text(after, mine.key, 1, 3)).toBe("bc");
});

test("a take that the database takes no more of goes on in memory, without a gap", async () => {
  vi.stubGlobal("indexedDB", new IDBFactory());
  const storage = await TakeStorage.open(full);
  const t = take();
  await storage.put(t);
  await storage.append(t, new Blob(["abc"]), 1000);
  const quota = vi.spyOn(IDBDatabase.prototype, "transaction").mockImplementationOnce(() => {
    throw new DOMException("full", "QuotaExceededError");
  });
  await storage.append(t, new Blob(["def"]), 2000);
  quota.mockRestore();
  await storage.append(t, new Blob(["ghi"]), 3000);
  expect(full).toHaveBeenCalledTimes(1);
  expect(t).toMatchObject({ bytes: 9, recordedMs: 3000 });
  expect(await text(storage, t.key, 0, 9)).toBe("abcdefghi");
  expect(await text(storage, t.key, 2, 7)).toBe("cdefg");
  // The next page must not take the first part for a whole answer.
  await storage.put({ ...t, ended: true });
  expect(await (await TakeStorage.open(full)).takes("i1")).toMatchObject([{ bytes: 3, ended: false }]);
});

test("a take goes on in the database when the browser has closed its connection", async () => {
  vi.stubGlobal("indexedDB", new IDBFactory());
  const storage = await TakeStorage.open(full);
  const t = take();
  await storage.put(t);
  await storage.append(t, new Blob(["abc"]), 1000);
  const lost = () =>
    vi.spyOn(IDBDatabase.prototype, "transaction").mockImplementationOnce(() => {
      throw new DOMException("The database connection is closing", "InvalidStateError");
    });
  lost();
  expect(await text(storage, t.key, 0, 9)).toBe("abc");
  lost();
  await storage.append(t, new Blob(["def"]), 2000);
  lost();
  expect(await storage.takes("i1")).toMatchObject([{ bytes: 6 }]);
  lost();
  await storage.remove(t.key);
  expect([full.mock.calls.length, await storage.takes("i1"), await text(storage, t.key, 0, 9)]).toEqual([0, [], ""]);
});

test("to forget a take never fails, whatever the browser does", async () => {
  vi.stubGlobal("indexedDB", new IDBFactory());
  const storage = await TakeStorage.open(full);
  const gone = vi.spyOn(IDBDatabase.prototype, "transaction").mockImplementation(() => {
    throw new DOMException("The database connection is closing", "InvalidStateError");
  });
  await expect(storage.remove("i1/q1/1")).resolves.toBeUndefined();
  gone.mockRestore();
});

test("what is kept in memory is not lost when the database refuses the take once more", async () => {
  vi.stubGlobal("indexedDB", new IDBFactory());
  const storage = await TakeStorage.open(full);
  const t = take();
  await storage.put(t);
  const begin = IDBDatabase.prototype.transaction;
  const quota = vi.spyOn(IDBDatabase.prototype, "transaction").mockImplementation(() => {
    throw new DOMException("full", "QuotaExceededError");
  });
  quota.mockImplementationOnce(function (this: IDBDatabase, ...args) {
    const tx = begin.apply(this, args);
    queueMicrotask(() => tx.abort());
    return tx;
  });
  await Promise.all([storage.put(t), storage.append(t, new Blob(["abc"]), 1000)]);
  await storage.append(t, new Blob(["def"]), 2000);
  quota.mockRestore();
  expect(await text(storage, t.key, 0, 9)).toBe("abcdef");
});
