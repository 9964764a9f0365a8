-- +goose Up
-- Whether the blobs of a removal are gone. The removal of a deleted interview then waits only for its events to be delivered.
SET LOCAL lock_timeout = '2s';
ALTER TABLE removals ADD COLUMN blobs_gone boolean NOT NULL DEFAULT false;

-- +goose Down
SET LOCAL lock_timeout = '2s';
ALTER TABLE removals DROP COLUMN blobs_gone;
