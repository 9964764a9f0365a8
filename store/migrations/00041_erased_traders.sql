-- +goose Up
-- The row of an erased trader stays, so that its id remains valid, and nothing is added to it any more.
-- The audit log is read before traders is locked, because that may take long.
SET LOCAL lock_timeout = '2s';
CREATE TEMPORARY TABLE erased ON COMMIT DROP AS SELECT object_id AS id, max(at) AS at FROM audit_log WHERE action = 'trader.erased' GROUP BY object_id;
ALTER TABLE traders ADD COLUMN erased_at timestamptz;
UPDATE traders AS t SET erased_at = e.at FROM erased AS e WHERE t.id = e.id AND t.status = 'archived' AND t.full_name IS NULL;

-- +goose Down
SET LOCAL lock_timeout = '2s';
ALTER TABLE traders DROP COLUMN erased_at;
