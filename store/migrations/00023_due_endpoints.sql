-- +goose NO TRANSACTION
-- +goose Up
-- Processes claim the endpoints that are due from their states, and steps from
-- interview_steps, which has such an index. The tables of the queue that did this
-- before (river_*) stay for processes of the version before, and webhook_states
-- its job_id and token; the next version drops them.
DROP INDEX CONCURRENTLY IF EXISTS webhook_states_due;
CREATE INDEX CONCURRENTLY webhook_states_due ON webhook_states (job_at) WHERE job_at IS NOT NULL;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS webhook_states_due;
