-- +goose Up
-- Symbols that the organization says are another name of an instrument: an array of objects with
-- symbol and instrument.
SET LOCAL lock_timeout = '2s';
ALTER TABLE organizations ADD COLUMN symbol_mappings jsonb NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE organizations DROP COLUMN symbol_mappings;
