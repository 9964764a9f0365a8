import type { Component } from "svelte";

import type { Schema } from "../api/client";

export type Scope = Schema<"Session">["scopes"][number];

/** A page and its address. */
export interface Row {
  /** Such as /traders/{id}: the page gets what stands in the place of id as its prop of that name. */
  path: string;
  /** What the page is called before it says so itself. */
  title: string;
  /** What a person's role must allow; absent: every role does. */
  scope?: Scope;
  /** Where the menu leads to it; absent: another page does. */
  menu?: { group: "Work" | "Developers" | "Organization"; label: string };
  /** What the page reads first, by what stands in the place of id: asked for while it is fetched. */
  reads?: (id: string) => string;
  /** Fetches the page, which is a file of its own that nobody loads who does not open it. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each page has props of its own
  load: () => Promise<{ default: Component<any> }>;
}

/**
 * The pages of the dashboard, in the menu's order. To add one: write pages/Name.svelte
 * (it begins with <Title>), put a row here, and name the address in Addresses of
 * apiserver/web/web.go, from which the server knows that it has to answer with the dashboard.
 */
export const routes: Row[] = [
  { path: "/", title: "Home", menu: { group: "Work", label: "Home" }, load: () => import("./pages/Home.svelte") },
  { path: "/integrations", title: "Integrations", scope: "integrations:read", menu: { group: "Work", label: "Integrations" }, load: () => import("./pages/Integrations.svelte") },
  { path: "/integrations/new", title: "Connect a platform", scope: "integrations:manage", load: () => import("./pages/NewIntegration.svelte") },
  { path: "/integrations/{id}", title: "Integration", scope: "integrations:read", reads: (id) => `/v1/integrations/${id}`, load: () => import("./pages/Integration.svelte") },
  { path: "/traders", title: "Traders", scope: "traders:read", menu: { group: "Work", label: "Traders" }, load: () => import("./pages/Traders.svelte") },
  { path: "/traders/{id}", title: "Trader", scope: "traders:read", reads: (id) => `/v1/traders/${id}`, load: () => import("./pages/Trader.svelte") },
  { path: "/payouts", title: "Payouts", scope: "traders:read", menu: { group: "Work", label: "Payouts" }, load: () => import("./pages/Payouts.svelte") },
  { path: "/interviews", title: "Interviews", scope: "interviews:read", menu: { group: "Work", label: "Interviews" }, load: () => import("./pages/Interviews.svelte") },
  { path: "/interviews/new", title: "New interview", scope: "interviews:create", load: () => import("./pages/NewInterview.svelte") },
  { path: "/interviews/{id}", title: "Interview", scope: "interviews:read", reads: (id) => `/v1/interviews/${id}`, load: () => import("./pages/Interview.svelte") },
  { path: "/interviews/{id}/print", title: "Print view", scope: "interviews:read", load: () => import("./pages/InterviewPrint.svelte") },
  { path: "/developers/keys", title: "API keys", scope: "api_keys:manage", menu: { group: "Developers", label: "API keys" }, load: () => import("./pages/Keys.svelte") },
  { path: "/developers/webhooks", title: "Webhooks", scope: "webhooks:manage", menu: { group: "Developers", label: "Webhooks" }, load: () => import("./pages/Webhooks.svelte") },
  { path: "/developers/webhooks/{id}", title: "Webhook", scope: "webhooks:manage", load: () => import("./pages/Webhook.svelte") },
  { path: "/people", title: "People", scope: "interviews:read", menu: { group: "Organization", label: "People" }, load: () => import("./pages/People.svelte") },
  { path: "/rules", title: "Rules", scope: "interviews:read", menu: { group: "Organization", label: "Rules" }, load: () => import("./pages/Rules.svelte") },
  {
    path: "/organization",
    title: "Organization settings",
    scope: "api_keys:manage",
    menu: { group: "Organization", label: "Settings" },
    load: () => import("./pages/Organization.svelte"),
  },
  { path: "/audit", title: "Audit log", scope: "api_keys:manage", menu: { group: "Organization", label: "Audit log" }, load: () => import("./pages/Audit.svelte") },
];
