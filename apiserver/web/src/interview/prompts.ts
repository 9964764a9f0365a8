import { type State } from "./protocol";

/**
 * Returns the state with the prompts that were shown before. A state that was
 * requested before a question was shown can arrive after it, without the prompt.
 */
export function keepPrompts(before: State | null, state: State): State {
  const shown = new Map(before?.questions.map((q) => [q.id, q.prompt]));
  return { ...state, questions: state.questions.map((q) => ({ ...q, prompt: q.prompt ?? shown.get(q.id) ?? null })) };
}
