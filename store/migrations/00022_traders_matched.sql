-- +goose NO TRANSACTION
-- +goose Up
-- When what people made, a row by hand or an interview, was put to a trader of a
-- platform by email; null: never. Another platform that brings the same email
-- later is found by it. The index holds those rows alone.
-- +goose StatementBegin
DO $$ BEGIN
    SET LOCAL lock_timeout = '2s';
    ALTER TABLE traders ADD COLUMN IF NOT EXISTS matched_at timestamptz;
END $$;
-- +goose StatementEnd
DROP INDEX CONCURRENTLY IF EXISTS traders_matched;
CREATE INDEX CONCURRENTLY traders_matched ON traders (organization_id, lower(coalesce(override_email, email))) WHERE matched_at IS NOT NULL;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS traders_matched;
ALTER TABLE traders DROP COLUMN IF EXISTS matched_at;
