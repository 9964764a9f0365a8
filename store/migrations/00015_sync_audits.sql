-- +goose Up

-- Comparisons of all that a platform shows with what is stored, one open at a
-- time for each integration.
CREATE TABLE sync_audits (
    id             uuid PRIMARY KEY,
    integration_id uuid NOT NULL,
    trigger        text NOT NULL, -- schedule, manual
    status         text NOT NULL, -- queued, running, succeeded, partial, failed, interrupted
    sweep          jsonb,         -- the resource that is being read, with its checkpoint; null: none is
    resources      jsonb NOT NULL DEFAULT '[]', -- what came of those that are over
    requested_at   timestamptz NOT NULL DEFAULT now(),
    started_at     timestamptz,   -- null: it waits for its turn
    finished_at    timestamptz    -- null: it is not over
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX sync_audits_open ON sync_audits (integration_id) WHERE finished_at IS NULL;
CREATE INDEX sync_audits_integration ON sync_audits (integration_id, requested_at DESC, id DESC);

-- Which records a sweep has been shown, as hashes of their keys, a row for each
-- page. A crash of the database empties it: then the sweep begins anew, so it is
-- kept out of the write-ahead log.
CREATE UNLOGGED TABLE sync_audit_pages (
    integration_id uuid NOT NULL,
    page           bigint NOT NULL,
    keys           bigint[] NOT NULL,
    PRIMARY KEY (integration_id, page)
);

-- What the last complete sweep of each resource has found.
CREATE TABLE sync_completeness (
    integration_id uuid NOT NULL,
    resource       text NOT NULL,
    ratio          double precision NOT NULL, -- 0 to 1
    audited_at     timestamptz NOT NULL,
    PRIMARY KEY (integration_id, resource)
);

-- +goose Down
DROP TABLE sync_completeness, sync_audit_pages, sync_audits;
