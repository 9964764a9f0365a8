import { expect, test, vi } from "vitest";

import { changeTrader, mergeTags } from "./change";

const json = (status: number, body: unknown, headers = {}) => new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json", ...headers } });

/** A server with a trader whom a colleague tags after each of the first readings. */
function server(colleague: string[]) {
  let tags = ["vip"];
  const tag = () => `"${tags.length}"`;
  const sent: string[][] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "GET") {
      const answer = json(200, { id: "t1", tags }, { ETag: tag() });
      const next = colleague.shift();
      if (next) tags = [...tags, next];
      return answer;
    }
    const body = (await request.json()) as { tags: string[] };
    sent.push(body.tags);
    if (request.headers.get("If-Match") !== tag()) return json(412, { code: "precondition_failed" });
    tags = body.tags;
    return json(200, { id: "t1", tags });
  });
  return sent;
}

test("a tag is added to those that the trader has when it is saved", async () => {
  const sent = server(["checked"]);
  const changed = await changeTrader("t1", (now) => ({ tags: mergeTags(now.tags, [], ["new"]) }));
  expect(changed.tags).toEqual(["vip", "checked", "new"]);
  expect(sent).toHaveLength(2);
});

test("a trader whom others change all the time is left to the reader", async () => {
  const sent = server(["1", "2", "3", "4", "5", "6"]);
  await expect(changeTrader("t1", () => ({ tags: [] }))).rejects.toMatchObject({ code: "precondition_failed" });
  expect(sent).toHaveLength(4);
});

test.each<[string, string[], string[], string[], string[]]>([
  ["an added tag", ["a"], ["a"], ["a", "b"], ["a", "b"]],
  ["a tag that is taken away", ["a", "b"], ["a", "b"], ["b"], ["b"]],
  ["a colleague's tag stays", ["a", "c"], ["a"], ["a", "b"], ["a", "c", "b"]],
  ["a tag that a colleague took away stays away", ["b"], ["a", "b"], ["a", "b", "c"], ["b", "c"]],
  ["the same tag, added by both", ["a", "b"], ["a"], ["a", "b"], ["a", "b"]],
])("%s", (_, now, before, after, want) => expect(mergeTags(now, before, after)).toEqual(want));
