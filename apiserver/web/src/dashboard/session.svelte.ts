import { api, call, credentials, Problem, problemOf, type Schema } from "../api/client";
import { explain } from "../ui/explain";
import { forgetDrafts } from "./drafts.svelte";
import { setQuery } from "./router.svelte";
import type { Scope } from "./routes";

type Session = Schema<"Session">;

let current = $state.raw<Session | null>(null);
let known = $state(false);
let why = $state<"expired" | null>(null);
let trouble = $state.raw<Problem | null>(null);
let leaving = $state(false);
/** Who signed in last, whose drafts are kept. */
let writer: string | null = null;
/**
 * Tells the other tabs that the session is another one, which they may have found ended before its cookie was there, or
 * that the reader has signed out, who then leaves nothing behind in them either.
 */
const tabs = new BroadcastChannel("session");
tabs.onmessage = ({ data }: MessageEvent<"begun" | "left">) => {
  if (data === "left") end(null);
  else void readSession();
};

/** Who has signed in. */
export const session = {
  /** Null: nobody has, or it is not known yet. Of a session that has expired, it stays, with the page and what is written on it. */
  get value(): Session | null {
    return current;
  },
  /** Whether the server has been asked. */
  get known(): boolean {
    return known;
  },
  /** Why the reader has to sign in again; null: for the first time. */
  get ended(): "expired" | null {
    return why;
  },
  /** Whether the session is being ended: what runs in it has to stop by itself. */
  get leaving(): boolean {
    return leaving;
  },
  /** Why it could not be asked; null: it could. */
  get problem(): Problem | null {
    return trouble;
  },
};

/** Whether the person's role allows it. Hide what it does not. */
export function can(scope: Scope): boolean {
  return current?.scopes.includes(scope) ?? false;
}

function begin(s: Session): void {
  if (s.user.id !== writer) {
    forgetDrafts();
    if (writer !== null) setQuery({ new: null }, { replace: true }); // the dialog of whom was here before
  }
  writer = s.user.id;
  current = s;
  known = true;
  why = null;
  credentials.csrf = s.csrf_token;
}

function end(reason: "expired" | null): void {
  if (reason === null) {
    forgetDrafts();
    current = null;
  }
  known = true;
  why = reason;
  credentials.csrf = "";
}

let retry: ReturnType<typeof setTimeout> | undefined;

/** Asks the server who has signed in, again and again while it does not answer. */
export async function readSession(): Promise<void> {
  clearTimeout(retry);
  try {
    begin(await call(api.GET("/session")));
    trouble = null;
  } catch (thrown) {
    const problem = problemOf(thrown);
    trouble = problem.status === 401 ? null : problem;
    if (trouble && explain(trouble).temporary) retry = setTimeout(() => void readSession(), 1000 * (trouble.retryAfter ?? 5));
  }
}

/** The server is not asked: the reader is about to sign in. */
export function startWithoutSession(): void {
  end(null);
}

export async function signIn(body: { email: string; password: string; organization?: string }): Promise<void> {
  begin(await call(api.POST("/session", { body })));
  tabs.postMessage("begun");
}

export async function signOut(everywhere = false): Promise<void> {
  await whileLeaving(async () => {
    await call(api.DELETE("/session", everywhere ? { params: { query: { everywhere: "true" } } } : {}));
    end(null);
    tabs.postMessage("left");
  });
}

export async function changePassword(body: { current_password: string; new_password: string }): Promise<void> {
  await whileLeaving(async () => begin(await call(api.PUT("/session/password", { body }))));
  tabs.postMessage("begun");
}

async function whileLeaving(act: () => Promise<void>): Promise<void> {
  leaving = true;
  try {
    await act();
  } finally {
    leaving = false;
  }
}

credentials.renew = async () => {
  const before = current?.user.id;
  await readSession();
  return why === null && current?.user.id === before;
};
credentials.ended = () => end(current === null ? null : "expired");
credentials.passwordRequired = () => {
  if (current && !current.password_change_required) void readSession();
};
