import { expect, it } from "vitest";

import { keepPrompts } from "./prompts";
import { type State } from "./protocol";

const stateOf = (prompts: Record<string, string | null>) => ({ questions: Object.entries(prompts).map(([id, prompt]) => ({ id, prompt })) }) as unknown as State;
const promptsOf = (state: State) => Object.fromEntries(state.questions.map((q) => [q.id, q.prompt]));

it.each([
  ["of a late answer", { a: "Why?", b: null }, { a: null, b: null }, { a: "Why?", b: null }],
  ["that are new", { a: null }, { a: "Why?" }, { a: "Why?" }],
  ["of a question that has gone", { a: "Why?" }, { b: null }, { b: null }],
])("keeps prompts %s", (_, before, after, want) => expect(promptsOf(keepPrompts(stateOf(before), stateOf(after)))).toEqual(want));

it("takes the first state as it is", () => expect(promptsOf(keepPrompts(null, stateOf({ a: null })))).toEqual({ a: null }));
