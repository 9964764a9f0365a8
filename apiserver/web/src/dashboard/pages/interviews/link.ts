import { api, call } from "../../../api/client";

/**
 * Gives the trader of an interview another link, valid for so many hours, and returns it. A request that is sent again
 * under its key is answered without the link, which nobody has seen then: it is replaced once more.
 */
export async function replaceLink(id: string, key: string, hours: number): Promise<string> {
  const reissue = async (key: string) =>
    (await call(api.POST("/v1/interviews/{id}/reissue", { params: { path: { id }, header: { "Idempotency-Key": key } }, body: { window_hours: hours } }))).invite_url;
  return (await reissue(key)) ?? (await reissue(crypto.randomUUID())) ?? "";
}
