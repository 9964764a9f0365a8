// How an interview's states are called, and which colours they have.
import type { Schema } from "../../../api/client";
import { count, words } from "../../../ui/format";
import type { StateWords } from "../../../ui/state";

export type Interview = Schema<"Interview">;
export type InterviewDetail = Schema<"InterviewDetail">;

export const statuses: Record<Interview["status"], StateWords> = {
  invited: { label: "Invited", tone: "info", about: "The trader has a link and has not started." },
  in_progress: { label: "In progress", tone: "info", about: "The trader has started and has not submitted yet." },
  processing: { label: "Processing", tone: "info", about: "The report is being prepared." },
  completed: { label: "Completed", tone: "good", about: "The report is ready." },
  declined: { label: "Declined", tone: "quiet", about: "The trader did not agree to be recorded. Nothing was recorded." },
  expired: { label: "Expired", tone: "quiet", about: "The trader did not start in time." },
  incomplete: { label: "Incomplete", tone: "warn", about: "The trader started but sent no answer in time." },
  failed: { label: "Failed", tone: "bad", about: "The report could not be generated. The answers are kept." },
};

/** Why there is no report. */
export function noReport(i: Pick<InterviewDetail, "status" | "record_purge_at" | "completed_at">): string {
  if (i.record_purge_at === null && i.completed_at) return "The report was deleted at the end of its retention period.";
  if (i.status === "failed") return "The report could not be generated. It can be tried again under Manage.";
  return i.status === "declined" || i.status === "expired" || i.status === "incomplete" ? "There is no report, because nothing was answered." : "There is no report yet.";
}

export type DecisionValue = Schema<"Decision">["value"];

export const decisions: Record<DecisionValue, StateWords> = {
  approved: { label: "Approved", tone: "good", about: "The trader’s answers are accepted." },
  rejected: { label: "Rejected", tone: "bad", about: "The trader has a right to know why." },
  needs_review: { label: "Needs review", tone: "warn", about: "Someone else should review it too." },
};

export const attention: Record<NonNullable<Interview["attention_level"]>, StateWords> = {
  none: { label: "None", tone: "quiet", about: "Nothing was found." },
  low: { label: "Low", tone: "info", about: "The most severe finding is low." },
  medium: { label: "Medium", tone: "warn", about: "The most severe finding is medium." },
  high: { label: "High", tone: "bad", about: "There is a high finding that rests on enough data." },
  insufficient_data: { label: "Too little data", tone: "quiet", about: "Fewer than 20 trades, and no transcript." },
};

/** By how severe findings are counted, the most severe first. */
export const severities: readonly (readonly [keyof Interview["findings"], string])[] = [
  ["high", "High"],
  ["medium", "Medium"],
  ["low", "Low"],
];

/** How many findings of each severity a report has, such as "2 high, 1 low". */
export const findingsOf = (i: Pick<Interview, "findings">): string =>
  severities
    .filter(([s]) => i.findings[s] > 0)
    .map(([s]) => `${count(i.findings[s])} ${s}`)
    .join(", ");

export const reasons: Record<Interview["reason"], string> = {
  payout_review: "Payout review",
  phase_upgrade: "Phase upgrade",
  rule_breach: "Possible rule breach",
  random_check: "Random check",
  other: "Other",
};

export const answerModes: Record<Interview["answer_modes"][number], string> = { video: "On camera", audio: "By voice", text: "In writing" };

/** What claims are about, as a heading. */
export const topic = (name: string) => (name === "ea_use" ? "Use of expert advisors" : name === "general" ? "General" : words(name));

/** Nothing was recorded, because every answer is in writing. */
export const isWrittenOnly = (i: Pick<InterviewDetail, "answers">) => i.answers.some((a) => a.mode === "text") && i.answers.every((a) => !a.mode || a.mode === "text");

/** Somebody has to decide. */
export const awaiting = (i: Interview) => i.status === "completed" && (i.decision === null || i.decision.value === "needs_review");

/** Hours after which a completed interview has waited too long for somebody to decide. */
export const reviewDueHours = 48;

export const overdue = (i: Interview, now: number) => awaiting(i) && i.completed_at !== null && now - new Date(i.completed_at).getTime() > reviewDueHours * 3_600_000;

/** What the trader is called. */
export const traderName = (i: Pick<Interview, "trader">) => i.trader.full_name ?? i.trader.email ?? i.trader.external_id ?? "Unnamed trader";

/** Said wherever events are shown. */
export const noIntent = "Observations are not proof of intent: the browser reports that the page was left, but not why.";

/** Observations whose kind is no name for them. Reports use the same names. */
const observations: Record<string, string> = {
  tab_hidden: "Page hidden",
  window_blur: "Window lost focus",
  fullscreen_exit: "Full screen exited",
  copy: "Text copied",
  cut: "Text cut",
  paste: "Text pasted",
  context_menu: "Context menu opened",
  print_screen_key: "Print Screen key pressed",
  devtools_suspected: "Developer tools may have been open",
  page_reload: "Page reloaded",
  network_offline: "Network lost",
  session_resumed: "Interview reopened in the same browser",
  session_taken_over: "Interview continued in another browser",
  multiple_tabs: "Interview open in several tabs",
  second_screen: "Second screen connected",
  screen_changed: "Screen setup changed",
  devices_not_working: "Devices don’t work, the trader says",
  camera_lost: "Camera stopped",
  camera_dark: "Video too dark",
  microphone_lost: "Microphone stopped",
  audio_silent: "Mostly silent answer",
  audio_clipping: "Sound too loud",
  virtual_camera_suspected: "Camera name suggests a virtual camera",
  take_broken_off: "Take interrupted",
  answer_over_time: "Answer longer than allowed",
  clock_skew: "Device clock is wrong",
  upload_rewritten: "Recording differs from what the browser announced",
};

/** What an event in the trader's browser is called. */
export const observation = (kind: string) => observations[kind] ?? words(kind);
