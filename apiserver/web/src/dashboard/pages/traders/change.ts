// Changes of a trader that others may change meanwhile.
import { api, call, callTagged, Problem, type Schema } from "../../../api/client";

/** Changes a trader as it is now. When somebody else was faster, it is read again. */
export async function changeTrader(id: string, edit: (now: Schema<"TraderDetail">) => Schema<"TraderPatch">): Promise<Schema<"TraderDetail">> {
  const path = { id };
  for (let tries = 0; ; tries++) {
    const { value, tag } = await callTagged(api.GET("/v1/traders/{id}", { params: { path } }));
    try {
      return await call(api.PATCH("/v1/traders/{id}", { params: { path, header: { "If-Match": tag } }, body: edit(value) }));
    } catch (thrown) {
      if (tries > 2 || !(thrown instanceof Problem) || thrown.status !== 412) throw thrown;
    }
  }
}

/** Adds and takes away the tags that the reader has added and taken away, and leaves those of others. */
export const mergeTags = (now: string[], before: string[], after: string[]): string[] => [
  ...new Set([...now.filter((t) => after.includes(t) || !before.includes(t)), ...after.filter((t) => !before.includes(t))]),
];
