// The client that walks: @assay/client. What has no key, such as a browser's session, is not its
// business and stays openapi-fetch's.
import { Assay, Problem, type Method } from "@assay/client";
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

export function createWithHeaders(baseUrl: string, headers: Record<string, string>): API {
  const api = createClient<paths>({ baseUrl, headers });
  api.use(note);
  return api;
}

/** What the walk gives to a call of openapi-fetch. */
interface Given {
  params?: { path?: object; query?: object; header?: Record<string, string> };
  headers?: Record<string, string>;
  body?: unknown;
  bodySerializer?: (body: unknown) => unknown;
  parseAs?: "text" | "blob" | "arrayBuffer";
}

type Exchange = (method: Method, path: string, options: object) => Promise<{ data: unknown; response: Response }>;

export function createWithKey(url: string, key: string): API {
  const assay = new Assay({ url, key });
  const exchange = assay.exchange.bind(assay) as unknown as Exchange; // the walk has types of its own
  const call =
    (method: Method) =>
    async (path: string, { params = {}, headers, body, bodySerializer, parseAs }: Given = {}) => {
      called.add(`${method.toUpperCase()} ${path}`);
      const options = { path: params.path, query: params.query, headers: { ...params.header, ...headers }, body: bodySerializer ? bodySerializer(body) : body };
      try {
        const { data, response } = await exchange(method, path, options);
        return { data: parseAs && data instanceof Response ? await data[parseAs]() : data, response };
      } catch (err) {
        if (err instanceof Problem) return { error: err.document, response: err.response };
        throw err;
      }
    };
  return { GET: call("get"), POST: call("post"), PUT: call("put"), PATCH: call("patch"), DELETE: call("delete") } as unknown as API;
}
