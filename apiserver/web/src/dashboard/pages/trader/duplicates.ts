// Who may be the same person as a trader, and what a merge makes of the two.
import type { Schema } from "../../../api/client";

type Trader = Schema<"Trader">;
export type Reason = Schema<"Duplicate">["reasons"][number];

export const reasons: Record<Reason, string> = {
  email: "Same email",
  external_id: "Same external ID",
  phone: "Same phone number",
  name_and_country: "Same name and country",
  login_ip: "Same IP address at the last login",
};

/** What the reasons are called within a sentence. */
export const shared: Record<Reason, string> = { email: "email", external_id: "external ID", phone: "phone number", name_and_country: "name and country", login_ip: "IP address" };

const fields = ["full_name", "email", "external_id", "country", "phone"] as const;

/** What a merge makes of a member. */
export interface Merged {
  member: (typeof fields)[number];
  value: string | null;
  /** The platform's value, which is kept beside the one that was set manually. */
  platform?: string;
  /** The value of the other trader that is not kept. */
  lost?: string;
}

const isManual = (t: Trader) => t.source === "manual";

/** The members of the trader after another one was merged into it. */
export function merged(trader: Trader, other: Trader): Merged[] {
  return fields.map((member) => {
    const mine = trader[member];
    const theirs = other[member];
    const same = member === "external_id" ? mine === theirs : mine?.toLowerCase() === theirs?.toLowerCase();
    if (mine === null || theirs === null || same) return { member, value: mine ?? theirs };
    if (isManual(trader)) return isManual(other) || other.overrides.includes(member) ? { member, value: mine, lost: theirs } : { member, value: mine, platform: theirs };
    return trader.overrides.includes(member) ? { member, value: mine, lost: theirs } : { member, value: theirs, platform: mine };
  });
}

/** What happens to the platform's data. */
export function afterwards(trader: Trader, other: Trader): string {
  if (isManual(trader) && isManual(other)) return "Both were added manually, so no sync is involved. Where both have a value, this trader’s is kept.";
  const kept = "Values that were entered manually and differ from the platform’s stay, as values set manually.";
  if (isManual(trader)) return `This trader takes over the accounts, trades and payouts of the other one, and the next sync updates this trader. ${kept}`;
  return `The next sync keeps updating this trader, and the other one does not come back. ${kept}`;
}
