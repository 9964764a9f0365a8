// Walks through every operation of the API with a client whose types are
// generated from its document. Ends with a word about the operations that were
// not called, which is a failure.
import assert from "node:assert/strict";

import { activity } from "./activity.js";
import { audit } from "./audit.js";
import { answered, called, client, refused, settings } from "./client.js";
import { integrations } from "./integrations.js";
import { interviews } from "./interviews.js";
import { keys } from "./keys.js";
import { traders } from "./traders.js";
import { users } from "./users.js";
import { webhooks } from "./webhooks.js";

const api = client(settings.key);
const faulty = client(settings.key, settings.faultyURL);
const narrow = client(settings.narrowKey);

// A proxy that knows the document lets nobody through without a key.
const anybody = client(undefined, settings.publicURL);
refused(await anybody.GET("/v1/traders"), 401, "authentication_required");
refused(await client("svc_live_x", settings.faultyURL).GET("/v1/traders"), 401, "invalid_api_key");

await keys(api, faulty);
await users(api, faulty, client(undefined));
await integrations(api, faulty, narrow);
await traders(api, faulty, narrow);
await activity(api, faulty, narrow);
await interviews(api, faulty, narrow);
await audit(api, faulty, narrow);
await webhooks(api, faulty, narrow);

// The document that is served names the operations that there are.
const read = await api.GET("/v1/openapi.json");
const document = answered(read);
const tag = read.response.headers.get("ETag");
assert(tag);
const again = await api.GET("/v1/openapi.json", { params: { header: { "If-None-Match": tag } } });
assert.equal(again.response.status, 304);

const methods = ["get", "post", "put", "patch", "delete"];
const operations = Object.entries(document.paths as Record<string, object>).flatMap(([path, item]) =>
  methods.filter((method) => method in item).map((method) => `${method.toUpperCase()} ${path}`),
);
assert(operations.length > 0);
const endless = "GET /v1/stream"; // which a generated client is of no help with
assert.deepEqual(operations.filter((operation) => !called.has(operation)), [endless], "operations that the walk leaves out");
console.log(`${called.size} operations called`);
