-- +goose Up
SET LOCAL lock_timeout = '2s';

-- Two integrations are about the same platform only when their base URLs are the
-- same in their normalized form, and the traders there are those that are known.
ALTER TABLE integrations
    ADD COLUMN platform_unconfirmed boolean NOT NULL DEFAULT false; -- nothing is written until its traders are known

-- +goose Down
SET LOCAL lock_timeout = '2s';
ALTER TABLE integrations DROP COLUMN platform_unconfirmed;
