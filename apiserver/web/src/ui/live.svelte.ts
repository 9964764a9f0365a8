// What has changed on the server, from one stream of server-sent events for all
// tabs of this browser: browsers open six connections to a server and no more.
import { untrack } from "svelte";

export type Topic = "integrations" | "traders" | "interviews" | "webhooks" | "api_keys" | "users" | "audit";

/** What happened: a change of something of the topic (id null: of several), or everything may have changed meanwhile. */
export type News = { topic: Topic; id: string | null } | "everything";

const address = "/v1/stream";
const name = "assay-stream";

/** Between two tries to reach the stream, in milliseconds. */
const shortestPause = 2_000;
const longestPause = 60_000;

/** News within this time is announced once, in milliseconds. */
const gathering = 1_000;

/** Whoever opens the stream later than this after the page, in milliseconds, looks at everything again. */
const prompt = 2_000;

interface Interest {
  /** The one object that matters; absent: all of the topics. */
  id?: () => string;
  /** The least time between two calls, in milliseconds: longer where much is read anew. */
  every?: number;
  /** Whether news waits, such as while rows are selected that it might move away. */
  held?: () => boolean;
}

const listeners = new Set<(news: News) => void>();
const channel = new BroadcastChannel(name);
channel.onmessage = (message: MessageEvent<News>) => spread(message.data);

function spread(news: News): void {
  for (const listener of listeners) listener(news);
}

/** Tells this tab and the others. */
function announce(news: News): void {
  spread(news);
  channel.postMessage(news);
}

/** Reads the stream until stop; again after a pause when it breaks off. lost is called whenever it does. */
function read(lost: () => void): () => void {
  let stream: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pause = shortestPause;
  // What a page shows when it is opened was read before the stream is there.
  let missed = performance.now() > prompt;
  const open = () => {
    timer = undefined;
    stream = new EventSource(address);
    stream.addEventListener("ready", () => {
      pause = shortestPause;
      if (missed) announce("everything");
      missed = false;
    });
    stream.addEventListener("change", (event) => announce(JSON.parse((event as MessageEvent<string>).data) as News));
    stream.onerror = () => {
      // The browser's own tries are too frequent, and end with the first refusal.
      stream?.close();
      missed = true;
      timer = setTimeout(open, pause * (0.75 + Math.random() / 2));
      pause = Math.min(pause * 2, longestPause);
      lost();
    };
  };
  // A network that is back ends a pause, which may be long by then.
  const hurry = () => {
    if (timer === undefined) return;
    clearTimeout(timer);
    open();
  };
  addEventListener("online", hurry);
  open();
  return () => {
    removeEventListener("online", hurry);
    stream?.close();
    clearTimeout(timer);
  };
}

/**
 * Follows the stream in one of the tabs that call it, the others receive it from there.
 * The function that it returns ends that. lost is called in the reading tab when the stream breaks off.
 */
export function follow(lost: () => void): () => void {
  const end = new AbortController();
  const reading = () =>
    new Promise<void>((done) => {
      if (end.signal.aborted) return done();
      const stop = read(lost);
      end.signal.addEventListener("abort", () => {
        stop();
        done();
      });
    });
  navigator.locks.request(name, { signal: end.signal }, reading).catch(() => {}); // ended while another tab read
  return () => end.abort();
}

/**
 * Calls fn when something of the topics has changed, at most once a second unless
 * every says otherwise, and not before the tab is looked at and nothing holds it. Call it while a component is made.
 */
export function onLive(topics: Topic[], fn: () => void, { id, every = gathering, held }: Interest = {}): void {
  $effect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let waiting = false;
    const run = () => {
      timer = undefined;
      if (document.hidden || untrack(() => held?.())) return;
      waiting = false;
      fn();
    };
    const receive = (news: News) => {
      if (news !== "everything" && (!topics.includes(news.topic) || (id && news.id !== null && news.id !== id()))) return;
      waiting = true;
      timer ??= setTimeout(run, every);
    };
    const looked = () => {
      if (!document.hidden && waiting) timer ??= setTimeout(run, 0);
    };
    $effect(() => {
      if (!held?.()) looked();
    });
    listeners.add(receive);
    document.addEventListener("visibilitychange", looked);
    return () => {
      listeners.delete(receive);
      document.removeEventListener("visibilitychange", looked);
      clearTimeout(timer);
    };
  });
}
