// What the sources expect of a browser and Node does not have. The tests of what
// a page looks like run in a real one (test/clients); here is just enough
// for the logic.

import { beforeEach } from "vitest";

/** Each test has a window of its own. */
let page = new EventTarget();
beforeEach(() => {
  page = new EventTarget();
});

/** Sends an event to the window, such as "online". */
export const happen = (event: string | Event): boolean => page.dispatchEvent(typeof event === "string" ? new Event(event) : event);

Object.assign(globalThis, {
  addEventListener: (...args: Parameters<EventTarget["addEventListener"]>) => page.addEventListener(...args),
  removeEventListener: (...args: Parameters<EventTarget["removeEventListener"]>) => page.removeEventListener(...args),
});
Object.defineProperty(globalThis, "navigator", { value: { language: "en-GB", onLine: true }, configurable: true, writable: true });
