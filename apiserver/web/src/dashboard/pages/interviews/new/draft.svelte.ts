// An interview in the making, as the form holds it.
import type { components } from "../../../../api/schema";
import { zone } from "../../../../ui/format";

export type NewInterview = components["schemas"]["NewInterview"];
type Options = components["schemas"]["InterviewOptions"];
type Watching = "off" | "ask" | "require";

/** A question of one's own. */
export interface DraftQuestion {
  /** Tells it from the others while they change places. */
  key: number;
  prompt: string;
  topic: string;
  think_seconds: number;
  max_seconds: number;
  max_takes: number;
  required: boolean;
}

let keys = 0;

/** A question as the default set has them. */
export const blank = (): DraftQuestion => ({ key: ++keys, prompt: "", topic: "general", think_seconds: 30, max_seconds: 120, max_takes: 1, required: true });

export class Draft {
  /** Null: nobody is chosen from the directory. */
  trader = $state.raw<{ id: string; name: string } | null>(null);
  /** Somebody who is not chosen from the directory. */
  person = $state({ full_name: "", email: "", external_id: "" });
  fromDirectory = $state(true);
  reason = $state<NonNullable<NewInterview["reason"]>>("other");
  reference = $state("");
  language = $state("en");
  window_hours = $state(72);
  modes = $state<("video" | "audio" | "text")[]>(["video"]);
  /** Whether the default set is asked, and not questions of one's own. */
  standard = $state(true);
  questions = $state<DraftQuestion[]>([]);
  auto_questions = $state(3);
  allow_unanswered = $state(true);
  account_ids = $state<string[]>([]);
  window_days = $state(90);
  timezone = $state(zone);
  preset = $state("");
  fullscreen = $state<Watching>("ask");
  second_screen = $state<Watching>("ask");
  face_presence = $state(false);
  retention_days = $state(180);
  assignee = $state("");

  /** The questions that are asked for sure. */
  asked(options: Options): Omit<DraftQuestion, "key">[] {
    return this.standard ? options.questions : this.questions;
  }

  /** For how long all takes may last together, in seconds. */
  budget(options: Options): number {
    return this.asked(options).reduce((sum, q) => sum + q.max_seconds * q.max_takes, 0);
  }

  body(): NewInterview {
    const filled = (text: string) => text.trim() || null;
    return {
      ...(this.fromDirectory
        ? { trader_id: this.trader?.id ?? null }
        : { trader: { full_name: this.person.full_name.trim(), email: filled(this.person.email), external_id: filled(this.person.external_id) } }),
      reason: this.reason,
      reference: filled(this.reference),
      language: this.language,
      window_hours: this.window_hours,
      answer_modes: this.modes,
      questions: this.standard ? [] : this.questions.map(({ key: _, ...q }) => ({ ...q, topic: q.topic as "general" })),
      auto_questions: this.auto_questions,
      allow_unanswered: this.allow_unanswered,
      activity: { account_ids: this.fromDirectory ? this.account_ids : [], window_days: this.window_days, timezone: this.timezone.trim() || "UTC", preset: this.preset || null },
      integrity: { fullscreen: this.fullscreen, second_screen: this.second_screen, face_presence: this.face_presence },
      retention_days: this.retention_days,
      assignee_user_id: this.assignee || null,
    };
  }
}
