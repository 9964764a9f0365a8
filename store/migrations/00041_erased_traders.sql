-- +goose Up
-- The row of an erased trader stays, so that its id remains valid, and nothing is added to it any more.
SET LOCAL lock_timeout = '2s';
ALTER TABLE traders ADD COLUMN erased_at timestamptz;
UPDATE traders AS t SET erased_at = e.at FROM (SELECT object_id, max(at) AS at FROM audit_log WHERE action = 'trader.erased' GROUP BY object_id) AS e
WHERE t.id = e.object_id AND t.status = 'archived' AND t.full_name IS NULL;

-- +goose Down
SET LOCAL lock_timeout = '2s';
ALTER TABLE traders DROP COLUMN erased_at;
