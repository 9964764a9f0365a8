// Exports of long lists, written to a file while they arrive, so that their progress can be told and
// a page needs little memory for any number of rows.
import { lossOf, refusal } from "../../api/client";
import { reconnected } from "../../api/connection";
import { explain } from "../../ui/explain";
import { count, counted } from "../../ui/format";

/** From how many rows an export tells its progress: a shorter one is there at once. */
const long = 10_000;

/** An export that goes on or has ended. */
export interface Job {
  /** What is exported, such as "traders". */
  what: string;
  /** How many rows the list had when the export began. */
  total: number;
  rows: number;
  state: "running" | "waiting" | "done" | "cut";
  /** Why it was cut. */
  why: string;
  /** Whether a file without rows is left, because the browser could not remove it. */
  empty: boolean;
  stop: () => void;
}

/** The exports of this page, the newest first. */
export const jobs = $state<Job[]>([]);

/** Stops all exports and forgets them. */
export function endExports(): void {
  for (const job of jobs) job.stop();
  jobs.length = 0;
}

/** The state of an export in a sentence. */
export function sentence(job: Job): string {
  const so = `${count(job.rows)} of ${counted(job.total, "row")}`;
  if (job.state === "running") return `Exporting ${job.what}: ${so}`;
  if (job.state === "waiting") return `The export of ${job.what} was interrupted after ${so}. It starts over when the connection is back.`;
  if (job.state === "done") return `Exported ${job.what}: ${counted(job.rows, "row")}.`;
  return `The export of ${job.what} was cut off after ${so}, and ${job.empty ? "the file is empty" : "no file was written"}. ${job.why}`.trim();
}

const quote = 0x22;
const lineEnd = 0x0a;

/** Counts the lines of CSV that pass, but not those within a cell. */
export function counter(): (bytes: Uint8Array) => number {
  let lines = 0;
  let within = false;
  return (bytes) => {
    for (const byte of bytes) {
      if (byte === quote) within = !within;
      else if (byte === lineEnd && !within) lines++;
    }
    return lines;
  };
}

/** How often an export starts over that breaks off. */
const restarts = 3;

/** Where an export goes. close makes the file. Whoever chooses a file has emptied it already: abort leaves it so, and remove deletes it. */
interface Target extends Pick<FileSystemWritableFileStream, "write" | "truncate" | "close" | "abort"> {
  remove: () => Promise<void>;
}

interface Handle {
  createWritable: () => Promise<FileSystemWritableFileStream>;
  /** Browsers that can write files need not have it. */
  remove?: () => Promise<void>;
}

type Picker = (options: { suggestedName: string; types: { accept: Record<string, string[]> }[] }) => Promise<Handle>;
const picker = () => (globalThis as { showSaveFilePicker?: Picker }).showSaveFilePicker;

/** Whether an export of so many rows is written here, and not by the browser's own download. */
export const writesHere = (total: number) => total >= long && picker() !== undefined;

/** Exports what is at the address to a file that the reader chooses. */
export async function exportTo(href: string, what: string, total: number): Promise<void> {
  let target: Target;
  try {
    const file = await picker()?.({ suggestedName: `${what.replaceAll(" ", "-")}.csv`, types: [{ accept: { "text/csv": [".csv"] } }] });
    if (!file) return;
    const stream = await file.createWritable();
    target = {
      write: (data) => stream.write(data),
      truncate: (size) => stream.truncate(size),
      close: () => stream.close(),
      abort: () => stream.abort(),
      remove: async () => {
        if (!file.remove) throw new Error("this browser cannot remove a file");
        await file.remove();
      },
    };
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === "AbortError") return; // the reader has chosen none
    throw thrown;
  }
  const stopping = new AbortController();
  jobs.unshift({ what, total, rows: 0, state: "running", why: "", empty: false, stop: () => stopping.abort() });
  await write(href, target, stopping.signal, jobs[0]!);
}

/** Why the reader's disk refused a part, such as a full one. */
class Unwritten extends Error {}

async function keep(writing: Promise<void>): Promise<void> {
  try {
    await writing;
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === "QuotaExceededError") throw new Unwritten("The disk is full.");
    throw new Unwritten(`The browser could not write the file: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

/** Resolves when the server can be reached again, or the reader stops waiting. */
function waitOrStop(signal: AbortSignal): Promise<unknown> {
  return Promise.race([reconnected(), new Promise((resolve) => signal.addEventListener("abort", resolve))]);
}

/** Writes the rows behind each other, and tells in the job how it goes. */
async function copy(href: string, target: Target, signal: AbortSignal, job: Job): Promise<void> {
  const answer = await fetch(href, { signal });
  if (!answer.ok || !answer.body) throw refusal(answer, await answer.json().catch(() => null));
  const reader = answer.body.getReader();
  const lines = counter();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    await keep(target.write(part.value as Uint8Array<ArrayBuffer>));
    job.rows = Math.max(0, lines(part.value) - 1); // the first line has the names of the columns
  }
  await keep(target.close());
}

/** Writes what is at the address, and tells in the job how it goes. It starts over if the connection is lost. */
export async function write(href: string, target: Target, signal: AbortSignal, job: Job): Promise<void> {
  for (let again = 0; ; again++) {
    try {
      await copy(href, target, signal, job);
      job.state = "done";
      return;
    } catch (thrown) {
      const problem = thrown instanceof Unwritten ? null : lossOf(thrown);
      if (problem?.code === "offline" && again < restarts && !signal.aborted) {
        job.state = "waiting";
        await waitOrStop(signal);
        if (
          !signal.aborted &&
          (await target.truncate(0).then(
            () => true,
            () => false,
          ))
        ) {
          Object.assign(job, { state: "running", rows: 0 });
          continue;
        }
      }
      job.state = "cut";
      job.why = signal.aborted ? "You stopped it." : problem ? explain(problem).what : (thrown as Error).message;
      await target.abort().catch(() => {});
      await target.remove().catch(() => (job.empty = true));
      return;
    }
  }
}
