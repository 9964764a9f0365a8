-- +goose NO TRANSACTION
-- +goose Up

-- Values that the contract does not know, by the fields that were to hold them.
-- They stood in metadata, as its member unrecognized, which is the platform's own.
-- +goose StatementBegin
DO $$ BEGIN
    SET LOCAL lock_timeout = '2s';
    ALTER TABLE traders ADD COLUMN IF NOT EXISTS unrecognized jsonb;
    ALTER TABLE accounts ADD COLUMN IF NOT EXISTS unrecognized jsonb;
END $$;
-- +goose StatementEnd

-- What was put there is moved, a thousand rows at a time: it names nothing but
-- fields that are empty. The rows are locked in the order in which syncs write them.
-- +goose StatementBegin
DO $$
DECLARE
    last uuid := '00000000-0000-0000-0000-000000000000';
    upto uuid;
BEGIN
    LOOP
        upto := (SELECT id FROM (SELECT id FROM traders WHERE id > last ORDER BY id LIMIT 1000) AS x ORDER BY id DESC LIMIT 1);
        EXIT WHEN upto IS NULL;
        WITH moved AS (
            SELECT id FROM traders WHERE id > last AND id <= upto AND source = 'custom_api' AND unrecognized IS NULL AND kyc_status IS NULL
                AND jsonb_typeof(metadata -> 'unrecognized') = 'object' AND metadata -> 'unrecognized' <> '{}'
                AND metadata -> 'unrecognized' = jsonb_strip_nulls(jsonb_build_object('kyc_status', metadata -> 'unrecognized' -> 'kyc_status'))
            ORDER BY integration_id, external_id FOR UPDATE
        )
        UPDATE traders AS t SET unrecognized = t.metadata -> 'unrecognized', metadata = nullif(t.metadata - 'unrecognized', '{}') FROM moved WHERE t.id = moved.id;
        COMMIT;
        last := upto;
    END LOOP;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
DO $$
DECLARE
    last uuid := '00000000-0000-0000-0000-000000000000';
    upto uuid;
BEGIN
    LOOP
        upto := (SELECT id FROM (SELECT id FROM accounts WHERE id > last ORDER BY id LIMIT 1000) AS x ORDER BY id DESC LIMIT 1);
        EXIT WHEN upto IS NULL;
        WITH moved AS (
            SELECT a.id FROM accounts AS a, LATERAL (SELECT a.metadata -> 'unrecognized' AS u) AS m
            WHERE a.id > last AND a.id <= upto AND a.unrecognized IS NULL AND jsonb_typeof(u) = 'object' AND u <> '{}'
                AND u = jsonb_strip_nulls(jsonb_build_object('platform', CASE WHEN a.platform IS NULL THEN u -> 'platform' END,
                    'phase', CASE WHEN a.phase IS NULL THEN u -> 'phase' END, 'status', CASE WHEN a.status IS NULL THEN u -> 'status' END))
            ORDER BY a.integration_id, a.external_id FOR UPDATE OF a
        )
        UPDATE accounts AS a SET unrecognized = a.metadata -> 'unrecognized', metadata = nullif(a.metadata - 'unrecognized', '{}') FROM moved WHERE a.id = moved.id;
        COMMIT;
        last := upto;
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
UPDATE accounts SET metadata = coalesce(metadata, '{}') || jsonb_build_object('unrecognized', unrecognized) WHERE unrecognized IS NOT NULL;
UPDATE traders SET metadata = coalesce(metadata, '{}') || jsonb_build_object('unrecognized', unrecognized) WHERE unrecognized IS NOT NULL;
ALTER TABLE accounts DROP COLUMN IF EXISTS unrecognized;
ALTER TABLE traders DROP COLUMN IF EXISTS unrecognized;
