/** The columns of a calendar. */
export const columns = ["time", "currency", "impact", "title"] as const;

/** A scheduled release. */
export type Event = Record<(typeof columns)[number], string>;

/** Reads a calendar that the server has taken, so it is whole: CSV whose first line names the columns. */
export function parse(text: string): Event[] {
  const [head, ...rows] = cells(text.replace(/^\uFEFF/, ""));
  const at = columns.map((name) => head?.indexOf(name) ?? -1);
  const events = rows.filter((r) => r.length > 1).map((r) => Object.fromEntries(columns.map((name, i) => [name, r[at[i] ?? -1] ?? ""])) as Event);
  return events.sort((x, y) => Date.parse(x.time) - Date.parse(y.time));
}

/** Rows of cells; quoted cells may hold commas, quotes and line breaks. */
function cells(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/g)) {
    rows.at(-1)?.push(quoted === undefined ? (plain ?? "").trim() : quoted.replaceAll('""', '"'));
    if (end === "") break;
    if (end !== ",") rows.push([]);
  }
  return rows;
}
