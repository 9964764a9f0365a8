// What the command palette offers for what is typed.
import type { Schema } from "../../api/client";
import { contains } from "../../review/search";
import { words } from "../../ui/format";
import { type View, viewAddress, viewPath } from "../list/views";
import type { Row } from "../routes";

/** Something to go to. */
export interface Target {
  path: string;
  label: string;
  kind: "Page" | "View" | "Trader" | "Interview" | "Integration";
  /** What tells it from others of the same name. */
  about: string;
}

/** How many of each kind are offered. */
export const most = 5;

/** Pages that are there without an id, whose names contain what is typed. */
export const pagesFor = (typed: string, rows: Row[]): Target[] =>
  rows
    .filter((r) => !r.path.includes("{") && contains(r.menu?.label ?? r.title, typed))
    .map((r) => ({ path: r.path, label: r.menu?.label ?? r.title, kind: "Page", about: r.menu && r.menu.group !== "Work" ? r.menu.group : "" }));

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
