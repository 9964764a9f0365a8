package webhooks

// ProgressSQL is the statement of RecordAttempts.
const ProgressSQL = progressSQL
