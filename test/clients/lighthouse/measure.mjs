// Measures a page of a browser that is signed in already, and prints its scores
// and figures as JSON.
//
//   node measure.mjs PORT URL [desktop|mobile]
import lighthouse, { desktopConfig } from "lighthouse";

const [port, url, device = "desktop"] = process.argv.slice(2);
const result = await lighthouse(
  url,
  { port: Number(port), disableStorageReset: true, onlyCategories: ["performance", "accessibility"], logLevel: "error" },
  device === "desktop" ? desktopConfig : undefined,
);
const { categories, audits, finalDisplayedUrl, runtimeError } = result.lhr;
if (runtimeError) throw new Error(`${runtimeError.code}: ${runtimeError.message}`);
const failed = Object.values(audits).filter((a) => a.score !== null && a.score < 1 && a.scoreDisplayMode === "binary");
console.log(JSON.stringify({
  at: finalDisplayedUrl,
  performance: 100 * categories.performance.score,
  accessibility: 100 * categories.accessibility.score,
  firstMS: audits["first-contentful-paint"].numericValue,
  paintMS: audits["largest-contentful-paint"].numericValue,
  speedMS: audits["speed-index"].numericValue,
  blockedMS: audits["total-blocking-time"].numericValue,
  shift: audits["cumulative-layout-shift"].numericValue,
  bytes: audits["total-byte-weight"].numericValue,
  failed: failed.map((a) => [a.id, ...(a.details?.items ?? []).map((item) => item.node?.snippet)].join(" ")),
}));
