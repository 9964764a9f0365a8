import { flushSync } from "svelte";
import { afterEach, expect, test, vi } from "vitest";

import { Problem } from "../api/client";
import { type Resource, resource } from "./load.svelte";

let reconnect = () => {};
vi.mock("../api/connection", () => ({ reconnected: () => new Promise<void>((resolve) => (reconnect = resolve)) }));

let destroy = () => {};
afterEach(() => destroy());

/** Uses a resource as a component does. */
function use<T>(read: () => Promise<T>): Resource<T> {
  let made: Resource<T> | undefined;
  destroy = $effect.root(() => {
    made = resource(read);
  });
  flushSync();
  return made!;
}

/** A reading that is answered when the test says so. */
function readings() {
  const open: { answer: (value: string) => void; refuse: (err: Error) => void }[] = [];
  const read = () => new Promise<string>((answer, refuse) => open.push({ answer, refuse }));
  return { open, read };
}
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));
const shown = (r: Resource<string>) => [r.value, r.problem?.code ?? null, r.loading];

test("it reads at once, and keeps what it has while it reads again", async () => {
  const { open, read } = readings();
  const r = use(read);
  expect(shown(r)).toEqual([undefined, null, true]);
  open[0]?.answer("a");
  await settled();
  expect(shown(r)).toEqual(["a", null, false]);
  const again = r.reload();
  expect(shown(r)).toEqual(["a", null, true]);
  open[1]?.answer("b");
  await again;
  expect(shown(r)).toEqual(["b", null, false]);
});

test("a reading that fails leaves what was there, and the next one takes its problem away", async () => {
  const { open, read } = readings();
  const r = use(read);
  open[0]?.answer("a");
  await settled();
  void r.reload();
  open[1]?.refuse(new Problem(503, "service_unavailable"));
  await settled();
  expect(shown(r)).toEqual(["a", "service_unavailable", false]);
  void r.reload();
  open[2]?.answer("b");
  await settled();
  expect(shown(r)).toEqual(["b", null, false]);
});

test("an answer that a newer one has overtaken is dropped, and so is its failure", async () => {
  const { open, read } = readings();
  const r = use(read);
  void r.reload();
  void r.reload();
  open[2]?.answer("newest");
  await settled();
  open[0]?.answer("oldest");
  open[1]?.refuse(new Problem(503, "service_unavailable"));
  await settled();
  expect(shown(r)).toEqual(["newest", null, false]);
});

test("what a change has answered is shown, and no older reading replaces it", async () => {
  const { open, read } = readings();
  const r = use(read);
  r.set("saved");
  expect(shown(r)).toEqual(["saved", null, false]);
  open[0]?.answer("before");
  await settled();
  expect(shown(r)).toEqual(["saved", null, false]);
});

test("it reads again when what the reading depends on changes", async () => {
  let page = $state(1);
  const read = vi.fn(async () => `page ${page}`);
  const r = use(read);
  await settled();
  page = 2;
  flushSync();
  await settled();
  expect([r.value, read.mock.calls.length]).toEqual(["page 2", 2]);
});

test("without a connection it reads again once there is one", async () => {
  const { open, read } = readings();
  const r = use(read);
  open[0]?.refuse(new Problem(0, "offline"));
  await settled();
  expect([shown(r), open.length]).toEqual([[undefined, "offline", false], 1]);
  reconnect();
  await settled();
  expect(open).toHaveLength(2);
  open[1]?.answer("a");
  await settled();
  expect(shown(r)).toEqual(["a", null, false]);
});
