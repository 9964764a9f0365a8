-- +goose Up
SET LOCAL lock_timeout = '2s';

-- Where events are sent. A deleted endpoint keeps its row, without secrets, until
-- its deliveries are forgotten.
CREATE TABLE webhook_endpoints (
    id              uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    url             text NOT NULL,
    events          text[] NOT NULL, -- kinds, "*" and "group.*"
    disabled_reason text CHECK (disabled_reason IN ('manual', 'gone', 'failing')), -- null: it is active
    secret          bytea,           -- sealed; null once deleted
    previous_secret bytea,           -- sealed; signs beside the other one until previous_until
    previous_until  timestamptz,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    deleted_at      timestamptz
);
CREATE INDEX webhook_endpoints_organization ON webhook_endpoints (organization_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;

-- What moves with every event, apart from what people set. Rows are locked last
-- in a transaction, those of one organization in the order of their ids, and a
-- delivery after its endpoint's row: so changes of an organization, pages of its
-- integrations and deliveries never wait for each other in a circle.
CREATE TABLE webhook_states (
    endpoint_id   uuid PRIMARY KEY REFERENCES webhook_endpoints (id),
    is_active     boolean NOT NULL DEFAULT true,
    sequence      bigint NOT NULL DEFAULT 0, -- of the newest delivery
    version       bigint NOT NULL DEFAULT 0, -- rises with whatever gives the endpoint work
    token         bigint NOT NULL DEFAULT 0, -- of the job in force; another one's does nothing
    job_id        bigint,                    -- the job in force, in the queue
    job_at        timestamptz,               -- when that job is due; null: there is none
    run           bigint NOT NULL DEFAULT 0, -- rises each time that a process takes the job in hand, which fences the one before
    leased_until  timestamptz,               -- end of the lease of the process that has it in hand; null: none has
    failures      integer NOT NULL DEFAULT 0, -- failed attempts since the last success
    failing_since timestamptz,               -- when the first of them was made
    warnings      smallint NOT NULL DEFAULT 0 -- how often others were told that it is failing
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);

-- Events that some endpoint subscribes to. Ids are time-ordered.
CREATE TABLE webhook_events (
    id              uuid PRIMARY KEY,
    organization_id uuid NOT NULL,
    type            text NOT NULL,
    occurred_at     timestamptz NOT NULL DEFAULT now(),
    data            json -- as it is sent, and therefore not jsonb; null once its time is over
);
CREATE INDEX webhook_events_kept ON webhook_events (occurred_at) WHERE data IS NOT NULL;

-- Deliveries are written once and updated when an attempt has been made. An
-- attempt is due or under way while next_attempt_at has passed.
CREATE TABLE webhook_deliveries (
    id              uuid PRIMARY KEY,
    endpoint_id     uuid NOT NULL,
    organization_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    event_type      text NOT NULL,
    sequence        bigint NOT NULL,
    status          text NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed', 'skipped')),
    attempts        integer NOT NULL DEFAULT 0,     -- that have been made
    scheduled       smallint NOT NULL DEFAULT 0,    -- of the schedule's attempts, those that are over
    trigger         text NOT NULL DEFAULT 'schedule', -- of the next attempt: schedule, manual, test
    next_attempt_at timestamptz,                    -- null: none
    created_at      timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX webhook_deliveries_history ON webhook_deliveries (endpoint_id, created_at DESC, id DESC) INCLUDE (event_type, status);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_attempt_at, sequence) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_undelivered ON webhook_deliveries (endpoint_id, status, created_at DESC, id DESC) WHERE status IN ('failed', 'skipped');

CREATE TABLE webhook_attempts (
    delivery_id   uuid NOT NULL,
    number        integer NOT NULL, -- 1 is the first
    trigger       text NOT NULL,
    started_at    timestamptz NOT NULL,
    latency_ms    integer NOT NULL,
    http_status   integer, -- null: there was no answer
    error_code    text,    -- null: it succeeded
    response_body text,    -- the beginning; null: there was none, or its time is over
    truncated     boolean NOT NULL DEFAULT false,
    PRIMARY KEY (delivery_id, number)
);
CREATE INDEX webhook_attempts_kept ON webhook_attempts (started_at) WHERE response_body IS NOT NULL;

-- Whether somebody has been told that the key is about to expire.
ALTER TABLE api_keys ADD COLUMN expiring_told boolean NOT NULL DEFAULT false;

-- +goose Down
SET LOCAL lock_timeout = '2s';
ALTER TABLE api_keys DROP COLUMN expiring_told;
DROP TABLE webhook_attempts, webhook_deliveries, webhook_events, webhook_states, webhook_endpoints;
