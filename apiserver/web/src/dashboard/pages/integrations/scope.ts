import type { Schema } from "../../../api/client";

/** An account scope as people write it: items with commas or spaces between them. */
export interface ScopeText {
  categories: string;
  platforms: string;
}

export const textOf = (scope: Schema<"AccountScope"> | null): ScopeText => ({
  categories: scope?.plan_category_ids.join(", ") ?? "",
  platforms: scope?.platforms.join(", ") ?? "",
});

/** Null: everything is read. A category that is no whole number is a fault, which is said in words. */
export function scopeOf(text: ScopeText): { scope: Schema<"AccountScope"> | null; fault: string } {
  const items = (line: string) => line.split(/[\s,;]+/).filter((item) => item !== "");
  const categories = items(text.categories);
  const wrong = categories.filter((id) => !/^\d{1,15}$/.test(id));
  if (wrong.length > 0) return { scope: null, fault: `${wrong.join(", ")}: plan categories are whole numbers.` };
  const scope = { plan_category_ids: categories.map(Number), platforms: items(text.platforms) };
  return { scope: scope.plan_category_ids.length + scope.platforms.length === 0 ? null : scope, fault: "" };
}
