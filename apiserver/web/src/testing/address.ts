// The address bar of a browser: what the router needs of it.
import { happen } from "./browser";

/** The steps of the back button. */
export const steps: string[] = ["/"];

const at = () => new URL(steps.at(-1) ?? "/", "https://assay.test");

Object.assign(globalThis, {
  location: {
    get pathname() {
      return at().pathname;
    },
    get search() {
      return at().search;
    },
    origin: at().origin,
  },
  history: {
    pushState: (_data: unknown, _title: string, to: string) => steps.push(to),
    replaceState: (_data: unknown, _title: string, to: string) => steps.splice(-1, 1, to),
  },
  scrollTo: () => {},
  scrollY: 0,
});

// A request takes an address of the page's own server without its origin.
const { Request: Absolute } = globalThis;
globalThis.Request = class extends Absolute {
  constructor(to: RequestInfo | URL, init?: RequestInit) {
    super(typeof to === "string" ? new URL(to, location.origin) : to, init);
  }
};

/** Presses the back button. */
export function back(): void {
  steps.pop();
  happen("popstate");
}
