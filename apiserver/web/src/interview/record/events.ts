// What the page observes about its own surroundings, and how it reaches the
// server: in batches, in order, kept over a lost network, never with contents.
import { type Client, type PageEvent, Refusal } from "../protocol";

/** The server's limits of one request. */
const batchEvents = 200;

/** The most that is kept while the server cannot be reached: the oldest go. */
const keptEvents = 5000;

const flushEvery = 5000;

export class EventLog {
  readonly #began = performance.now();
  #queue: PageEvent[] = [];
  #seq = 0;
  #sending: Promise<void> | null = null;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** The question that is on the page; null between questions. */
  question: string | null = null;

  constructor(private readonly client: Client) {}

  start(): void {
    this.#timer = setInterval(() => void this.flush(), flushEvery);
    addEventListener("pagehide", this.#leave);
  }

  stop(): void {
    clearInterval(this.#timer);
    removeEventListener("pagehide", this.#leave);
  }

  /** Keeps an event to be sent. Of one that has lasted, question is what was on the page when it began. */
  add(kind: string, details: { duration_ms?: number; data?: Record<string, string | number | boolean> } = {}, question = this.question): void {
    this.#queue.push({
      client_id: crypto.randomUUID(),
      seq: ++this.#seq,
      kind,
      at_ms: Math.round(performance.now() - this.#began),
      wall_at: new Date().toISOString(),
      ...(question === null ? {} : { question_id: question }),
      ...details,
    });
    if (this.#queue.length > keptEvents) this.#queue.splice(0, this.#queue.length - keptEvents);
  }

  /** Sends what waits, and returns when it has been sent, also what another call has begun to send. */
  flush(): Promise<void> {
    this.#sending ??= this.#send().finally(() => (this.#sending = null));
    return this.#sending;
  }

  /** The server tells repeated events by their client_id. */
  async #send(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, batchEvents);
      try {
        await this.client.events(batch);
      } catch (err) {
        if (err instanceof Refusal && err.temporary) return; // the next tick tries again
        if (!(err instanceof Refusal)) throw err;
      }
      const sent = new Set(batch.map((event) => event.client_id));
      this.#queue = this.#queue.filter((event) => !sent.has(event.client_id));
    }
  }

  #leave = () => {
    if (this.#queue.length > 0) this.client.beacon(this.#queue.slice(0, batchEvents));
  };
}
