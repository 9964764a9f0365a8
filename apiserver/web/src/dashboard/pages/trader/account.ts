import type { Schema } from "../../../api/client";

/** What people know an account of an analysis by. */
export const accountName = (a: Pick<Schema<"AccountSummary">, "login" | "file">): string => a.login || a.file || "Without a login";

/** Compares accounts by their names, in which 9 comes before 10. */
export const byName = (a: Parameters<typeof accountName>[0], b: Parameters<typeof accountName>[0]): number => accountName(a).localeCompare(accountName(b), "en", { numeric: true });
