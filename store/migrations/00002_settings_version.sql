-- +goose Up
SET LOCAL lock_timeout = '2s';

-- Rises with each change of what a live check looks at (base_url, api_key,
-- account_scope, is_active), so that its outcome is never taken for that of
-- other settings. A constant default rewrites no row.
ALTER TABLE integrations ADD COLUMN settings_version bigint NOT NULL DEFAULT 1;

-- +goose Down
SET LOCAL lock_timeout = '2s';
ALTER TABLE integrations DROP COLUMN settings_version;
