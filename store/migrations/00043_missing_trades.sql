-- +goose NO TRANSACTION
-- +goose Up
-- The trades that are missing on their platform. They are few, and do not count: sums, which read only the index
-- trades_opened, leave them out by this one.
DROP INDEX CONCURRENTLY IF EXISTS trades_missing;
CREATE INDEX CONCURRENTLY trades_missing ON trades (integration_id, account_external_id, id) WHERE missing_since IS NOT NULL;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS trades_missing;
