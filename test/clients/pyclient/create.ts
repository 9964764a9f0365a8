// The client that walks: Python's, behind a process that calls what it reads and writes what was
// answered. What has no key, such as a browser's session, is not its business and stays openapi-fetch's.
import { spawn } from "node:child_process";
import fs from "node:fs";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";

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

type Operations = Record<string, Record<string, { operationId: string; tags: string[] }>>;
const operations = (JSON.parse(fs.readFileSync("openapi.json", "utf8")) as { paths: Operations }).paths;

const python = spawn("python3", ["bridge.py"], { stdio: ["pipe", "pipe", "inherit"] });
const pipes = [python.stdin, python.stdout] as unknown as Socket[]; // which keep Node alive while an answer is due
python.unref();
for (const pipe of pipes) pipe.unref();
const answers = createInterface(python.stdout)[Symbol.asyncIterator]();

interface Reply {
  data?: unknown;
  file?: string; // in base64
  error?: unknown;
  status: number;
  headers: [string, string][];
}

async function ask(question: object): Promise<Reply> {
  for (const pipe of pipes) pipe.ref();
  python.stdin.write(JSON.stringify(question) + "\n");
  const { value, done } = await answers.next();
  for (const pipe of pipes) pipe.unref();
  if (done) throw new Error("the bridge has ended");
  return JSON.parse(value) as Reply;
}

/** What the walk gives to a call of openapi-fetch. */
interface Given {
  params?: { path?: Record<string, string>; query?: object; header?: Record<string, string> };
  headers?: Record<string, string>;
  body?: unknown;
  bodySerializer?: (body: unknown) => unknown;
  parseAs?: string;
}

/** A form in JSON. */
async function writeForm(form: FormData) {
  const upload: { upload: { name: string; text: string; fields: Record<string, string> } } = { upload: { name: "", text: "", fields: {} } };
  for (const [name, value] of form) {
    if (typeof value === "string") upload.upload.fields[name] = value;
    else [upload.upload.name, upload.upload.text] = [value.name, await value.text()];
  }
  return upload;
}

/** A file as the walk wants it. */
function readFile(text: string, as: string | undefined) {
  const bytes = Buffer.from(text, "base64");
  return as === "arrayBuffer" ? new Uint8Array(bytes).buffer : bytes.toString();
}

export function createWithKey(url: string, key: string): API {
  const rest = createWithHeaders(url, { Authorization: `Bearer ${key}` }) as unknown as Record<string, (path: string, given: Given) => Promise<unknown>>;
  const call =
    (method: string) =>
    async (path: string, given: Given = {}) => {
      const operation = operations[path]?.[method.toLowerCase()];
      if (!operation || operation.tags.includes("Document")) return rest[method]!(path, given);
      called.add(`${method} ${path}`);
      const { params = {}, headers, body, bodySerializer } = given;
      const sent = bodySerializer ? bodySerializer(body) : body;
      const reply = await ask({
        url,
        key,
        operation: operation.operationId,
        path: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => params.path?.[name!]),
        query: params.query ?? {},
        headers: { ...params.header, ...headers },
        ...(sent !== undefined && { body: sent instanceof FormData ? await writeForm(sent) : sent }),
      });
      const response = { status: reply.status, headers: new Headers(reply.headers), url: url + path };
      if (reply.file !== undefined) return { data: readFile(reply.file, given.parseAs), response };
      return "error" in reply ? { error: reply.error, response } : { data: reply.data ?? undefined, response };
    };
  return { GET: call("GET"), POST: call("POST"), PUT: call("PUT"), PATCH: call("PATCH"), DELETE: call("DELETE") } as unknown as API;
}
