import type { Schema } from "../../../api/client";

export type Role = Schema<"User">["role"];

/** The roles, from the one that may do most. */
export const roles: Record<Role, { label: string; about: string }> = {
  owner: { label: "Owner", about: "may do everything, also connect platforms, make keys and add people" },
  reviewer: { label: "Reviewer", about: "holds interviews and decides on them, and works with traders" },
  viewer: { label: "Viewer", about: "looks at everything but keys, webhooks and the audit log, and changes nothing" },
};
