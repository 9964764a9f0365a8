import type { Schema } from "../../../api/client";

export type Role = Schema<"User">["role"];

/** The roles, from the one that may do most. */
export const roles: Record<Role, { label: string; about: string }> = {
  owner: { label: "Owner", about: "Can do everything, including connecting platforms, creating keys and adding people" },
  reviewer: { label: "Reviewer", about: "Can create and decide on interviews, and edit traders and rules" },
  viewer: { label: "Viewer", about: "Can view everything except keys, webhooks and the audit log" },
};
