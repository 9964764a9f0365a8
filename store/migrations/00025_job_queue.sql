-- +goose Up
SET LOCAL lock_timeout = '2s';

-- What the job queue before migration 23 left for processes that still used it: its
-- tables, where a database has them, which may name interviews that were deleted, and
-- the columns and indexes that nothing reads since.
DROP TABLE IF EXISTS river_client_queue, river_client, river_job, river_leader, river_notification, river_queue, river_migration;
DROP FUNCTION IF EXISTS river_job_state_in_bitmask;
DROP TYPE IF EXISTS river_job_state;
ALTER TABLE webhook_states DROP COLUMN job_id, DROP COLUMN token;
DROP INDEX interview_steps_leased, interview_steps_queued;

-- +goose Down
SET LOCAL lock_timeout = '2s';
CREATE INDEX interview_steps_queued ON interview_steps (job_at) WHERE status = 'queued';
CREATE INDEX interview_steps_leased ON interview_steps (leased_until) WHERE status = 'running';
ALTER TABLE webhook_states ADD COLUMN token bigint NOT NULL DEFAULT 0, ADD COLUMN job_id bigint;
