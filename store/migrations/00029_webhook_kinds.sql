-- +goose Up
-- What an endpoint is sent, and the headers that its owner adds. Values of headers are sealed;
-- their names are shown.
SET LOCAL lock_timeout = '2s';
ALTER TABLE webhook_endpoints
    ADD COLUMN kind text NOT NULL DEFAULT 'standard' CHECK (kind IN ('standard', 'slack', 'teams')),
    ADD COLUMN header_names text[] NOT NULL DEFAULT '{}',
    ADD COLUMN headers bytea; -- sealed JSON; null: there are none

-- +goose Down
SET LOCAL lock_timeout = '2s';
ALTER TABLE webhook_endpoints DROP COLUMN kind, DROP COLUMN header_names, DROP COLUMN headers;
