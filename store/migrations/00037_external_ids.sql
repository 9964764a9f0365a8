-- +goose Up
-- The name by which an identity provider knows a person, who is found by it (externalId of SCIM).
SET LOCAL lock_timeout = '2s';
ALTER TABLE people ADD COLUMN external_id text; -- null unless a provider has given one

-- +goose Down
SET LOCAL lock_timeout = '2s';
ALTER TABLE people DROP COLUMN external_id;
