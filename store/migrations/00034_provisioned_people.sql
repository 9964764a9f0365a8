-- +goose Up
-- A person whom an identity provider has deactivated is removed, but still known to the provider,
-- which may activate or delete the person later.
SET LOCAL lock_timeout = '2s';
ALTER TABLE people ADD COLUMN deactivated_at timestamptz; -- null unless a provider has deactivated the person

-- +goose Down
SET LOCAL lock_timeout = '2s';
ALTER TABLE people DROP COLUMN deactivated_at;
