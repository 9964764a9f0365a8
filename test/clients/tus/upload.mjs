// A trader's browser without a browser: opens the link ASSAY_LINK, records
// random bytes, uploads them with the published tus-js-client, and seals the take.
// Says "half" when half of them have gone, and the SHA-256 at the end. What does
// not answer is asked again.
import { createHash, randomBytes } from "node:crypto";

import * as tus from "tus-js-client";

const link = new URL(process.env.ASSAY_LINK);
const size = Number(process.env.ASSAY_BYTES);
const deferred = process.env.ASSAY_DEFERRED === "1";
const cookies = new Map();

async function call(method, path, body) {
  for (;;) {
    try {
      const answer = await fetch(`${link.href}/${path}`, {
        method,
        headers: { "Content-Type": "application/json", Cookie: jar() },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      for (const cookie of answer.headers.getSetCookie()) {
        const [pair] = cookie.split(";");
        const at = pair.indexOf("=");
        cookies.set(pair.slice(0, at), pair.slice(at + 1));
      }
      const text = await answer.text();
      if (!answer.ok) throw Object.assign(new Error(`${method} ${path}: ${answer.status} ${text}`), { told: true });
      return text === "" ? undefined : JSON.parse(text);
    } catch (err) {
      if (err.told) throw err;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

const jar = () => [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");

const landing = await call("GET", "interview");
await call("POST", "session", {});
await call("POST", "consent", { accepted: true, sha256: landing.consent.sha256 });
await call("POST", "device-check", { outcome: "ok" });
const { questions } = await call("POST", "start", {});
const question = questions[0].id;
const { take, upload_endpoint } = await call("POST", `answers/${question}/takes`, { mode: "video", media_type: "video/webm;codecs=vp8,opus" });

const data = randomBytes(size);
let half = false;
await new Promise((resolve, reject) => {
  const upload = new tus.Upload(data, {
    endpoint: new URL(upload_endpoint, link).href,
    chunkSize: 1 << 20,
    retryDelays: Array(100).fill(300),
    ...(deferred ? { uploadLengthDeferred: true } : {}),
    headers: { Cookie: jar() },
    metadata: { question_id: question, take: String(take), filetype: "video/webm" },
    onChunkComplete: (_size, accepted) => {
      if (!half && accepted >= size / 2) {
        half = true;
        console.log("half");
      }
    },
    onSuccess: resolve,
    onError: reject,
  });
  upload.start();
});
const sha256 = createHash("sha256").update(data).digest("hex");
await call("POST", `answers/${question}/seal`, { take, bytes: size, sha256, duration_ms: 10_000 });
console.log(sha256);
