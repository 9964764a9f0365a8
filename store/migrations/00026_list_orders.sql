-- +goose NO TRANSACTION
-- +goose Up
-- Lists sorted by the name of a trader. Every row meets the condition on created_at, which keeps the
-- indexes to the statements that name it (see trades_opened).
DROP INDEX CONCURRENTLY IF EXISTS traders_named;
CREATE INDEX CONCURRENTLY traders_named ON traders (organization_id,
    (lower(left(coalesce(override_full_name, full_name, override_email, email, override_external_id COLLATE "default", external_id COLLATE "default", ''), 200))), id)
    WHERE status <> 'archived' AND created_at > '-infinity';
DROP INDEX CONCURRENTLY IF EXISTS traders_archived_named;
CREATE INDEX CONCURRENTLY traders_archived_named ON traders (organization_id,
    (lower(left(coalesce(override_full_name, full_name, override_email, email, override_external_id COLLATE "default", external_id COLLATE "default", ''), 200))), id)
    WHERE status = 'archived' AND created_at > '-infinity';
-- The organization's payouts, the last requested first.
DROP INDEX CONCURRENTLY IF EXISTS payouts_requested;
CREATE INDEX CONCURRENTLY payouts_requested ON payouts (organization_id, requested_at DESC NULLS LAST, id DESC) WHERE created_at > '-infinity';

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS payouts_requested;
DROP INDEX CONCURRENTLY IF EXISTS traders_archived_named;
DROP INDEX CONCURRENTLY IF EXISTS traders_named;
