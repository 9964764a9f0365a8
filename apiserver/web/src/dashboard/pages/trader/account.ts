import type { Schema } from "../../../api/client";

/** What people know an account of an analysis by. */
export const accountName = (a: Pick<Schema<"AccountSummary">, "login" | "file">): string => a.login || a.file || "Without a login";
