import type { Schema } from "../../../api/client";
import { counted, words } from "../../../ui/format";

/** A sentence about the trades that an analysis left out, by reason; empty: none. */
export const excluded = (a: Pick<Schema<"Activity">, "excluded">): string =>
  a.excluded.length > 0 ? `Excluded: ${a.excluded.map((e) => `${counted(e.count, "trade")} (${words(e.reason).toLowerCase()})`).join(", ")}.` : "";
