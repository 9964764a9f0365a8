-- +goose NO TRANSACTION
-- +goose Up

-- How often an endpoint has been switched off, and how often it had been when a
-- delivery was written. Those of an earlier era that still wait are given up:
-- switching off is one row, however much waits.
ALTER TABLE webhook_states ADD COLUMN IF NOT EXISTS era bigint NOT NULL DEFAULT 0;
ALTER TABLE webhook_deliveries ADD COLUMN IF NOT EXISTS era bigint NOT NULL DEFAULT 0;

-- Whether the last attempt took long, also when it succeeded.
ALTER TABLE webhook_states ADD COLUMN IF NOT EXISTS slow boolean NOT NULL DEFAULT false;
-- Until when a receiver has asked to be left alone (Retry-After); null or past: it has not.
ALTER TABLE webhook_states ADD COLUMN IF NOT EXISTS held_until timestamptz;

DROP INDEX CONCURRENTLY IF EXISTS webhook_deliveries_pending;
CREATE INDEX CONCURRENTLY webhook_deliveries_pending ON webhook_deliveries (endpoint_id, era, next_attempt_at, sequence) WHERE status = 'pending';
DROP INDEX CONCURRENTLY IF EXISTS webhook_deliveries_due;

-- What somebody waits for goes before the schedule.
DROP INDEX CONCURRENTLY IF EXISTS webhook_deliveries_asked;
CREATE INDEX CONCURRENTLY webhook_deliveries_asked ON webhook_deliveries (endpoint_id, next_attempt_at, sequence) WHERE status = 'pending' AND trigger <> 'schedule';

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS webhook_deliveries_asked;
DROP INDEX CONCURRENTLY IF EXISTS webhook_deliveries_due;
CREATE INDEX CONCURRENTLY webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_attempt_at, sequence) WHERE status = 'pending';
DROP INDEX CONCURRENTLY IF EXISTS webhook_deliveries_pending;
ALTER TABLE webhook_deliveries DROP COLUMN IF EXISTS era;
ALTER TABLE webhook_states DROP COLUMN IF EXISTS held_until;
ALTER TABLE webhook_states DROP COLUMN IF EXISTS slow;
ALTER TABLE webhook_states DROP COLUMN IF EXISTS era;
