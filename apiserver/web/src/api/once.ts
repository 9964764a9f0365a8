// A change whose answer is lost may have been made. It is sent again under the same
// Idempotency-Key, so that the server makes it once.

/** How long a lost change is remembered, in milliseconds: later, the same change is meant anew. */
const remembered = 10 * 60_000;

/** The keys of changes without an answer, by address and body. */
const lost = new Map<string, { key: string; until: number }>();

/**
 * Gives a POST its Idempotency-Key: that of the same change before if it had no answer. Returns what is
 * called when there is an answer, with its status.
 */
export async function nameOnce(request: Request): Promise<(status: number) => void> {
  const { pathname, search } = new URL(request.url);
  if (request.method !== "POST" || !pathname.startsWith("/v1/") || request.headers.has("Idempotency-Key")) return () => {};
  const what = `${pathname}${search} ${await request.clone().text()}`;
  const now = Date.now();
  for (const [name, { until }] of lost) if (until < now) lost.delete(name);
  const { key } = lost.get(what) ?? { key: crypto.randomUUID() };
  lost.set(what, { key, until: now + remembered });
  request.headers.set("Idempotency-Key", key);
  return (status) => {
    // Some other refusals come from a proxy, or while the server still works on the first request.
    if (status < 300 || status === 422) lost.delete(what);
  };
}
