/**
 * A client of assay's API.
 *
 * @packageDocumentation
 */
export { Assay, type Options, type CallOptions, type Method } from "./client.js";
export { Problem, type Fault } from "./problem.js";
export { type Change } from "./stream.js";
export { type Answer, type Body, type Item, type ListPath, type Path } from "./types.js";
export { parseWebhook, signWebhook, WebhookSignatureError, type WebhookEvent } from "./webhook.js";
export type { components, operations, paths } from "./schema.js";
