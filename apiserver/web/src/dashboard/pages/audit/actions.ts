import type { paths } from "../../../api/schema";
import { words } from "../../../ui/format";

type Query = NonNullable<paths["/v1/audit"]["get"]["parameters"]["query"]>;
export type Action = NonNullable<Query["action"]>;
export type ObjectKind = NonNullable<Query["object_kind"]>;
export type ActorKind = NonNullable<Query["actor_kind"]>;

/** What was done, as the end of a sentence: "Zoe …". */
const done: Record<Action, string> = {
  "organization.created": "created the organization",
  "organization.updated": "updated the organization settings",
  "organization.list_exported": "exported a list as CSV",
  "organization.reasons_replaced": "changed the reasons for decisions",
  "organization.symbols_replaced": "changed the symbol mappings",
  "organization.rekeyed": "re-encrypted stored secrets with another key",
  "user.created": "added a person",
  "user.updated": "updated a person",
  "user.removed": "removed a person",
  "user.password_reset": "reset a person’s password",
  "user.password_changed": "changed their password",
  "user.signed_in": "signed in",
  "user.sign_in_failed": "failed to sign in",
  "user.signed_out": "signed out",
  "user.sessions_ended": "ended a person’s sessions",
  "api_key.created": "created an API key",
  "api_key.revoked": "revoked an API key",
  "integration.created": "connected a platform",
  "integration.updated": "updated an integration",
  "integration.checked": "checked an integration",
  "integration.sync_requested": "requested a sync",
  "integration.audit_requested": "requested a data audit",
  "integration.deleted": "deleted an integration",
  "trader.created": "added a trader",
  "trader.updated": "updated a trader",
  "trader.merged": "merged duplicate traders",
  "trader.duplicate_dismissed": "said that two traders are not the same person",
  "trader.duplicate_restored": "took back that two traders are not the same person",
  "trader.note_added": "added a note to a trader",
  "trader.note_deleted": "deleted a note from a trader",
  "trader.erased": "erased a trader",
  "trader.exported": "exported a trader’s data",
  "activity_file.kept": "uploaded a trade file",
  "activity_file.refused": "uploaded an unreadable trade file",
  "activity_file.deleted": "deleted a trade file",
  "ruleset.replaced": "replaced the thresholds",
  "calendar.replaced": "replaced the news calendar",
  "webhook.created": "added a webhook endpoint",
  "webhook.updated": "updated a webhook endpoint",
  "webhook.disabled": "disabled a webhook endpoint",
  "webhook.deleted": "deleted a webhook endpoint",
  "webhook.secret_rotated": "rotated a webhook’s secret",
  "webhook.tested": "tested a webhook endpoint",
  "webhook.delivery_retried": "resent a delivery",
  "interview.created": "created an interview",
  "interview.invite_reissued": "replaced an interview link",
  "interview.decision_recorded": "decided on an interview",
  "interview.assigned": "assigned an interview",
  "interview.communicated": "marked an outcome as communicated",
  "interview.share_created": "shared an interview",
  "interview.share_revoked": "revoked a shared link",
  "interview.played": "opened an interview’s recording",
  "interview.exported": "exported an interview",
  "interview.report_requested": "regenerated a report",
  "interview.subtitles_requested": "requested captions",
  "interview.claim_confirmed": "confirmed a statement",
  "interview.comment_added": "commented on an interview",
  "interview.comment_edited": "edited a comment on an interview",
  "interview.comment_deleted": "deleted a comment on an interview",
  "interview.transcript_corrected": "corrected a transcript",
  "interview.activity_file_added": "added a trade file to an interview",
  "interview.held": "put a legal hold on an interview",
  "interview.released": "ended the legal hold on an interview",
  "interview.purged": "purged an interview",
  "interview.deleted": "deleted an interview",
};

export const actions = Object.keys(done) as Action[];

/** Subjects of the log, each with the beginnings of its actions' names. An action belongs to the first that it begins with. */
const subjects: [subject: string, beginnings: string[]][] = [
  ["Signing in", ["user.signed_", "user.sign_in_", "user.sessions_", "user.password_changed"]],
  ["People", ["user."]],
  ["API keys", ["api_key."]],
  ["Integrations", ["integration."]],
  ["Traders", ["trader.", "activity_file."]],
  ["Interviews: invitations", ["interview.created", "interview.invite_", "interview.activity_"]],
  [
    "Interviews: reviews",
    ["interview.decision_", "interview.assigned", "interview.communicated", "interview.comment_", "interview.claim_", "interview.transcript_", "interview.played"],
  ],
  ["Interviews: reports and data", ["interview."]],
  ["Webhooks", ["webhook."]],
  ["Organization and rules", [""]],
];

/** The actions by subject, in the order of the subjects. */
export const actionGroups: { subject: string; actions: Action[] }[] = (() => {
  const left = new Set(actions);
  return subjects.map(([subject, beginnings]) => {
    const own = [...left].filter((a) => beginnings.some((b) => a.startsWith(b)));
    for (const a of own) left.delete(a);
    return { subject, actions: own };
  });
})();

/** An action as the name of a choice. */
export const choiceOf = (action: Action): string => words(saying(action));

/** An action in words; one that is newer than this page by its name. */
export const saying = (action: string): string => (done as Record<string, string>)[action] ?? action;

/** Kinds of objects, and where the pages show one; null: nowhere. */
const objects: Record<ObjectKind, { label: string; href: ((id: string) => string) | null }> = {
  api_key: { label: "API key", href: () => "/developers/keys" },
  webhook: { label: "Webhook endpoint", href: (id) => `/developers/webhooks/${id}` },
  integration: { label: "Integration", href: (id) => `/integrations/${id}` },
  trader: { label: "Trader", href: (id) => `/traders/${id}` },
  activity_file: { label: "Trade file", href: null },
  interview: { label: "Interview", href: (id) => `/interviews/${id}` },
  user: { label: "Person", href: () => "/people" },
  organization: { label: "Organization", href: () => "/organization" },
  ruleset: { label: "Thresholds", href: () => "/rules" },
  calendar: { label: "Calendar", href: () => "/rules?tab=calendar" },
};

export const objectKinds = Object.keys(objects) as ObjectKind[];

export const objectLabel = (kind: string): string => objects[kind as ObjectKind]?.label ?? kind;

/** Where an object is shown; null: nowhere. */
export function objectHref(kind: string, id: string | null): string | null {
  const href = objects[kind as ObjectKind]?.href;
  return href && id !== null ? href(id) : null;
}

export const actorKinds: Record<ActorKind, string> = { person: "People", api_key: "API keys", system: "assay and its operator" };
