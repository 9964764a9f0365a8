import { untrack } from "svelte";

import { route, setQuery } from "../router.svelte";

/** In milliseconds: shorter than a pause, longer than the time between two keys. */
const pause = 200;

/**
 * Filters that are typed. The address holds them; what is typed gets there after a moment without
 * a key, and shows at once as it was typed. Call it while a component is made.
 */
export function typedFilters(names: readonly string[]) {
  const read = () => Object.fromEntries(names.map((name) => [name, route.query.get(name) ?? ""]));
  let typed = $state(read());
  let timer: ReturnType<typeof setTimeout> | undefined;

  // The address may change without a key: by the back button, or a link.
  $effect(() => {
    const now = read();
    untrack(() => {
      if (timer === undefined && names.some((name) => (typed[name] ?? "").trim() !== now[name])) typed = now;
    });
  });
  $effect(() => () => clearTimeout(timer));

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    setQuery({ ...Object.fromEntries(Object.entries(typed).map(([name, text]) => [name, text.trim()])), page: null }, { replace: true });
  }

  return {
    /** What stands in the fields, by the names of the filters. */
    get texts(): Record<string, string> {
      return typed;
    },
    /** Writes them to the address at once. */
    write,
    /** Writes them when the typing pauses. */
    later(): void {
      clearTimeout(timer);
      timer = setTimeout(write, pause);
    },
    /** Drops what is not written yet: the address is about to change. */
    drop(): void {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
