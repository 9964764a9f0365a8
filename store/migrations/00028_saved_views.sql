-- +goose Up
-- The lists that a person comes back to, by name: an array of objects with list, name and query.
SET LOCAL lock_timeout = '2s';
ALTER TABLE people ADD COLUMN views jsonb NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE people DROP COLUMN views;
