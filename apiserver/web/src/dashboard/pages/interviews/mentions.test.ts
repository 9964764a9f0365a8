import { describe, expect, it } from "vitest";

import { completed, mentioned, pieces, suggested } from "./mentions";

const ann = { id: "1", name: "Ann" };
const miller = { id: "2", name: "Ann Miller" };
const people = [ann, miller, { id: "3", name: "شيماء" }];

describe("mentioned", () => {
  it.each<[string, string, string[]]>([
    ["nobody", "Ann, mail ann@example.com", []],
    ["a person", "@Ann look", ["1"]],
    ["the longer name", "@Ann Miller look", ["2"]],
    ["in other letters", "@ann miller, @ANN: @شيماء!", ["2", "1", "3"]],
    ["once", "@Ann @Ann", ["1"]],
    ["not a part of a word", "@Anna", []],
  ])("%s", (_, body, ids) => expect(mentioned(body, people)).toEqual(ids));
});

it("leaves nothing out of its pieces", () => {
  const body = "Hey @Ann Miller, see @nobody and @Ann";
  expect(
    pieces(body, people)
      .map((p) => p.text)
      .join(""),
  ).toBe(body);
});

describe("suggested", () => {
  it.each<[string, string, number, number]>([
    ["after the sign", "Hey @", 5, 3],
    ["a beginning", "@an", 3, 2],
    ["a last name", "@mil", 4, 1],
    ["written out", "@Ann Miller", 11, 0],
    ["an address", "mail@an", 7, 0],
    ["elsewhere", "@an then", 8, 0],
  ])("%s", (_, body, caret, n) => expect(suggested(body, caret, people)).toHaveLength(n));
});

it("completes what is typed where it is typed", () => {
  expect(completed("Hey @an please", 7, miller)).toEqual({ body: "Hey @Ann Miller please", caret: 16 });
});
