import { Problem } from "./problem.js";
import { firstPause, sleep } from "./retry.js";

/** How long a stream may be silent, in milliseconds. The server sends a comment every 25 seconds. */
const silence = 60_000;

/** Says that an object has changed. Read it again to see how. */
export interface Change {
  /**
   * One of integrations, traders, interviews, webhooks, api_keys, users and audit. New ones may be added.
   * It is empty at the beginning and whenever the stream has been interrupted, because anything may have
   * changed before: read everything that you show.
   */
  topic: string;
  /** The object's. It is empty if several objects have changed. */
  id: string;
}

type Connect = (signal: AbortSignal) => Promise<Response>;

/** Yields the changes of one connection after the other. */
export async function* followChanges(connect: Connect, signal: AbortSignal | undefined): AsyncGenerator<Change, void, undefined> {
  let pause = firstPause;
  let ready = false;
  while (!signal?.aborted) {
    try {
      for await (const { kind, data, retry } of readConnection(connect, signal)) {
        pause = retry ?? pause;
        if (kind === "ready") {
          ready = true;
          yield { topic: "", id: "" };
        } else if (kind === "change") {
          const { topic, id } = JSON.parse(data) as { topic: string; id: string | null };
          yield { topic, id: id ?? "" };
        }
      }
    } catch (err) {
      if (signal?.aborted) return;
      if (!ready || isPermanent(err)) throw err;
    }
    await sleep(pause, signal).catch(() => undefined); // the loop ends with the signal
  }
}

/** Reports whether the server has refused the stream, rather than not answered. */
function isPermanent(err: unknown): boolean {
  return err instanceof SyntaxError || (err instanceof Problem && err.status < 500 && err.status !== 429);
}

interface Message {
  kind: string;
  data: string;
  retry?: number;
}

/** Yields the messages of one connection, which ends when it is silent for too long. */
async function* readConnection(connect: Connect, signal: AbortSignal | undefined): AsyncGenerator<Message, void, undefined> {
  const own = new AbortController();
  const response = await connect(signal ? AbortSignal.any([signal, own.signal]) : own.signal);
  let timer = setTimeout(() => own.abort(), silence);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let rest = ""; ;) {
      const { value, done } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => own.abort(), silence);
      const messages = (rest + value).split("\n\n");
      rest = messages.pop() ?? "";
      yield* messages.map(parseMessage);
    }
  } finally {
    clearTimeout(timer);
    own.abort(); // the connection is not used again
  }
}

function parseMessage(text: string): Message {
  const message: Message = { kind: "", data: "" };
  for (const line of text.split("\n")) {
    const [, name, value = ""] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name === "event") message.kind = value;
    if (name === "data") message.data = value;
    if (name === "retry" && /^\d+$/.test(value)) message.retry = Number(value);
  }
  return message;
}
