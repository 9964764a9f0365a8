// Which part of a list an address asks for.

/** How many rows a page may have, of which people choose. */
export const sizes = [25, 50, 100];

/** The page that an address asks for, from 1. */
export const pageOf = (q: URLSearchParams) => Math.max(1, Math.trunc(Number(q.get("page"))) || 1);

/** How many rows an address wants on a page; usual unless it names a size that people may choose. */
export function sizeOf(q: URLSearchParams, usual: number): number {
  const wanted = Number(q.get("limit"));
  return sizes.includes(wanted) ? wanted : usual;
}

/** What changes in the address for another size: the usual one is not in it, and the first page is shown. */
export const resized = (size: number, usual: number) => ({ limit: size === usual ? null : size, page: null });
