-- +goose NO TRANSACTION
-- +goose Up
-- The interview or trader that a kept answer shows; null: none. The answer goes
-- when that is deleted.
ALTER TABLE idempotency_keys ADD COLUMN IF NOT EXISTS subject uuid;
DROP INDEX CONCURRENTLY IF EXISTS idempotency_keys_subject;
CREATE INDEX CONCURRENTLY idempotency_keys_subject ON idempotency_keys (subject) WHERE subject IS NOT NULL;

-- As the newest report has it; null until there is one.
ALTER TABLE interviews ADD COLUMN IF NOT EXISTS integrity_summary jsonb;

-- +goose Down
ALTER TABLE interviews DROP COLUMN IF EXISTS integrity_summary;
DROP INDEX CONCURRENTLY IF EXISTS idempotency_keys_subject;
ALTER TABLE idempotency_keys DROP COLUMN IF EXISTS subject;
