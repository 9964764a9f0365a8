import type { Schema } from "../../../api/client";

type Header = NonNullable<Schema<"NewWebhookEndpoint">["headers"]>[number];

/** Reads lines such as "Authorization: Bearer 5f2c", with what is wrong with them. */
export function parseHeaders(text: string): { headers: Header[]; fault: string } {
  const headers: Header[] = [];
  for (const [n, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const at = line.indexOf(":");
    const name = line.slice(0, at).trim();
    const value = line.slice(at + 1).trim();
    if (at < 0 || name === "" || value === "") return { headers: [], fault: `Line ${n + 1} must have the form “Name: value”.` };
    headers.push({ name, value });
  }
  return { headers, fault: "" };
}
