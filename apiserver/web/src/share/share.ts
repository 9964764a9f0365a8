import { type ClaimCheck, type Finding, type Playback, type Recorded, type Transcript } from "../review/report";
import { parseExactly } from "../ui/exact";

/** GET /s/{token}/report: what whoever has the link may see. */
export interface SharedReport {
  firm: string;
  trader: { full_name: string; email: string | null };
  status: string;
  language: string;
  created_at: string;
  submitted_at: string | null;
  expires_at: string;
  /** Null when it is not shared, or there is none. */
  decision: { value: "approved" | "rejected" | "needs_review"; reason: string | null; decided_at: string } | null;
  questions: { id: string; prompt: string }[];
  /** Null until the first report is there. */
  report: { summary: string; attention_level: string; findings: Finding[]; claim_checks: ClaimCheck[]; data_gaps: string[]; disclaimer: string; generated_at: string } | null;
  transcript: Transcript | null;
  /** Null: there is nothing to play. */
  recording: Recorded | null;
}

export class Gone extends Error {
  readonly status = 410;

  constructor() {
    super("The link has expired or was revoked.");
  }
}

/** The server did not answer, or not now. */
export class Away extends Error {
  /** After how many seconds to ask again. */
  readonly pause: number;

  constructor(message: string, pause = 5) {
    super(message);
    this.pause = pause;
  }
}

async function call<T>(method: string, path: string): Promise<{ value: T; date: string | null }> {
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(`${location.pathname.replace(/\/+$/, "")}/${path}`, { method, cache: "no-store" });
    text = await answer.text();
  } catch {
    throw new Away("There is no connection to the server. Check your network.");
  }
  const { status } = answer;
  if (status === 404 || status === 410) throw new Gone();
  if (status === 408 || status === 429 || status >= 500) throw new Away(`The server answered ${status}.`, Number(answer.headers.get("Retry-After")) || undefined);
  if (!answer.ok) throw new Error(`The server answered ${status}.`);
  return { value: parseExactly(text) as T, date: answer.headers.get("Date") };
}

/** Reads the report. While the server is away, it calls onAway and reads again. */
export async function read(onAway: (err: Away) => void = () => {}): Promise<SharedReport> {
  for (;;) {
    try {
      return (await call<SharedReport>("GET", "report")).value;
    } catch (err) {
      if (!(err instanceof Away)) throw err;
      onAway(err);
      await new Promise((done) => setTimeout(done, 1000 * err.pause));
    }
  }
}

export async function sign(): Promise<Playback> {
  const { value, date } = await call<Omit<Playback, "answered_at">>("POST", "playback");
  return { ...value, answered_at: date };
}
