// Shortcuts of a page: single keys that work wherever the focus is, except where
// somebody types. They can be turned off, because who speaks to a computer, or
// whose hands tremble, presses them by accident.
import { untrack } from "svelte";
import { SvelteMap } from "svelte/reactivity";

import { byKey, type Name } from "./shortcuts";

const stored = "assay-shortcuts";

let on = $state(globalThis.localStorage?.getItem(stored) !== "off");
let listed = $state(false);

/** Whether single keys are shortcuts in this browser. */
export const shortcuts = {
  get on(): boolean {
    return on;
  },
  set on(value: boolean) {
    on = value;
    if (value) localStorage.removeItem(stored);
    else localStorage.setItem(stored, "off");
  },
  /** Whether the dialog with all of them is open. */
  get listed(): boolean {
    return listed;
  },
  set listed(value: boolean) {
    listed = value;
  },
};

const typed = "input:not([type=checkbox], [type=radio], [type=button]), select, textarea, [contenteditable]";

/** Whether a key belongs to what has the focus, or to a dialog, and not to the page. */
function isTaken(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  return (event.target instanceof Element && event.target.closest(typed) !== null) || document.querySelector("dialog[open]") !== null;
}

/** How many parts of the page listen for a shortcut. */
const listening = new SvelteMap<Name, number>();

const count = (names: Name[], by: 1 | -1) => untrack(() => names.forEach((name) => listening.set(name, (listening.get(name) ?? 0) + by)));

/** Whether a shortcut does something on this page. */
export const works = (name: Name) => (listening.get(name) ?? 0) > 0;

/** Listens for the keys of shortcuts by their names in the table; the function that it returns stops. */
export function onShortcuts(acts: Partial<Record<Name, () => void>>): () => void {
  const keys = byKey(acts);
  const press = (event: KeyboardEvent) => {
    const act = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
    if (!act || isTaken(event) || (!on && event.key !== "?")) return;
    event.preventDefault();
    act();
  };
  const names = Object.keys(acts) as Name[];
  document.addEventListener("keydown", press);
  count(names, 1);
  return () => {
    document.removeEventListener("keydown", press);
    count(names, -1);
  };
}
