import { untrack } from "svelte";

import { setQuery } from "../router.svelte";

interface Listed {
  value: { data: unknown[]; meta: { limit: number; total: number } } | undefined;
}

/** Goes to the last page of a list that has become shorter than the page in the address. Call it while a component is made. */
export function leaveEmptyPage(list: Listed): void {
  $effect(() => {
    const { data, meta } = list.value ?? {};
    if (!meta || data?.length !== 0 || meta.total === 0) return;
    const last = Math.ceil(meta.total / meta.limit);
    untrack(() => setQuery({ page: last === 1 ? null : last }, { replace: true }));
  });
}
