import { createSubscriber } from "svelte/reactivity";

function ticking(everyMs: number): () => number {
  const subscribe = createSubscriber((update) => {
    const timer = setInterval(update, everyMs);
    return () => clearInterval(timer);
  });
  return () => {
    subscribe();
    return Date.now();
  };
}

/** The time in milliseconds since 1970; what reads it while it renders does so again every ten seconds. */
export const now = ticking(10_000);

/** As now, every second: for what is counted in seconds. */
export const nowInSeconds = ticking(1_000);
