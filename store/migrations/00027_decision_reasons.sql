-- +goose Up
-- The organization's reasons for decisions, which people choose from: an array of objects with
-- decision, which may be null, and text.
SET LOCAL lock_timeout = '2s';
ALTER TABLE organizations ADD COLUMN decision_reasons jsonb NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE organizations DROP COLUMN decision_reasons;
