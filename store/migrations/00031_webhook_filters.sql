-- +goose Up
-- Members of events, each with the values that an endpoint wants: [{"member", "values"}].
SET LOCAL lock_timeout = '2s';
ALTER TABLE webhook_endpoints ADD COLUMN filters jsonb NOT NULL DEFAULT '[]';

-- +goose Down
SET LOCAL lock_timeout = '2s';
ALTER TABLE webhook_endpoints DROP COLUMN filters;
