import type { components } from "./schema.js";

/** What is wrong with one value of a request. */
export type Fault = components["schemas"]["Fault"];

type Document = components["schemas"]["Problem"];

/** A refusal of the server. Its code says which; see /docs on each server. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly requestID: string;
  /** Every invalid value of the request. */
  readonly faults: Fault[];

  constructor(
    /** The problem document, with the members that belong to its code. */
    readonly document: Partial<Document>,
    /** The response, whose body has been read. */
    readonly response: Response,
  ) {
    const { code, title, status, detail, errors = [], request_id } = document;
    const requestID = request_id ?? response.headers.get("X-Request-Id") ?? "";
    const reference = `${status ?? response.status}${requestID && `, request ${requestID}`}`; // by which the server's log finds it
    const lines = [`${code || title || response.statusText} (${reference})${detail ? `: ${detail}` : ""}`];
    for (const fault of errors) lines.push(`  ${fault.pointer ?? fault.parameter ?? fault.header ?? "request"}: ${fault.detail}`);
    super(lines.join("\n"));
    this.code = code ?? "";
    this.status = status ?? response.status;
    this.detail = detail ?? "";
    this.requestID = requestID;
    this.faults = errors;
  }
}

/** Reports whether a response is a problem document of the API. */
export function isProblem(response: Response): boolean {
  return response.headers.get("Content-Type")?.startsWith("application/problem+json") ?? false;
}

/** Reads a refusal. What is not a problem document, such as a proxy's page, becomes one without a code. */
export async function readProblem(response: Response): Promise<Problem> {
  const text = await response.text();
  if (isProblem(response)) {
    try {
      return new Problem(JSON.parse(text) as Document, response);
    } catch {
      // It has been cut off, and is described like any other page.
    }
  }
  return new Problem({ detail: `${explain(response.status)} ${response.url}` }, response);
}

/** Says what an answer is that is not one of the API. */
function explain(status: number): string {
  if (status === 304) return "The object has not been modified:";
  if (status >= 500 || status === 413) return "A proxy in front of assay has answered:";
  return "The answer is not one of assay's API. Check the server's URL:";
}
