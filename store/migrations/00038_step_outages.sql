-- +goose Up
-- Since when a step of an interview waits for a disk, the blob store or the database, whose faults do not count as its own attempts.
SET LOCAL lock_timeout = '2s';
ALTER TABLE interview_steps ADD COLUMN outage_since timestamptz; -- null unless its last attempt met an outage

-- +goose Down
SET LOCAL lock_timeout = '2s';
ALTER TABLE interview_steps DROP COLUMN outage_since;
