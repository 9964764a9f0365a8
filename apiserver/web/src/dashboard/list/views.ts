// The lists that the reader has saved under names.
import { api, call, callTagged, Problem, type Schema } from "../../api/client";

export type View = NonNullable<Schema<"SavedViewsChange">["views"]>[number];

/** What of an address belongs to a view: all but the page, in an order of its own. */
export function viewQuery(address: URLSearchParams): string {
  const query = new URLSearchParams([...address].filter(([name, value]) => name !== "page" && value !== ""));
  query.sort();
  return query.toString();
}

/** Lists on a tab of what they are about. A view of one holds for each integration, or each endpoint. */
const onTabs: View["list"][] = ["runs", "quarantine", "deliveries"];

/** The path of the page that shows a view; null if that is a tab of many pages. */
export const viewPath = (v: View) => (onTabs.includes(v.list) ? null : `/${v.list}`);

/** The address of a view, read on the page at a path. */
export const viewAddress = (v: View, here: string) => `${viewPath(v) ?? here}${v.query === "" ? "" : `?${v.query}`}`;

/** Changes of an address that take a list's page, order and columns out of it. */
export const noList = { page: null, limit: null, sort: null, columns: null };

/** The views with one more, which takes the place of one with the same name. */
export function withView(all: View[], view: View): View[] {
  const same = (v: View) => v.list === view.list && v.name === view.name;
  return all.some(same) ? all.map((v) => (same(v) ? view : v)) : [...all, view];
}

/** The views that are saved. Their lists are those of this page, which the same server sent. */
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
