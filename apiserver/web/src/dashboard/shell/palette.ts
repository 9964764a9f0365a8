// What the command palette offers for what is typed.
import type { Schema } from "../../api/client";
import { contains } from "../../review/search";
import { words } from "../../ui/format";
import type { Scheme } from "../../ui/scheme.svelte";
import { type View, viewAddress, viewPath } from "../list/views";
import type { Row, Scope } from "../routes";

/** Something to go to, or to do. */
export interface Target {
  /** Empty if nothing is gone to. */
  path: string;
  label: string;
  kind: "Page" | "Action" | "View" | "Trader" | "Interview" | "Integration";
  /** What tells it from others of the same name. */
  about: string;
  /** What is done before the path is gone to. */
  deed?: Deed;
}

/** What an action does besides going to a page. */
export type Deed = { sync: string } | { theme: Scheme } | "sign out" | "list shortcuts";

/** How many of each kind are offered. */
export const most = 5;

/** Pages of the menu whose names contain what is typed. */
export const pagesFor = (typed: string, rows: Row[]): Target[] =>
  rows.flatMap(({ path, menu }) =>
    menu && contains(menu.label, typed) ? [{ path, label: menu.label, kind: "Page" as const, about: menu.group === "Work" ? "" : menu.group }] : [],
  );

/** What decides which actions there are. */
export interface Situation {
  can: (scope: Scope) => boolean;
  /** The address of the page that is shown. */
  path: string;
  theme: Scheme;
  /** Integrations that can be synced. */
  integrations: Pick<Schema<"Integration">, "id" | "name">[];
}

const themes: Record<Scheme, string> = { system: "Switch theme to the system’s", light: "Switch theme to light", dark: "Switch theme to dark" };

/** Whether each word that is typed is somewhere in the text. */
const hasWords = (text: string, typed: string) => typed.split(/\s+/).every((word) => contains(text, word));

/** Actions that the role allows and whose names contain the words that are typed. */
export function actionsFor(typed: string, { can, path, theme, integrations }: Situation): Target[] {
  const trader = /^\/traders\/([^/]+)$/.exec(path)?.[1];
  const action = (label: string, to: string, deed?: Deed): Target => ({ path: to, label, kind: "Action", about: "", ...(deed && { deed }) });
  const syncs = integrations.map((i) => action(`Sync ${i.name} now`, `/integrations/${i.id}`, { sync: i.id })).filter((a) => hasWords(a.label, typed));
  const allowed = (scope: Scope, ...some: Target[]) => (can(scope) ? some : []);
  const all = [
    ...allowed("interviews:create", ...(trader ? [action("New interview with this trader", `/interviews/new?trader=${trader}`)] : []), action("New interview", "/interviews/new")),
    ...allowed("traders:write", ...(trader ? [action("Upload a statement of this trader", `/traders/${trader}?tab=files`)] : [])),
    ...allowed("integrations:manage", action("Connect a platform", "/integrations/new"), ...syncs.slice(0, most)),
    ...allowed("api_keys:manage", action("Invite a colleague", "/people?new=person"), action("Create API key", "/developers/keys?new=key")),
    ...allowed("webhooks:manage", action("Add webhook endpoint", "/developers/webhooks?new=endpoint")),
    ...(Object.keys(themes) as Scheme[]).filter((s) => s !== theme).map((s) => action(themes[s], "", { theme: s })),
    action("Show keyboard shortcuts", "", "list shortcuts"),
    action("Sign out", "", "sign out"),
  ];
  return all.filter((a) => hasWords(a.label, typed));
}

/** Saved views of lists with a page of their own, whose names contain what is typed. */
export const viewsFor = (typed: string, list: View[]): Target[] =>
  list
    .filter((v) => viewPath(v) !== null && contains(v.name, typed))
    .slice(0, most)
    .map((v) => ({ path: viewAddress(v, ""), label: v.name, kind: "View", about: words(v.list) }));

export const integrationsFor = (typed: string, list: Pick<Schema<"Integration">, "id" | "name">[]): Target[] =>
  list
    .filter((i) => contains(i.name, typed))
    .slice(0, most)
    .map((i) => ({ path: `/integrations/${i.id}`, label: i.name, kind: "Integration", about: "" }));

export const traderTarget = (t: Pick<Schema<"Trader">, "id" | "full_name" | "email" | "external_id">): Target => ({
  path: `/traders/${t.id}`,
  label: t.full_name ?? t.email ?? t.external_id ?? "Unnamed trader",
  kind: "Trader",
  about: [t.full_name ? t.email : null, t.external_id].filter(Boolean).join(" · "),
});

export const interviewTarget = (i: Pick<Schema<"Interview">, "id" | "trader" | "reference" | "status">): Target => ({
  path: `/interviews/${i.id}`,
  label: i.trader.full_name ?? i.trader.email ?? i.trader.external_id ?? "Unnamed trader",
  kind: "Interview",
  about: [i.reference, i.status.replaceAll("_", " ")].filter(Boolean).join(" · "),
});

/** The place in a list of the length after a key, around its ends. */
export const move = (at: number, by: 1 | -1, length: number) => (length === 0 ? 0 : (at + by + length) % length);
