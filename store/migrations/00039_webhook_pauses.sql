-- +goose Up
-- Since when an endpoint's deliveries are held back because somebody has paused it (held_until says until when at most).
SET LOCAL lock_timeout = '2s';
ALTER TABLE webhook_states ADD COLUMN paused_at timestamptz; -- null unless somebody has paused it

-- +goose Down
SET LOCAL lock_timeout = '2s';
ALTER TABLE webhook_states DROP COLUMN paused_at;
