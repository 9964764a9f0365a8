import type { Scope } from "../../routes";

/** What a scope allows, for who chooses. */
const about: Record<Scope, string> = {
  "interviews:read": "read interviews, their reports and recordings, and who is in the organization",
  "interviews:create": "create interviews, and send their links anew",
  "interviews:decide": "decide, assign, and change the rules",
  "interviews:delete": "delete interviews, and hold them for legal reasons",
  "traders:read": "read traders, their accounts, trades and activity",
  "traders:write": "add and change traders, notes and files",
  "integrations:read": "read connections and how they are doing",
  "integrations:manage": "connect, change, sync and delete connections",
  "webhooks:manage": "make webhook endpoints, and read what is sent to them",
  "api_keys:manage": "make keys of any scope, add people, and read the audit log",
};

export interface ScopeGroup {
  label: string;
  scopes: { scope: Scope; about: string }[];
}

const labels: Record<string, string> = {
  interviews: "Interviews", traders: "Traders", integrations: "Integrations", webhooks: "Webhooks", api_keys: "Administration",
};

const all = Object.keys(about) as Scope[];

/** The scopes by what they are about. */
export const scopeGroups: ScopeGroup[] = Object.entries(labels).map(([name, label]) => ({
  label,
  scopes: all.filter((scope) => scope.startsWith(`${name}:`)).map((scope) => ({ scope, about: about[scope] })),
}));

/** Choices that most keys are made with. */
export const choices: { label: string; scopes: Scope[] }[] = [
  { label: "Read only", scopes: all.filter((scope) => scope.endsWith(":read")) },
  { label: "All but administration", scopes: all.filter((scope) => scope !== "api_keys:manage") },
  { label: "Nothing", scopes: [] },
];
