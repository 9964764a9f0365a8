import { expect, test, vi } from "vitest";

import { replaceLink } from "./link";

test("a link whose answer was lost is replaced once more", async () => {
  let key = "";
  vi.stubGlobal("fetch", async (request: Request) => {
    const again = key === request.headers.get("Idempotency-Key");
    key = request.headers.get("Idempotency-Key") ?? "";
    return Response.json({ invite_url: again ? null : `https://assay.test/i/${key}`, secret_available: !again, invite_expires_at: "2026-12-01T00:00:00Z" });
  });
  expect(await replaceLink("i1", "first", 72)).toBe("https://assay.test/i/first");
  expect(await replaceLink("i1", "first", 72)).toMatch(/^https:\/\/assay\.test\/i\/[0-9a-f-]{36}$/);
});
