// Addresses and pages. A click on a link of a page of the dashboard does not load
// anything anew; links to elsewhere, and clicks that ask for another tab, are the browser's.
import { routes, type Row } from "./routes";

/** A page's address taken apart. */
export interface Matched {
  row: Row;
  /** What stands in the place of the {names} of the row's path. */
  params: Record<string, string>;
}

/** Finds the row of an address; null: there is no such page. A literal row comes before one with {names}. */
export function match(path: string): Matched | null {
  const parts = path.replace(/(.)\/+$/, "$1").split("/");
  let best: Matched | null = null;
  for (const row of routes) {
    const pattern = row.path.split("/");
    if (pattern.length !== parts.length) continue;
    const params: Record<string, string> = {};
    const fits = pattern.every((piece, i) => {
      const part = parts[i] ?? "";
      if (!piece.startsWith("{")) return piece === part;
      params[piece.slice(1, -1)] = decoded(part);
      return part !== "";
    });
    if (fits && (best === null || Object.keys(params).length < Object.keys(best.params).length)) best = { row, params };
  }
  return best;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

let path = $state(location.pathname);
// The query is that of the page that is shown: one that is about to be left must
// not read anything for the query of the next.
let shownPath = location.pathname;
let search = $state(location.search);
const matched = $derived(match(path));
const query = $derived(new URLSearchParams(search));

/** Where the reader is. What reads it while it renders follows it. */
export const route = {
  get path(): string {
    return path;
  },
  /** Null: there is no page at the address. */
  get row(): Row | null {
    return matched?.row ?? null;
  },
  get params(): Record<string, string> {
    return matched?.params ?? {};
  },
  /** Read only: setQuery changes it. */
  get query(): URLSearchParams {
    return query;
  },
};

function follow(): void {
  path = location.pathname;
  if (path === shownPath) search = location.search;
}

/** Takes over the query of the address: its page is shown from now on. */
export function showQuery(): void {
  shownPath = location.pathname;
  search = location.search;
}

/** Opens a page of the dashboard, such as "/traders?country=DE". */
export function go(to: string, { replace = false } = {}): void {
  history[replace ? "replaceState" : "pushState"]({ y: 0 }, "", to);
  follow();
  scrollTo(0, 0);
}

/**
 * Changes parameters of the address; null or "" takes one out. replace leaves no step for the back button. A page that
 * is shown until the next one is there changes nothing: the address is that of the next one.
 */
export function setQuery(changes: Record<string, string | number | null | undefined>, { replace = false } = {}): void {
  if (location.pathname !== shownPath) return;
  const next = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value == null || value === "") next.delete(name);
    else next.set(name, String(value));
  }
  const text = next.toString();
  if (`?${text}` === location.search || (text === "" && location.search === "")) return;
  history[replace ? "replaceState" : "pushState"]({ y: scrollY }, "", location.pathname + (text === "" ? "" : `?${text}`));
  follow();
}

/** A dialog that is open while the address says so: a link opens it by ?new=what. */
export const dialogOf = (what: string) => ({
  get open(): boolean {
    return route.query.get("new") === what;
  },
  set open(value: boolean) {
    if (value !== this.open) setQuery({ new: value ? what : null }, { replace: true });
  },
});

function clicked(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]") : null;
  if (!link || link.target !== "" || link.hasAttribute("download") || link.origin !== location.origin) return;
  if (link.pathname === location.pathname && link.search === location.search && link.hash !== "") return; // a place on this page
  if (match(link.pathname) === null) return;
  event.preventDefault();
  go(link.pathname + link.search + link.hash);
}

/** Begins to follow links and the back button. */
export function startRouter(): void {
  document.addEventListener("click", clicked);
  addEventListener("popstate", follow);
}
