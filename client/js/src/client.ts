import { readProblem } from "./problem.js";
import { retry, slowestAnswer, type RetryPolicy } from "./retry.js";
import { followChanges, type Change } from "./stream.js";
import type { Answer, Input, Item, ListPath, Method, Path } from "./types.js";

export type { Method };

/** How many items an iterator asks for at a time, unless the caller says so: the most that every list gives. */
const pageSize = 100;

export interface Options {
  /** The server's, such as https://assay.example.com. A /v1 at its end is ignored. */
  url: string;
  /** An API key. Keep it on your server: it must not reach a browser. */
  key: string;
  /** How often a request is sent again, 4 unless it is given; 0 disables it. */
  retries?: number;
  /**
   * How long the client waits before it sends a request again, in milliseconds. If the server asks for
   * more, the client throws the server's problem. 65 seconds unless it is given, because the rate limit
   * counts the requests of a minute.
   */
  longestWait?: number;
  /** Sends the requests in the place of the global fetch, such as through a proxy. */
  fetch?: typeof fetch;
}

/** What every call takes. */
export interface CallOptions {
  /** Ends the call, with all its waiting. */
  signal?: AbortSignal;
  /**
   * Sends a POST with the key instead of a new one. Within 24 hours, a POST with the same key and body
   * gets the first answer, also from another process or after a restart.
   */
  idempotencyKey?: string;
  /** Changes the object only if it still has the entity tag. Otherwise, the call throws precondition_failed. */
  ifMatch?: string;
  /** More headers, such as X-Request-Id. */
  headers?: Record<string, string>;
}

type Given = CallOptions & { path?: object; query?: object; body?: unknown };

/** The options of a call may be left out if the operation requires none. */
type Arguments<T> = {} extends T ? [options?: T & CallOptions] : [options: T & CallOptions];

/** Calls the API with one key. Its methods throw a Problem if the server refuses. */
export class Assay {
  readonly #base: string;
  readonly #key: string;
  readonly #fetch: typeof fetch;
  readonly #policy: RetryPolicy;

  constructor(options: Options) {
    if (!/^https?:\/\/[^/?#][^?#]*$/.test(options.url)) throw new TypeError(`"${options.url}" is not the URL of a server, such as https://assay.example.com`);
    const key = options.key?.trim(); // a file's ends with a line break
    if (!key) throw new TypeError("an API key is required");
    if (!/^[!-~]+$/.test(key)) throw new TypeError("the API key has characters that no key has");
    this.#base = options.url.replace(/\/+$/, "").replace(/\/v1$/, "").replace(/\/+$/, "");
    this.#key = key;
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.#policy = { retries: options.retries ?? 4, longestWait: options.longestWait ?? 65_000 };
  }

  get<P extends Path<"get">>(path: P, ...[options]: Arguments<Input<"get", P>>): Promise<Answer<"get", P>> {
    return this.#receive("get", path, options);
  }

  post<P extends Path<"post">>(path: P, ...[options]: Arguments<Input<"post", P>>): Promise<Answer<"post", P>> {
    return this.#receive("post", path, options);
  }

  put<P extends Path<"put">>(path: P, ...[options]: Arguments<Input<"put", P>>): Promise<Answer<"put", P>> {
    return this.#receive("put", path, options);
  }

  patch<P extends Path<"patch">>(path: P, ...[options]: Arguments<Input<"patch", P>>): Promise<Answer<"patch", P>> {
    return this.#receive("patch", path, options);
  }

  delete<P extends Path<"delete">>(path: P, ...[options]: Arguments<Input<"delete", P>>): Promise<Answer<"delete", P>> {
    return this.#receive("delete", path, options);
  }

  /** Iterates over all pages of a list. `query.limit` is the size of a page. */
  async *list<P extends ListPath>(path: P, ...[options]: Arguments<Input<"get", P>>): AsyncGenerator<Item<P>, void, undefined> {
    const given = (options ?? {}) as Given;
    let query: Record<string, unknown> = { limit: pageSize, ...given.query };
    for (;;) {
      const { data, meta } = await this.#receive<{ data: Item<P>[]; meta: { next_cursor: string | null } }>("get", path, { ...given, query });
      yield* data;
      if (meta.next_cursor === null) return;
      query = { ...query, cursor: meta.next_cursor };
      delete query["page"];
    }
  }

  /** Does what the other methods do, and returns the response with its headers and status, too. */
  async exchange<M extends Method, P extends Path<M>>(method: M, path: P, ...[options]: Arguments<Input<M, P>>): Promise<{ data: Answer<M, P>; response: Response }> {
    const response = await this.#send(method, path, options);
    return { data: await read<Answer<M, P>>(response), response };
  }

  /**
   * Yields what changes, as far as the key may read it. It connects again when the stream is interrupted,
   * and ends with the signal, or throws what connecting again would not cure. Changes during an
   * interruption are not sent later, so use webhooks for events that you must not miss.
   */
  changes(options: { signal?: AbortSignal } = {}): AsyncGenerator<Change, void, undefined> {
    return followChanges((signal) => this.#send("get", "/v1/stream", { signal, headers: { Accept: "text/event-stream" } }), options.signal);
  }

  async #receive<T>(method: Method, path: string, options: Given | undefined): Promise<T> {
    return read<T>(await this.#send(method, path, options));
  }

  /** Sends a call, as often as it must be sent, and returns its success or throws its problem. */
  async #send(method: Method, path: string, options: Given = {}): Promise<Response> {
    const address = this.#base + fillPath(path, options.path) + encodeQuery(options.query);
    const { body, type } = encodeBody(options.body);
    const headers = new Headers({ Authorization: `Bearer ${this.#key}`, ...type });
    if (method === "post") headers.set("Idempotency-Key", options.idempotencyKey ?? crypto.randomUUID());
    if (options.ifMatch !== undefined) headers.set("If-Match", options.ifMatch);
    for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
    // A redirected POST would become a GET, and succeed without having changed anything.
    const init: RequestInit = { method: method.toUpperCase(), headers, redirect: "manual", ...(body !== undefined && { body }) };
    const response = await retry(this.#policy, method, headers.has("If-Match"), options.signal, () => this.#once(address, init, options.signal));
    if (!response.ok || isForeign(response)) throw await readProblem(response);
    return response;
  }

  /** Sends a request once. The limit for its answer ends with the headers of a file or a stream, whose rest takes longer. */
  async #once(address: string, init: RequestInit, signal: AbortSignal | undefined): Promise<Response> {
    const slow = new AbortController();
    const timer = setTimeout(() => slow.abort(new Error(`no answer within ${slowestAnswer / 1000} seconds`)), slowestAnswer);
    try {
      const response = await this.#fetch(address, { ...init, signal: signal ? AbortSignal.any([signal, slow.signal]) : slow.signal });
      if (isJSON(response)) await response.clone().arrayBuffer(); // throws if the connection is lost in the middle of the answer
      return response;
    } finally {
      clearTimeout(timer);
    }
  }
}

function isJSON(response: Response): boolean {
  return response.headers.get("Content-Type")?.startsWith("application/json") ?? false;
}

/**
 * Reports whether an answer is not that of the API, such as the page of a proxy that asks to sign in. The
 * API's own answers have an id, also those with the HTML files of traders.
 */
function isForeign(response: Response): boolean {
  return (response.headers.get("Content-Type")?.startsWith("text/html") ?? false) && !response.headers.has("X-Request-Id");
}

async function read<T>(response: Response): Promise<T> {
  if (isJSON(response)) return (await response.json()) as T;
  return (response.status === 204 ? undefined : response) as T;
}

/** Puts the values into the places of the path. fetch removes dots, which would call another operation. */
function fillPath(path: string, values: object = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = (values as Record<string, unknown>)[name];
    const text = String(value ?? "");
    if (["", ".", ".."].includes(text)) throw new TypeError(`${path} needs a value for ${name}`);
    return encodeURIComponent(text);
  });
}

function encodeQuery(query: object = {}): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) text.set(name, value instanceof Date ? value.toISOString() : String(value));
  }
  return text.size > 0 ? `?${text}` : "";
}

/** Returns what is sent, with the type that fetch does not set. */
function encodeBody(body: unknown): { body?: BodyInit; type?: Record<string, string> } {
  if (body === undefined) return {};
  if (body instanceof FormData) return { body };
  if (typeof body === "string" || body instanceof Blob || body instanceof ArrayBuffer || ArrayBuffer.isView(body)) {
    return { body: body as BodyInit, type: { "Content-Type": "text/csv" } };
  }
  return { body: JSON.stringify(body), type: { "Content-Type": "application/json" } };
}
