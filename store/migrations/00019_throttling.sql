-- +goose Up
SET LOCAL lock_timeout = '2s';

-- How the platform asks to be left alone (store.Throttling); null: it does not.
ALTER TABLE sync_state ADD COLUMN throttling jsonb;

-- The newest good answer since the platform last asked to be left alone; null:
-- there was none. The gap narrows with the time in which good answers come.
ALTER TABLE request_budgets ADD COLUMN good_at timestamptz;

-- +goose Down
ALTER TABLE request_budgets DROP COLUMN good_at;
ALTER TABLE sync_state DROP COLUMN throttling;
