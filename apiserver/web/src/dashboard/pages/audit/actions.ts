import type { paths } from "../../../api/schema";

type Query = NonNullable<paths["/v1/audit"]["get"]["parameters"]["query"]>;
export type Action = NonNullable<Query["action"]>;
export type ObjectKind = NonNullable<Query["object_kind"]>;
export type ActorKind = NonNullable<Query["actor_kind"]>;

/** What was done, as the end of a sentence: "Zoe …". */
const done: Record<Action, string> = {
  "organization.created": "made the organization",
  "organization.updated": "changed the organization's settings",
  "organization.rekeyed": "moved stored secrets to another key",
  "user.created": "added a person",
  "user.updated": "changed a person",
  "user.removed": "removed a person",
  "user.password_reset": "reset a person's password",
  "user.password_changed": "chose another password",
  "user.signed_in": "signed in",
  "user.sign_in_failed": "was not let in",
  "user.signed_out": "signed out",
  "user.sessions_ended": "ended sessions of a person",
  "api_key.created": "made an API key",
  "api_key.revoked": "revoked an API key",
  "integration.created": "connected a platform",
  "integration.updated": "changed a connection",
  "integration.checked": "checked a connection",
  "integration.sync_requested": "asked for a sync",
  "integration.audit_requested": "asked for an audit of a platform",
  "integration.deleted": "deleted a connection",
  "trader.created": "added a trader",
  "trader.updated": "changed a trader",
  "trader.merged": "merged two rows of a trader",
  "trader.note_added": "wrote a note on a trader",
  "trader.note_deleted": "deleted a note on a trader",
  "trader.erased": "erased a trader",
  "trader.exported": "exported all about a trader",
  "activity_file.kept": "uploaded a file of trades",
  "activity_file.refused": "uploaded a file that could not be read",
  "activity_file.deleted": "deleted a file of trades",
  "ruleset.replaced": "replaced the thresholds",
  "calendar.replaced": "replaced the calendar of news",
  "webhook.created": "made a webhook endpoint",
  "webhook.updated": "changed a webhook endpoint",
  "webhook.disabled": "switched a webhook endpoint off",
  "webhook.deleted": "deleted a webhook endpoint",
  "webhook.secret_rotated": "rotated a webhook's secret",
  "webhook.tested": "tested a webhook endpoint",
  "webhook.delivery_retried": "sent a delivery again",
  "interview.created": "created an interview",
  "interview.invite_reissued": "sent an interview's link anew",
  "interview.decision_recorded": "decided on an interview",
  "interview.assigned": "assigned an interview",
  "interview.communicated": "noted that an outcome was told",
  "interview.share_created": "shared an interview",
  "interview.share_revoked": "revoked a shared link",
  "interview.played": "opened an interview's recording",
  "interview.exported": "exported all about an interview",
  "interview.report_requested": "asked for another report",
  "interview.subtitles_requested": "asked for captions",
  "interview.claim_confirmed": "confirmed what was said",
  "interview.activity_file_added": "added a file of trades to an interview",
  "interview.held": "put a legal hold on an interview",
  "interview.released": "took the legal hold off an interview",
  "interview.purged": "let what was kept of an interview go",
  "interview.deleted": "deleted an interview",
};

export const actions = Object.keys(done) as Action[];

/** An action in words; one that is newer than this page by its name. */
export const saying = (action: string): string => (done as Record<string, string>)[action] ?? action;

/** Kinds of objects, and where the pages show one; null: nowhere. */
const objects: Record<ObjectKind, { label: string; href: ((id: string) => string) | null }> = {
  api_key: { label: "API key", href: () => "/developers/keys" },
  webhook: { label: "Webhook endpoint", href: (id) => `/developers/webhooks/${id}` },
  integration: { label: "Connection", href: (id) => `/integrations/${id}` },
  trader: { label: "Trader", href: (id) => `/traders/${id}` },
  activity_file: { label: "File of trades", href: null },
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

export const actorKinds: Record<ActorKind, string> = { person: "people", api_key: "API keys", system: "assay and its operator" };
