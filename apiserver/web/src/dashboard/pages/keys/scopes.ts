import type { Scope } from "../../routes";

/** What a scope allows, for who chooses. */
const about: Record<Scope, string> = {
  "interviews:read": "Read interviews, reports, recordings and the organization’s members",
  "interviews:create": "Create interviews and replace their links",
  "interviews:decide": "Decide on and assign interviews, and change the rules",
  "interviews:delete": "Delete interviews and place legal holds",
  "traders:read": "Read traders and their accounts, trades and activity",
  "traders:write": "Create and edit traders, notes and files",
  "integrations:read": "Read integrations and their health",
  "integrations:manage": "Create, edit, sync and delete integrations",
  "webhooks:manage": "Create webhook endpoints and read their deliveries",
  "api_keys:manage": "Create keys with any permission, add people, change the settings of the organization, and read the audit log",
};

export interface ScopeGroup {
  label: string;
  scopes: { scope: Scope; about: string }[];
}

const labels: Record<string, string> = {
  interviews: "Interviews",
  traders: "Traders",
  integrations: "Integrations",
  webhooks: "Webhooks",
  api_keys: "Administration",
};

const all = Object.keys(about) as Scope[];

/** The scopes by what they are about. */
export const scopeGroups: ScopeGroup[] = Object.entries(labels).map(([name, label]) => ({
  label,
  scopes: all.filter((scope) => scope.startsWith(`${name}:`)).map((scope) => ({ scope, about: about[scope] })),
}));

/** Choices that most keys are made with. */
export const choices: { label: string; scopes: Scope[] }[] = [
  { label: "Read-only", scopes: all.filter((scope) => scope.endsWith(":read")) },
  { label: "All except administration", scopes: all.filter((scope) => scope !== "api_keys:manage") },
  { label: "Clear", scopes: [] },
];
