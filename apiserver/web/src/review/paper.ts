// What stands on every sheet of a printed report, and the hash by which it is compared.

/** JSON in the canonical form of RFC 8785, which is the same for the same values. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, v]) => v !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, v]) => `${JSON.stringify(name)}:${canonical(v)}`).join(",")}}`;
}

/** The SHA-256 of a text, in hex. */
export async function sha256(text: string): Promise<string> {
  const sum = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(sum)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A text as CSS writes it. */
const quoted = (text: string) => `"${text.replace(/["\\\p{Cc}]/gu, (c) => `\\${c.codePointAt(0)?.toString(16) ?? ""} `)}"`;

/** The most characters of a corner: beyond them it would lie over the report. */
const longest = 160;

const shortened = (text: string) => {
  const characters = [...text];
  return characters.length > longest ? `${characters.slice(0, longest).join("")}…` : text;
};

/** What the corners of every sheet say. */
export interface Corners {
  topLeft: string;
  topRight: string;
  bottomLeft: string;
}

/** The margins of every sheet as CSS, with the number of the page. */
export function sheetCSS(corners: Corners): string {
  // A long name takes several lines rather than the place of the corner beside it. Margins break words at spaces alone.
  const box = (name: string, content: string, breaks = "white-space: nowrap") => `@${name} { content: ${content}; font: 8pt sans-serif; color: #444; ${breaks}; }`;
  return `@page { margin: 20mm 16mm;
${box("top-left", quoted(shortened(corners.topLeft).replace(/\S{40}/gu, "$&\u200b")), "width: 75%")}
${box("top-right", quoted(corners.topRight))}
${box("bottom-left", quoted(corners.bottomLeft))}
${box("bottom-right", `"Page " counter(page) " of " counter(pages)`)} }`;
}
