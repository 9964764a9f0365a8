-- +goose NO TRANSACTION
-- +goose Up
-- By these, the events of a deleted interview and their deliveries are found.
DROP INDEX CONCURRENTLY IF EXISTS webhook_events_interview;
CREATE INDEX CONCURRENTLY webhook_events_interview ON webhook_events ((data ->> 'interview_id')) WHERE type LIKE 'interview.%' AND data IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS webhook_deliveries_interview;
CREATE INDEX CONCURRENTLY webhook_deliveries_interview ON webhook_deliveries (event_id) WHERE event_type LIKE 'interview.%';

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS webhook_deliveries_interview;
DROP INDEX CONCURRENTLY IF EXISTS webhook_events_interview;
