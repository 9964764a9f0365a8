-- +goose NO TRANSACTION
-- +goose Up

-- How many findings of medium and low severity the newest report has, as high_findings counts those of high severity.
-- A report that the version before writes during an upgrade counts none of them until it is made again.
-- +goose StatementBegin
DO $$ BEGIN
    SET LOCAL lock_timeout = '2s';
    ALTER TABLE interviews ADD COLUMN IF NOT EXISTS medium_findings integer NOT NULL DEFAULT 0, ADD COLUMN IF NOT EXISTS low_findings integer NOT NULL DEFAULT 0;
END $$;
-- +goose StatementEnd

-- Those of the reports that exist are counted, a hundred interviews at a time, because reports are long.
-- +goose StatementBegin
DO $$
DECLARE
    last uuid := '00000000-0000-0000-0000-000000000000';
    upto uuid;
BEGIN
    LOOP
        upto := (SELECT id FROM (SELECT id FROM interviews WHERE id > last ORDER BY id LIMIT 100) AS x ORDER BY id DESC LIMIT 1);
        EXIT WHEN upto IS NULL;
        UPDATE interviews AS i SET medium_findings = n.medium, low_findings = n.low FROM (
            SELECT r.interview_id, r.version, count(*) FILTER (WHERE f ->> 'severity' = 'medium') AS medium, count(*) FILTER (WHERE f ->> 'severity' = 'low') AS low
            FROM interview_reports AS r, json_array_elements(r.report -> 'findings') AS f WHERE r.interview_id > last AND r.interview_id <= upto GROUP BY 1, 2
        ) AS n WHERE n.interview_id = i.id AND n.version = i.report_version AND (i.medium_findings, i.low_findings) IS DISTINCT FROM (n.medium, n.low);
        COMMIT;
        last := upto;
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
ALTER TABLE interviews DROP COLUMN IF EXISTS medium_findings, DROP COLUMN IF EXISTS low_findings;
