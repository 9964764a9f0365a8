import { expect, test } from "vitest";

import type { Schema } from "../../../api/client";
import { afterwards, merged } from "./duplicates";

type Trader = Schema<"Trader">;

const manual = (members: Partial<Trader> = {}) =>
  ({ source: "manual", overrides: [], full_name: "Ada King", email: null, external_id: null, country: null, phone: null, ...members }) as unknown as Trader;
const synced = (members: Partial<Trader> = {}) => manual({ source: "custom_api", external_id: "T-1", ...members });
const emailOf = (trader: Trader, other: Trader) => merged(trader, other).find((m) => m.member === "email");

test.each([
  ["what only one of them has", manual(), synced({ email: "a@x" }), { value: "a@x" }],
  ["what differs in case alone", manual({ email: "A@x" }), synced({ email: "a@x" }), { value: "A@x" }],
  ["two made by hand", manual({ email: "a@x" }), manual({ email: "b@x" }), { value: "a@x", lost: "b@x" }],
  ["into a synced one", synced({ email: "a@x" }), manual({ email: "b@x" }), { value: "b@x", platform: "a@x" }],
  ["into a synced one whose email was set", synced({ email: "a@x", overrides: ["email"] }), manual({ email: "b@x" }), { value: "a@x", lost: "b@x" }],
  ["a synced one into one made by hand", manual({ email: "a@x" }), synced({ email: "b@x" }), { value: "a@x", platform: "b@x" }],
  ["a synced one whose email was set", manual({ email: "a@x" }), synced({ email: "b@x", overrides: ["email"] }), { value: "a@x", lost: "b@x" }],
])("merging keeps %s", (_, trader, other, want) => expect(emailOf(trader, other)).toEqual({ member: "email", ...want }));

test("external IDs are compared with their case", () =>
  expect(merged(manual({ external_id: "t-1" }), synced()).find((m) => m.member === "external_id")).toEqual({ member: "external_id", value: "t-1", platform: "T-1" }));

test("the page says what the next sync does", () => {
  expect(afterwards(manual(), manual())).toContain("no sync is involved");
  expect(afterwards(manual(), synced())).toContain("takes over the accounts");
  expect(afterwards(synced(), manual())).toContain("does not come back");
});
