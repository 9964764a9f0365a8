-- +goose NO TRANSACTION
-- +goose Up
-- Processes claim webhook endpoints and steps of interviews that are due from these
-- rows: their time has come, and no process has them under a lease. Migration 25
-- removes what the job queue before this one used.
DROP INDEX CONCURRENTLY IF EXISTS webhook_states_due;
CREATE INDEX CONCURRENTLY webhook_states_due ON webhook_states (job_at) WHERE job_at IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS interview_steps_due;
CREATE INDEX CONCURRENTLY interview_steps_due ON interview_steps (job_at) WHERE job_at IS NOT NULL;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS interview_steps_due;
DROP INDEX CONCURRENTLY IF EXISTS webhook_states_due;
