// The way back of a connection that was lost.

/** Pauses between two tries to reach the server, in milliseconds; the last one is repeated. */
const pauses = [1_000, 2_000, 4_000, 8_000, 15_000];

/** Resolves after a pause, or as soon as the browser has a network again. */
function nextTry(pause: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      resolve();
    };
    const timer = setTimeout(end, pause);
    addEventListener("online", end);
  });
}

async function isReachable(): Promise<boolean> {
  try {
    const answer = await fetch(location.pathname, { method: "HEAD", cache: "no-store", headers: { Accept: "text/html" } });
    return answer.status < 500; // a proxy answers for a server that is away
  } catch {
    return false;
  }
}

async function waitForServer(): Promise<void> {
  for (let n = 0; ; n++) {
    await nextTry(pauses[Math.min(n, pauses.length - 1)]!);
    if (await isReachable()) return;
  }
}

/** One for all that wait. */
let waiting: Promise<void> | undefined;

/** Resolves once the server can be reached again, not before a short pause. */
export function reconnected(): Promise<void> {
  return (waiting ??= waitForServer().finally(() => (waiting = undefined)));
}
