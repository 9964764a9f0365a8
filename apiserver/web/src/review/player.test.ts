import { expect, test } from "vitest";

import { resign } from "./player";

const base = "https://assay.test/media/v1/rec1/2026/newsig/index.m3u8";

test.each([
  ["a segment", "https://assay.test/media/v1/rec1/2025/oldsig/seg-3.ts", "https://assay.test/media/v1/rec1/2026/newsig/seg-3.ts"],
  ["a segment with a query", "https://assay.test/media/v1/rec1/2025/oldsig/seg.ts?a=1", "https://assay.test/media/v1/rec1/2026/newsig/seg.ts?a=1"],
  ["something else", "https://assay.test/assets/x.js", "https://assay.test/assets/x.js"],
])("the newest signature in the address of %s", (_, url, want) => expect(resign(url, base)).toBe(want));

test("an address stays where there is no signature to put in", () => {
  const url = "https://assay.test/media/v1/rec1/2025/oldsig/seg-3.ts";
  expect(resign(url, "https://elsewhere.test/video.mp4")).toBe(url);
});
