import { isProblem } from "./problem.js";

// Pauses before a request is sent again, unless the server says how long, in milliseconds: up to
// firstPause, then twice as long each time, up to longestPause.
export const firstPause = 500;
const longestPause = 10_000;

/** Longer than the server takes for any request, which is 150 seconds for an upload, in milliseconds. */
export const slowestAnswer = 180_000;

export interface RetryPolicy {
  /** How often a request is sent again. */
  retries: number;
  /** How long the client waits at most, in milliseconds. */
  longestWait: number;
}

/**
 * Sends a request of the method until there is an answer that another attempt would not change. Each request
 * may be repeated: a POST has an Idempotency-Key, and the API's other methods leave the same state when they
 * are carried out twice. A conditional request, which has If-Match, is not repeated if it may have been carried
 * out: the second attempt would be refused because of what the first has changed. For the same reason, the 404
 * of a DELETE that is repeated is its success.
 */
export async function retry(policy: RetryPolicy, method: string, conditional: boolean, signal: AbortSignal | undefined, send: () => Promise<Response>): Promise<Response> {
  const deadline = Date.now() + slowestAnswer;
  let uncertain = false;
  for (let attempt = 0; ; attempt++) {
    let response: Response | undefined;
    let failure: unknown;
    try {
      response = await send();
    } catch (err) {
      failure = err;
    }
    if (uncertain && method === "delete" && response?.status === 404 && isProblem(response)) {
      await response.body?.cancel();
      return new Response(null, { status: 204, headers: response.headers });
    }
    if (isInProgress(response) && Date.now() < deadline) attempt = 0; // nothing has failed: the server is carrying out an earlier attempt
    uncertain ||= isUncertain(response);
    const pause = attempt < policy.retries && !signal?.aborted && !isOfCertificate(failure) && !(conditional && isUncertain(response)) ? pauseAfter(attempt, response, policy.longestWait) : undefined;
    if (pause === undefined) {
      if (response) return response;
      throw failure;
    }
    await response?.body?.cancel();
    await sleep(pause, signal);
  }
}

/** Reports whether fetch of Node, Bun or Deno has refused the server's certificate, which another attempt would not change. */
function isOfCertificate(failure: unknown): boolean {
  const causes = [failure, (failure as { cause?: unknown } | undefined)?.cause] as ({ code?: unknown; message?: unknown } | undefined)[];
  return causes.some((err) => /CERT|VERIFY_LEAF_SIGNATURE|HOSTNAME_MISMATCH/.test(String(err?.code)) || /invalid peer certificate/.test(String(err?.message)));
}

/**
 * Reports whether the server may have carried out a request that got this answer, or none. A connection that was
 * refused counts, too, because browsers do not tell it from one that was lost.
 */
function isUncertain(response: Response | undefined): boolean {
  return !response || response.status === 502 || response.status === 504;
}

/**
 * Reports whether the server is carrying out another request with the same Idempotency-Key. Only that conflict
 * says how long to wait.
 */
function isInProgress(response: Response | undefined): boolean {
  return response?.status === 409 && response.headers.has("Retry-After");
}

/** Returns how long to wait before the next attempt, or undefined if there is none. */
function pauseAfter(attempt: number, response: Response | undefined, longestWait: number): number | undefined {
  const pause = Math.random() * Math.min(firstPause * 2 ** attempt, longestPause); // spreads clients
  if (!response) return pause;
  if (![429, 502, 503, 504].includes(response.status) && !isInProgress(response)) return undefined;
  const asked = retryAfter(response, Date.now());
  return asked <= longestWait ? asked + pause : undefined;
}

/** Reads how long the server asks to wait, in milliseconds. */
function retryAfter(response: Response, now: number): number {
  const value = response.headers.get("Retry-After") ?? "";
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? 0 : Math.max(at - now, 0);
}

/** Waits, or throws the reason of the signal. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
