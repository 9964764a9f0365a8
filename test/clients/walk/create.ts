// The client that walks: openapi-fetch, with types that are generated from the document.
import createClient, { type Client, type Middleware } from "openapi-fetch";

import type { paths } from "./schema.js";

export type API = Client<paths>;

/** The operations that were called, as "GET /v1/traders". */
export const called = new Set<string>();

const note: Middleware = {
  onRequest({ request, schemaPath }) {
    called.add(`${request.method} ${schemaPath}`);
  },
};

/** A client that sends the headers. */
export function createWithHeaders(baseUrl: string, headers: Record<string, string>): API {
  const api = createClient<paths>({ baseUrl, headers });
  api.use(note);
  return api;
}

/** A client that sends the key. */
export function createWithKey(baseUrl: string, key: string): API {
  return createWithHeaders(baseUrl, { Authorization: `Bearer ${key}` });
}
