// The generated client, and what the walk asks of its answers.
import assert from "node:assert/strict";

import { createWithHeaders, createWithKey, type API } from "./create.js";
import type { components } from "./schema.js";

export { called, type API } from "./create.js";
export type Problem = components["schemas"]["Problem"];

function setting(name: string): string {
  const value = process.env[name];
  assert(value, `${name} is not set`);
  return value;
}

export const settings = {
  url: setting("WALK_URL"), // of the API, or of a proxy that lets only valid requests through
  faultyURL: setting("WALK_FAULTY_URL"), // for requests that break the document
  publicURL: setting("WALK_PUBLIC_URL"), // what the API calls itself
  key: setting("WALK_KEY"), // holds every scope
  narrowKey: setting("WALK_NARROW_KEY"), // another organization's; may read traders
  integration: setting("WALK_INTEGRATION"), // has been synced
  platform: setting("WALK_PLATFORM"), // to be connected
  platformKey: setting("WALK_PLATFORM_KEY"),
  hook: setting("WALK_HOOK"), // takes webhooks
};

/** A client with the key, if there is one. */
export function client(key: string | undefined, baseUrl = settings.url): API {
  return key ? createWithKey(baseUrl, key) : createWithHeaders(baseUrl, {});
}

/** A client in the session whose cookie the answer sets. */
export function signedIn(response: Response, csrfToken: string): API {
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0];
  assert(cookie, "there is no cookie");
  return createWithHeaders(settings.url, { Cookie: cookie, "X-CSRF-Token": csrfToken });
}

interface Result<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The body of a success with the status. */
export function answered<T>(result: Result<T>, status = 200): T {
  assert.equal(result.response.status, status, `${result.response.url}: ${JSON.stringify(result.error ?? result.data)}`);
  assert.match(result.response.headers.get("X-Request-Id") ?? "", /^[A-Za-z0-9._-]{8,128}$/);
  return result.data as T;
}

/** The problem document of a refusal with the status and the code. */
export function refused(result: { data?: unknown; error?: Problem; response: Response }, status: number, code: string): Problem {
  const { error, response } = result;
  assert.equal(response.status, status, `${response.url}: ${JSON.stringify(error ?? result.data)}`);
  assert(error, "there is no problem document");
  assert.match(response.headers.get("Content-Type") ?? "", /^application\/problem\+json/);
  assert.equal(error.code, code);
  assert.equal(error.status, status);
  assert.equal(error.type, `${settings.publicURL}/problems/${code}`);
  assert.equal(error.request_id, response.headers.get("X-Request-Id"));
  return error;
}

/** The parameters of the link with the relation, if there is one. */
export function linked(response: Response, relation: string): URLSearchParams | undefined {
  for (const link of (response.headers.get("Link") ?? "").split(", ")) {
    const parts = /^<([^>]+)>; rel="([a-z]+)"$/.exec(link);
    if (parts?.[1] && parts[2] === relation) return new URL(parts[1]).searchParams;
  }
  return undefined;
}
