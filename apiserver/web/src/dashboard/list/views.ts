// The lists that the reader has saved under names.
import { api, call, callTagged, Problem, type Schema } from "../../api/client";

export type View = NonNullable<Schema<"SavedViewsChange">["views"]>[number];

/** What of an address belongs to a view: all but the page and what is named, in an order of its own. */
export function viewQuery(address: URLSearchParams, without: readonly string[] = []): string {
  const query = new URLSearchParams([...address].filter(([name, value]) => name !== "page" && value !== "" && !without.includes(name)));
  query.sort();
  return query.toString();
}

/** Lists on a tab of what they are about. A view of one holds for each integration, each endpoint or each trader. */
const onTabs: View["list"][] = ["trades", "runs", "quarantine", "deliveries"];

/** The path of the page that shows a view; null if that is a tab of many pages. */
export const viewPath = (v: View) => (onTabs.includes(v.list) ? null : `/${v.list}`);

/** The address of a view, read on the page at a path. */
export const viewAddress = (v: View, here: string) => `${viewPath(v) ?? here}${v.query === "" ? "" : `?${v.query}`}`;

/** Changes of an address that take everything out of it: the filters and the order of one tab mean nothing to another. */
export const cleared = (address: URLSearchParams): Record<string, null> => Object.fromEntries([...address.keys()].map((name) => [name, null]));

/** The views with one more, which takes the place of one with the same name. */
export function withView(all: View[], view: View): View[] {
  const same = (v: View) => v.list === view.list && v.name === view.name;
  return all.some(same) ? all.map((v) => (same(v) ? view : v)) : [...all, view];
}

/** The views that are saved. Their lists are those of this page, except while a new version is rolled out. */
export const readViews = async (): Promise<View[]> => (await call(api.GET("/session/views"))).views as View[];

/** Changes the views that are saved now, which another tab may have changed. */
export async function changeViews(edit: (all: View[]) => View[]): Promise<void> {
  for (let tries = 0; ; tries++) {
    const { value, tag } = await callTagged(api.GET("/session/views"));
    try {
      await call(api.PUT("/session/views", { params: { header: { "If-Match": tag } }, body: { views: edit(value.views as View[]) } }));
      return;
    } catch (thrown) {
      if (tries > 2 || !(thrown instanceof Problem) || thrown.status !== 412) throw thrown;
    }
  }
}
