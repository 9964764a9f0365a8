import { lossOf, refusal, send } from "./client";

/** One server-sent event. */
export interface ServerEvent {
  name: string;
  data: unknown;
}

/**
 * Sends a POST whose answer is server-sent events with JSON, and yields them as they come.
 * Throws a Problem when the server refuses, or when the answer breaks off.
 */
export async function* events(path: string, body?: unknown): AsyncGenerator<ServerEvent> {
  const headers: Record<string, string> = { Accept: "text/event-stream" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  try {
    const answer = await send(new Request(path, { method: "POST", headers, cache: "no-store", ...(body === undefined ? {} : { body: JSON.stringify(body) }) }));
    if (!answer.ok) throw refusal(answer, await answer.json().catch(() => null));
    if (answer.body === null) return;
    let text = "";
    for (const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader(); ;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (text + value).split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = parse(block);
        if (event) yield event;
      }
    }
  } catch (thrown) {
    throw lossOf(thrown);
  }
}

/** A block of lines as the server writes them: one line of data at most. Null: a comment. */
function parse(block: string): ServerEvent | null {
  let name = "message";
  let data: string | undefined;
  for (const line of block.split("\n")) {
    if (line.startsWith("event: ")) name = line.slice("event: ".length);
    else if (line.startsWith("data: ")) data = line.slice("data: ".length);
  }
  return data === undefined ? null : { name, data: JSON.parse(data) };
}
