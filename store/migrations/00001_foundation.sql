-- +goose Up
SET LOCAL lock_timeout = '2s';

-- Substring search over the directory of traders.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE TABLE organizations (
    id         uuid PRIMARY KEY,
    name       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX organizations_name ON organizations (lower(name));

CREATE TABLE people (
    id              uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    email           text NOT NULL,
    name            text NOT NULL,
    role            text NOT NULL CHECK (role IN ('owner', 'reviewer', 'viewer')),
    password_hash   text, -- argon2id; null when the person signs in elsewhere
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX people_email ON people (organization_id, lower(email));

CREATE TABLE api_keys (
    id              uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    name            text NOT NULL,
    prefix          text NOT NULL,
    secret_hash     bytea NOT NULL, -- SHA-256 of the whole key
    scopes          text[] NOT NULL,
    created_by_name text NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    expires_at      timestamptz, -- null: never
    revoked_at      timestamptz
);
CREATE UNIQUE INDEX api_keys_secret_hash ON api_keys (secret_hash);
CREATE INDEX api_keys_organization ON api_keys (organization_id, created_at DESC, id DESC);

-- An integration that was deleted stays as a tombstone (deleted_at), because its
-- traders stay; connecting the same platform again revives it.
CREATE TABLE integrations (
    id                    uuid PRIMARY KEY,
    organization_id       uuid NOT NULL REFERENCES organizations (id),
    kind                  text NOT NULL,
    name                  text NOT NULL,
    base_url              text NOT NULL,
    api_key               bytea, -- sealed; null once deleted
    api_key_preview       text NOT NULL,
    account_scope         jsonb,
    sync_interval_seconds integer NOT NULL CHECK (sync_interval_seconds BETWEEN 60 AND 3600),
    is_active             boolean NOT NULL DEFAULT true,
    health_status         text NOT NULL,
    check_error           jsonb, -- of the newest live check; null once one has passed
    created_at            timestamptz NOT NULL DEFAULT now(),
    updated_at            timestamptz NOT NULL DEFAULT now(),
    deleted_at            timestamptz
);
CREATE INDEX integrations_organization ON integrations (organization_id, created_at DESC, id DESC);

-- One row per integration is at once its schedule, its lease and its fencing
-- token. Everything that a page touches is here, so that one update commits it.
CREATE TABLE sync_state (
    integration_id   uuid PRIMARY KEY REFERENCES integrations (id),
    organization_id  uuid NOT NULL,
    kind             text NOT NULL,
    claimable_at     timestamptz NOT NULL, -- due time, or end of the lease; infinity: not polled
    owner            text,                 -- the process that holds the lease; null: nobody
    token            bigint NOT NULL DEFAULT 0, -- rises with each claim and each fence; never reset
    phase_ms         bigint NOT NULL,      -- place of the slots on the epoch's grid
    period_ms        bigint NOT NULL,
    slot_at          timestamptz NOT NULL, -- when the next scheduled cycle begins
    wait_reason      text,                 -- why claimable_at is not slot_at; null: it is
    manual           boolean NOT NULL DEFAULT false, -- the next cycle was asked for
    cycle_id         uuid,                 -- the cycle in hand; null: none
    cycle_trigger    text,
    cycle_started_at timestamptz,
    cycle_throttled_ms bigint NOT NULL DEFAULT 0,
    run              jsonb,                -- the open run of the running stream, with its checkpoint
    failures         integer NOT NULL DEFAULT 0, -- cycles in a row without any success
    quarantined      bigint NOT NULL DEFAULT 0,
    traders          bigint NOT NULL DEFAULT 0,
    accounts         bigint NOT NULL DEFAULT 0,
    trades           bigint NOT NULL DEFAULT 0,
    payouts          bigint NOT NULL DEFAULT 0,
    last_started_at  timestamptz,
    last_finished_at timestamptz,
    last_success_at  timestamptz
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX sync_state_claimable ON sync_state (claimable_at);

CREATE TABLE sync_streams (
    integration_id  uuid NOT NULL REFERENCES integrations (id),
    stream          text NOT NULL,
    watermark       timestamptz, -- null: never read completely
    run             jsonb,       -- an open run that is parked while others go on
    last_cycle_id   uuid,        -- the cycle that ended a run of the stream last
    last_run_id     uuid,        -- the row that an unchanged run is added to
    last_status     text,
    last_error      jsonb,       -- null once a run has succeeded
    last_success_at timestamptz,
    ask_again_at    timestamptz, -- an optional stream that answered 404 is left alone until then
    PRIMARY KEY (integration_id, stream)
) WITH (fillfactor = 70);

CREATE TABLE sync_runs (
    id                  uuid PRIMARY KEY,
    integration_id      uuid NOT NULL,
    cycle_id            uuid NOT NULL,
    resource            text NOT NULL,
    trigger             text NOT NULL,
    mode                text NOT NULL,
    status              text NOT NULL,
    pages               bigint NOT NULL DEFAULT 0,
    requests            bigint NOT NULL DEFAULT 0,
    records_seen        bigint NOT NULL DEFAULT 0,
    records_inserted    bigint NOT NULL DEFAULT 0,
    records_updated     bigint NOT NULL DEFAULT 0,
    records_unchanged   bigint NOT NULL DEFAULT 0,
    records_quarantined bigint NOT NULL DEFAULT 0,
    throttled_ms        bigint NOT NULL DEFAULT 0,
    repeats             bigint NOT NULL DEFAULT 0,
    updated_since       timestamptz,
    error               jsonb,
    started_at          timestamptz NOT NULL,
    finished_at         timestamptz
) WITH (fillfactor = 80);
CREATE INDEX sync_runs_integration ON sync_runs (integration_id, started_at DESC, id DESC);

-- What happened to an integration's schedule and health, with the reason.
CREATE TABLE integration_transitions (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    integration_id uuid NOT NULL,
    at             timestamptz NOT NULL DEFAULT now(),
    kind           text NOT NULL, -- health, lease, wait, request, settings
    from_status    text,
    to_status      text,
    reason         text NOT NULL
);
CREATE INDEX integration_transitions_integration ON integration_transitions (integration_id, id DESC);

CREATE TABLE quarantine (
    integration_id uuid NOT NULL,
    resource       text NOT NULL,
    key            text NOT NULL,
    raw            text NOT NULL,
    pointer        text NOT NULL,
    rule           text NOT NULL,
    detail         text NOT NULL,
    count          bigint NOT NULL,
    first_seen_at  timestamptz NOT NULL,
    last_seen_at   timestamptz NOT NULL,
    PRIMARY KEY (integration_id, resource, key)
);

CREATE TABLE findings (
    integration_id uuid NOT NULL,
    resource       text NOT NULL,
    rule           text NOT NULL,
    count          bigint NOT NULL,
    samples        text[] NOT NULL,
    first_seen_at  timestamptz NOT NULL,
    last_seen_at   timestamptz NOT NULL,
    PRIMARY KEY (integration_id, resource, rule)
);

-- Request slots handed out to the processes. Losing it in a crash costs one
-- burst of a block, so it is kept out of the write-ahead log.
CREATE UNLOGGED TABLE request_budgets (
    integration_id uuid PRIMARY KEY,
    next_slot_at   timestamptz NOT NULL,
    gap            interval NOT NULL
) WITH (fillfactor = 50);

-- One process at a time does each housekeeping job.
CREATE TABLE housekeeping (
    job    text PRIMARY KEY,
    due_at timestamptz NOT NULL,
    owner  text
);

-- The four bulk tables carry no foreign keys: a row-by-row check of each would
-- cost more than writing it, children may arrive before their parents, and
-- neither organizations nor integrations are ever deleted.
-- Beside the key no index begins with the integration: a planner that has no
-- statistics of a new integration could not tell them apart.
-- Platforms' ids are compared byte by byte, which is faster than the order of a
-- language and all that an id needs.
CREATE TABLE traders (
    id                  uuid PRIMARY KEY,
    organization_id     uuid NOT NULL,
    integration_id      uuid, -- null: made by hand
    source              text NOT NULL, -- custom_api, partner_platform, manual
    external_id         text COLLATE "C",
    first_name          text,
    last_name           text,
    full_name           text,
    email               text,
    country             text,
    phone               text,
    kyc_status          text,
    status              text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'under_review', 'restricted', 'archived')),
    tags                text[] NOT NULL DEFAULT '{}',
    registered_at       timestamptz,
    metadata            jsonb,
    platform_updated_at timestamptz,
    missing_since       timestamptz,
    content_hash        bytea,
    created_at          timestamptz NOT NULL DEFAULT now(),
    updated_at          timestamptz NOT NULL DEFAULT now(),
    search              text GENERATED ALWAYS AS (lower(coalesce(full_name, '') || E'\n' || coalesce(email, '') || E'\n' || coalesce(external_id COLLATE "default", ''))) STORED
);
CREATE UNIQUE INDEX traders_external_id ON traders (integration_id, external_id);
CREATE UNIQUE INDEX traders_manual_external_id ON traders (organization_id, external_id) WHERE integration_id IS NULL;
CREATE INDEX traders_directory ON traders (organization_id, created_at DESC, id DESC) WHERE status <> 'archived';
CREATE INDEX traders_archived ON traders (organization_id, created_at DESC, id DESC) WHERE status = 'archived';
CREATE INDEX traders_email ON traders (organization_id, lower(email));
CREATE INDEX traders_manual_email ON traders (organization_id, lower(email)) WHERE integration_id IS NULL;
CREATE INDEX traders_search ON traders USING gin (search gin_trgm_ops);

CREATE TABLE accounts (
    id                  uuid PRIMARY KEY,
    organization_id     uuid NOT NULL,
    integration_id      uuid NOT NULL,
    external_id         text COLLATE "C" NOT NULL,
    trader_external_id  text COLLATE "C",
    partner_id          text, -- the partner's second account id
    platform            text,
    login               text,
    program             text,
    phase               text,
    status              text,
    currency            text,
    initial_balance     numeric,
    balance             numeric,
    equity              numeric,
    started_at          timestamptz,
    metadata            jsonb,
    platform_updated_at timestamptz,
    missing_since       timestamptz,
    content_hash        bytea NOT NULL,
    created_at          timestamptz NOT NULL DEFAULT now(),
    updated_at          timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX accounts_external_id ON accounts (integration_id, external_id);
CREATE INDEX accounts_trader ON accounts (trader_external_id, integration_id);

CREATE TABLE trades (
    integration_id      uuid NOT NULL,
    account_external_id text COLLATE "C" NOT NULL,
    id                  text COLLATE "C" NOT NULL, -- the platform's; unique within its account only
    symbol              text NOT NULL,
    side                text NOT NULL,
    volume              numeric,
    open_time           timestamptz, -- null: the partner's could not be read
    close_time          timestamptz, -- null: open
    open_price          numeric,
    close_price         numeric,
    stop_loss           numeric,
    take_profit         numeric,
    commission          numeric,
    swap                numeric,
    profit              numeric,
    platform_updated_at timestamptz,
    missing_since       timestamptz,
    content_hash        bytea NOT NULL,
    updated_at          timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (integration_id, account_external_id, id)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000);
-- Every row meets the condition. It keeps the index to the statements that name
-- it, so that looking trades up by their key can't go through it.
CREATE INDEX trades_opened ON trades (integration_id, account_external_id, open_time DESC NULLS LAST, id DESC) WHERE updated_at > '-infinity';

CREATE TABLE payouts (
    id                  uuid PRIMARY KEY,
    organization_id     uuid NOT NULL,
    integration_id      uuid NOT NULL,
    external_id         text COLLATE "C" NOT NULL,
    trader_external_id  text COLLATE "C",
    account_external_id text COLLATE "C",
    status              text,
    amount              numeric,
    currency            text,
    requested_at        timestamptz,
    paid_at             timestamptz,
    metadata            jsonb,
    platform_updated_at timestamptz,
    missing_since       timestamptz,
    content_hash        bytea NOT NULL,
    created_at          timestamptz NOT NULL DEFAULT now(),
    updated_at          timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX payouts_external_id ON payouts (integration_id, external_id);
CREATE INDEX payouts_trader ON payouts (trader_external_id, integration_id);

-- +goose Down
DROP TABLE payouts, trades, accounts, traders, housekeeping, request_budgets, findings, quarantine,
    integration_transitions, sync_runs, sync_streams, sync_state, integrations, api_keys, people, organizations;
