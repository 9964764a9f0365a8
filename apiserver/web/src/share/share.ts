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

export class Gone extends Error {}

async function call<T>(method: string, path: string): Promise<T> {
  const answer = await fetch(`${location.pathname.replace(/\/+$/, "")}/${path}`, { method, cache: "no-store" });
  if (answer.status === 404 || answer.status === 410) throw new Gone();
  if (!answer.ok) throw new Error(`The server answered ${answer.status}. Try again in a moment.`);
  return parseExactly(await answer.text()) as T;
}

export const read = () => call<SharedReport>("GET", "report");
export const sign = () => call<Playback>("POST", "playback");
