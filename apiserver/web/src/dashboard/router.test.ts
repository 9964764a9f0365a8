import { beforeAll, beforeEach, describe, expect, test } from "vitest";

import { back, steps } from "../testing/address";
import { happen } from "../testing/browser";
import { dialogOf, go, match, route, setQuery, showQuery, startRouter } from "./router.svelte";
import { routes } from "./routes";

describe("the page of an address", () => {
  test.each<[string, string | null, Record<string, string>]>([
    ["/", "/", {}],
    ["/traders", "/traders", {}],
    ["/traders/", "/traders", {}],
    ["/traders///", "/traders", {}],
    ["/traders/01J", "/traders/{id}", { id: "01J" }],
    ["/traders/a%2Fb%20c", "/traders/{id}", { id: "a/b c" }],
    ["/traders/100%", "/traders/{id}", { id: "100%" }],
    ["/interviews/new", "/interviews/new", {}],
    ["/interviews/newer", "/interviews/{id}", { id: "newer" }],
    ["/interviews/1/print", "/interviews/{id}/print", { id: "1" }],
    ["/interviews/1/other", null, {}],
    ["/interviews//print", null, {}],
    ["/Traders", null, {}],
    ["/nowhere", null, {}],
    ["", null, {}],
  ])("%s is %s", (path, row, params) => {
    const found = match(path);
    expect(found?.row.path ?? null).toBe(row);
    expect(found?.params ?? {}).toEqual(params);
  });

  test("every page is found at its own address, whatever stands in the place of its names", () => {
    for (const row of routes) expect(match(row.path.replace("{id}", "x"))?.row).toBe(row);
  });
});

test("a literal address comes before one with names, whichever row is first", () => {
  for (let i = 0; i < 2; i++) {
    routes.reverse();
    expect([match("/interviews/new")?.row.path, match("/interviews/1")?.row.path]).toEqual(["/interviews/new", "/interviews/{id}"]);
  }
});

/** A click on a link as the document hears of it. */
const page = new EventTarget();
class Link {
  target = "";
  download = false;
  origin = location.origin;
  pathname: string;
  search: string;
  hash: string;
  constructor(href: string, changes: Partial<Link> = {}) {
    const url = new URL(href, location.origin);
    ({ pathname: this.pathname, search: this.search, hash: this.hash, origin: this.origin } = url);
    Object.assign(this, changes);
  }
  closest = () => this as Link | null;
  hasAttribute = (name: string) => name === "download" && this.download;
}

function click(target: unknown, changes: object = {}): boolean {
  const event = new Event("click", { cancelable: true });
  const members = { button: 0, metaKey: false, ctrlKey: false, shiftKey: false, altKey: false, target, ...changes };
  for (const [name, value] of Object.entries(members)) Object.defineProperty(event, name, { value });
  return !page.dispatchEvent(event);
}

beforeAll(() => {
  Object.assign(globalThis, { document: page, Element: Link });
  startRouter();
});

beforeEach(() => {
  steps.splice(0, steps.length, "/");
  go("/traders?country=DE", { replace: true });
  showQuery();
});

test("going somewhere is a step of the back button, unless it replaces one", () => {
  go("/traders/01J?tab=activity");
  showQuery();
  expect([route.path, route.params, route.query.get("tab"), route.row?.title]).toEqual(["/traders/01J", { id: "01J" }, "activity", "Trader"]);
  go("/interviews", { replace: true });
  expect(steps).toEqual(["/traders?country=DE", "/interviews"]);
  go("/nowhere");
  expect([route.row, route.params]).toEqual([null, {}]);
});

test("the page that is left keeps its query until the next one is shown", () => {
  go("/interviews?status=completed");
  expect([route.path, route.query.toString()]).toEqual(["/interviews", "country=DE"]);
  showQuery();
  expect(route.query.toString()).toBe("status=completed");
});

describe("changing parameters", () => {
  test.each<[Record<string, string | number | null | undefined>, string]>([
    [{ tag: "vip" }, "/traders?country=DE&tag=vip"],
    [{ country: "FR", page: 2 }, "/traders?country=FR&page=2"],
    [{ page: 0 }, "/traders?country=DE&page=0"],
    [{ country: null }, "/traders"],
    [{ country: "" }, "/traders"],
    [{ country: undefined }, "/traders"],
    [{ search: "Zoë & co" }, "/traders?country=DE&search=Zo%C3%AB+%26+co"],
  ])("%o leads to %s", (changes, want) => {
    setQuery(changes);
    expect(steps).toEqual(["/traders?country=DE", want]);
    expect(route.query.toString()).toBe(want.split("?")[1] ?? "");
  });

  test("is no step when nothing changes", () => {
    setQuery({ country: "DE", page: null });
    expect(steps).toEqual(["/traders?country=DE"]);
    go("/traders");
    setQuery({ page: null });
    expect(steps).toEqual(["/traders?country=DE", "/traders"]);
  });

  test("can leave no step", () => {
    setQuery({ country: "FR" }, { replace: true });
    expect(steps).toEqual(["/traders?country=FR"]);
  });
});

test("a dialog is open while the address says so", () => {
  const dialog = dialogOf("key");
  go("/traders?new=person");
  showQuery();
  expect(dialog.open).toBe(false);
  dialog.open = true;
  expect([dialog.open, steps.at(-1)]).toEqual([true, "/traders?new=key"]);
  dialog.open = false;
  expect([dialog.open, steps.at(-1)]).toEqual([false, "/traders"]);
});

describe("a click", () => {
  test("on a link of a page does not load anything anew", () => {
    expect(click(new Link("/interviews/1?tab=report#x"))).toBe(true);
    expect([steps.at(-1), route.path]).toEqual(["/interviews/1?tab=report#x", "/interviews/1"]);
  });

  test.each<[string, unknown, object?]>([
    ["for another tab", new Link("/interviews"), { ctrlKey: true }],
    ["for another tab of a Mac", new Link("/interviews"), { metaKey: true }],
    ["for another window", new Link("/interviews"), { shiftKey: true }],
    ["for a download", new Link("/interviews"), { altKey: true }],
    ["with the middle button", new Link("/interviews"), { button: 1 }],
    ["on a link that opens another tab", new Link("/interviews", { target: "_blank" })],
    ["on a file", new Link("/interviews", { download: true })],
    ["on another site", new Link("https://elsewhere.test/interviews")],
    ["on what is no page of the dashboard", new Link("/docs")],
    ["on a place on this page", new Link("/traders?country=DE#list")],
    ["beside links", { closest: () => null }],
  ])("%s is the browser's", (_, target, changes) => {
    expect(click(target, changes)).toBe(false);
    expect(steps).toEqual(["/traders?country=DE"]);
  });

  test("that something else has handled is not followed", () => {
    click(new Link("/interviews"), { defaultPrevented: true });
    expect(steps).toEqual(["/traders?country=DE"]);
  });
});

test("the back button leads back", () => {
  startRouter(); // in this test's window
  go("/interviews");
  back();
  expect([route.path, route.query.get("country")]).toEqual(["/traders", "DE"]);
  happen("popstate");
  expect(route.path).toBe("/traders");
});
