// Shortcuts of a page: single keys that work wherever the focus is, except where
// somebody types. They can be turned off, because who speaks to a computer, or
// whose hands tremble, presses them by accident.
const stored = "assay-shortcuts";

let on = $state(globalThis.localStorage?.getItem(stored) !== "off");

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
};

const typed = "input:not([type=checkbox], [type=radio], [type=button]), select, textarea, [contenteditable]";

/** Whether a key belongs to what has the focus, or to a dialog, and not to the page. */
function isTaken(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  return (event.target instanceof Element && event.target.closest(typed) !== null) || document.querySelector("dialog[open]") !== null;
}

/** Listens for keys of the page; the function that it returns stops. */
export function onKeys(keys: Record<string, () => void>): () => void {
  const press = (event: KeyboardEvent) => {
    const act = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
    if (!act || isTaken(event) || (!on && event.key !== "?")) return;
    event.preventDefault();
    act();
  };
  document.addEventListener("keydown", press);
  return () => document.removeEventListener("keydown", press);
}
