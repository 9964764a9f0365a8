import { expect, test } from "vitest";

import { chosen, range, toggled } from "./columns";

const all = [{ id: "name", names: true }, { id: "country" }, { id: "tags" }, { id: "phone", hidden: true }];

test("an address without columns has the usual ones", () => {
  expect(chosen(all, new URLSearchParams())).toEqual(["name", "country", "tags"]);
});

test("columns keep their order, the name stays, and unknown ones are ignored", () => {
  expect(chosen(all, new URLSearchParams("columns=phone,country,shoe"))).toEqual(["name", "country", "phone"]);
  expect(chosen(all, new URLSearchParams("columns="))).toEqual(["name"]);
});

test("showing and hiding columns leads back to the usual ones", () => {
  expect(toggled(all, ["name", "country", "tags"], "phone")).toBe("name,country,tags,phone");
  expect(toggled(all, ["name", "country", "tags"], "tags")).toBe("name,country");
  expect(toggled(all, ["name", "country"], "tags")).toBeNull();
});

test("where there is little room, less important columns are hidden until somebody chooses them", () => {
  const roomy = all.map((c) => (c.id === "country" ? { ...c, roomy: true } : c));
  expect(chosen(roomy, new URLSearchParams(), true)).toEqual(["name", "tags"]);
  expect(chosen(roomy, new URLSearchParams("columns=country"), true)).toEqual(["name", "country"]);
  expect(toggled(roomy, ["name", "tags"], "country", true)).toBe("name,country,tags");
  expect(toggled(roomy, ["name", "country", "tags"], "country", true)).toBeNull();
});

test("a range runs in both directions", () => {
  const ids = ["a", "b", "c", "d"];
  expect(range(ids, "b", "d")).toEqual(["b", "c", "d"]);
  expect(range(ids, "d", "b")).toEqual(["b", "c", "d"]);
  expect(range(ids, null, "c")).toEqual(["c"]);
  expect(range(ids, "gone", "c")).toEqual(["c"]);
});
