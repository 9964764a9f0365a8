-- +goose NO TRANSACTION
-- +goose Up
-- The runs of an integration by what they read and how they ended, the last begun first. Few runs do not succeed, and
-- those that do are counted in the first index.
DROP INDEX CONCURRENTLY IF EXISTS sync_runs_resource;
CREATE INDEX CONCURRENTLY sync_runs_resource ON sync_runs (integration_id, resource, started_at DESC, id DESC) INCLUDE (status);
DROP INDEX CONCURRENTLY IF EXISTS sync_runs_status;
CREATE INDEX CONCURRENTLY sync_runs_status ON sync_runs (integration_id, status, started_at DESC, id DESC) WHERE status <> 'succeeded';

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS sync_runs_status;
DROP INDEX CONCURRENTLY IF EXISTS sync_runs_resource;
