import { untrack } from "svelte";

/** Whether two members are the same. A number may be written: a field for numbers makes one of a text. */
const same = (x: unknown, y: unknown) => (typeof x === "object" ? JSON.stringify(x) === JSON.stringify(y) : String(x) === String(y));

/**
 * What a form shows of something that is saved. A change that somebody else saves meanwhile is taken over into the
 * members that the reader has not changed, so that saving the others does not undo it. Call it while a component is made.
 */
export function formOf<T extends object>(saved: () => T): T {
  let before = untrack(saved);
  const form = $state({ ...before });
  $effect(() => {
    const now = saved();
    untrack(() => {
      for (const name of Object.keys(now) as (keyof T)[]) if (same(form[name], before[name])) form[name] = now[name];
      before = now;
    });
  });
  return form;
}
