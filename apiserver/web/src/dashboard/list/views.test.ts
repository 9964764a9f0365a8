import { expect, test } from "vitest";

import { cleared, type View, viewAddress, viewPath, viewQuery, withView } from "./views";

test("a view has the filters, the order and the columns of an address, but not its page", () => {
  expect(viewQuery(new URLSearchParams("tag=vip&page=3&sort=-name&status="))).toBe("sort=-name&tag=vip");
  expect(viewQuery(new URLSearchParams("sort=-name&tag=vip"))).toBe("sort=-name&tag=vip");
  expect(viewQuery(new URLSearchParams("search=%D8%A3+%26"))).toBe("search=%D8%A3+%26");
});

test("a view of trades has no account of one trader", () => {
  expect(viewQuery(new URLSearchParams("tab=trades&account=7&symbol=EURUSD&trade=3"), ["account", "trade"])).toBe("symbol=EURUSD&tab=trades");
});

test("another tab begins without the filters of the one before", () => {
  expect({ ...cleared(new URLSearchParams("tab=runs&status=failed&page=2")), tab: "quarantine" }).toEqual({ tab: "quarantine", status: null, page: null });
});

test("a view leads to its list", () => {
  expect(viewAddress({ list: "traders", name: "VIP", query: "tag=vip" }, "/payouts")).toBe("/traders?tag=vip");
  expect(viewAddress({ list: "payouts", name: "All", query: "" }, "/traders")).toBe("/payouts");
});

test("a view of a tab holds for the page on which it is read", () => {
  const view: View = { list: "runs", name: "By status", query: "sort=status&tab=runs" };
  expect(viewPath(view)).toBeNull();
  expect(viewAddress(view, "/integrations/1")).toBe("/integrations/1?sort=status&tab=runs");
  expect(viewAddress({ list: "trades", name: "Open", query: "state=open&tab=trades" }, "/traders/1")).toBe("/traders/1?state=open&tab=trades");
});

test("saving again under a name replaces the view in its place", () => {
  const all: View[] = [
    { list: "traders", name: "A", query: "tag=a" },
    { list: "payouts", name: "A", query: "" },
  ];
  expect(withView(all, { list: "traders", name: "A", query: "tag=b" })).toEqual([{ list: "traders", name: "A", query: "tag=b" }, all[1]]);
  expect(withView(all, { list: "traders", name: "B", query: "" })).toEqual([...all, { list: "traders", name: "B", query: "" }]);
});
