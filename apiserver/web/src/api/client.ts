import createClient from "openapi-fetch";

import { parseExactly } from "../ui/exact";
import { nameOnce } from "./once";
import type { components, paths } from "./schema";

/** A type of the API's document, such as Schema<"Trader">. */
export type Schema<N extends keyof components["schemas"]> = components["schemas"][N];

/** What is wrong with one member, parameter or header of a request. */
export interface Fault {
  pointer?: string;
  parameter?: string;
  header?: string;
  code: string;
  detail: string;
}

/** A refusal of the server (RFC 9457), or the lack of an answer: status 0, code "offline". */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly errors: Fault[];
  /** What to name when asking somebody about it; empty: there was no answer. */
  readonly requestId: string;
  /** Seconds to wait before another try; null: the server does not say. */
  readonly retryAfter: number | null;
  /** The organizations to choose from (code "organization_required"). */
  readonly organizations: string[];
  /** The integration that is there already (code "integration_exists"); empty otherwise. */
  readonly integrationId: string;

  constructor(status: number, code: string, told: Record<string, unknown> = {}, headers = new Headers()) {
    const text = (name: string) => (typeof told[name] === "string" ? told[name] : "");
    super(text("detail") || text("title") || code);
    this.status = status;
    this.code = code;
    this.title = text("title");
    this.detail = text("detail");
    this.errors = Array.isArray(told.errors) ? (told.errors as Fault[]) : [];
    this.requestId = text("request_id") || (headers.get("X-Request-Id") ?? "");
    this.retryAfter = Number(headers.get("Retry-After")) || null;
    this.organizations = Array.isArray(told.organizations) ? (told.organizations as string[]) : [];
    this.integrationId = text("integration_id");
  }

  /** What is wrong with the member that the JSON pointer names, such as "#/name", or with what lies in it; empty: nothing. */
  fault(pointer: string): string {
    const about = this.errors.filter((e) => e.pointer === pointer || e.pointer?.startsWith(`${pointer}/`));
    return about.map((e) => e.detail).join(" ");
  }
}

/** Anything that was thrown, as a Problem. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  console.error(thrown);
  return new Problem(0, "page_error", { detail: String(thrown) });
}

/** As problemOf, of what was thrown while an answer was awaited or read: fetch throws a TypeError when there is none, or none to the end. */
export function lossOf(thrown: unknown): Problem {
  return thrown instanceof TypeError || thrown instanceof DOMException ? new Problem(0, "offline") : problemOf(thrown);
}

/** Whose requests these are. The session sets it (dashboard/session.svelte.ts). */
export const credentials = {
  /** Goes with every change. */
  csrf: "",
  /** Reads the session anew, whose token another tab may have replaced, and returns whether it is still the same person's. */
  renew: async (): Promise<boolean> => true,
  /** The server knows no session any more. */
  ended: (_problem: Problem): void => {},
  /** The server asks for a new password before anything else. */
  passwordRequired: (): void => {},
};

async function codeOf(answer: Response): Promise<string> {
  try {
    return ((await answer.clone().json()) as { code?: string }).code ?? "";
  } catch {
    return "";
  }
}

/** What was asked for before the page that shows it was there, by address. */
const asked = new Map<string, Promise<Response | undefined>>();

/** How long such an answer may wait to be read, in milliseconds. */
const fresh = 5_000;

/** Asks at once for what the page at the address is about to read. */
export function readAhead(address: string): void {
  const answer = fetch(address, { cache: "no-store" }).catch(() => undefined);
  asked.set(address, answer);
  void answer.then(() => setTimeout(() => asked.delete(address), fresh));
}

/** Reads, or takes what was asked for already. */
async function read(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const ahead = asked.get(pathname + search);
  asked.delete(pathname + search);
  const answer = await ahead;
  return answer?.ok ? answer : fetch(request);
}

/** Sends a request of this page with its CSRF token; once more when the token was an old one, but not in the name of somebody else who has signed in meanwhile. */
export async function send(request: Request): Promise<Response> {
  if (request.method === "GET") return read(request);
  if (request.method === "HEAD") return fetch(request);
  const again = request.clone();
  request.headers.set("X-CSRF-Token", credentials.csrf);
  const answer = await fetch(request);
  if (answer.status !== 403 || (await codeOf(answer)) !== "csrf_failed") return answer;
  if (!(await credentials.renew())) return answer;
  again.headers.set("X-CSRF-Token", credentials.csrf);
  return fetch(again);
}

/** Sends a request under its Idempotency-Key. The answer's json() keeps the digits of numbers that JavaScript would round. */
async function sendExactly(request: Request): Promise<Response> {
  const answered = await nameOnce(request);
  const answer = await send(request);
  if (!answer.ok || !answer.headers.get("Content-Type")?.includes("json")) {
    answered(answer.status);
    return answer;
  }
  // openapi-fetch parses an answer without a length by itself, and a proxy may take the length away.
  const headers = new Headers(answer.headers);
  if (!headers.has("Content-Length")) headers.set("Content-Length", "unknown");
  const json = async () => {
    const text = await answer.text();
    answered(answer.status);
    return parseExactly(text);
  };
  return Object.defineProperties(answer, { headers: { value: headers }, json: { value: json } });
}

/** The routes of this origin, typed by the API's document: await call(api.GET("/v1/traders", …)). */
export const api = createClient<paths>({ credentials: "same-origin", cache: "no-store", fetch: sendExactly });

interface Answered {
  data?: unknown;
  error?: unknown;
  response: Response;
}

/** The body of an answer of success; throws a Problem for any other. */
export async function call<A extends Answered>(answer: Promise<A>): Promise<NonNullable<A["data"]>> {
  let a: A;
  try {
    a = await answer;
  } catch (thrown) {
    throw lossOf(thrown);
  }
  if (a.response.ok) return a.data as NonNullable<A["data"]>;
  throw refusal(a.response, a.error);
}

/** What was read, with the tag that says whether it is still the same when it is changed (the header If-Match). */
export interface Tagged<T> {
  value: T;
  tag: string;
}

/** As call, with the answer's entity tag. */
export async function callTagged<A extends Answered>(answer: Promise<A>): Promise<Tagged<NonNullable<A["data"]>>> {
  const value = await call(answer);
  return { value, tag: (await answer).response.headers.get("ETag") ?? "" };
}

/** The Problem of an answer with its body, of which the session learns too. */
export function refusal(response: Response, body: unknown): Problem {
  const told = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  const problem = new Problem(response.status, typeof told.code === "string" ? told.code : `http_${response.status}`, told, response.headers);
  if (problem.status === 401 && problem.code !== "invalid_credentials") credentials.ended(problem);
  if (problem.code === "password_change_required") credentials.passwordRequired();
  return problem;
}
