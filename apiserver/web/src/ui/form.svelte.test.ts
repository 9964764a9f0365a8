import { flushSync } from "svelte";
import { expect, test } from "vitest";

import { formOf } from "./form.svelte";

test("what the reader has not changed follows what somebody else saves", () => {
  let saved = $state.raw({ name: "Live", address: "https://a.example", platforms: ["mt4"] });
  let form = { name: "", address: "", platforms: [""] };
  const destroy = $effect.root(() => {
    form = formOf(() => ({ ...saved }));
  });
  flushSync();
  form.address = "https://b.example";
  saved = { name: "Live 2", address: "https://c.example", platforms: ["mt5"] };
  flushSync();
  expect(form).toEqual({ name: "Live 2", address: "https://b.example", platforms: ["mt5"] });

  saved = { ...saved, address: "https://b.example" }; // the reader has saved it
  flushSync();
  saved = { ...saved, address: "https://d.example" };
  flushSync();
  expect(form.address).toBe("https://d.example");
  destroy();
});

test("a number that was entered and saved follows, too", () => {
  let saved = $state.raw({ seconds: "60" });
  let form: { seconds: string | number } = { seconds: "" };
  const destroy = $effect.root(() => {
    form = formOf<{ seconds: string | number }>(() => ({ ...saved }));
  });
  flushSync();
  form.seconds = 120;
  for (const seconds of ["120", "300"]) {
    saved = { seconds };
    flushSync();
  }
  expect(form.seconds).toBe("300");
  destroy();
});
