-- +goose NO TRANSACTION
-- +goose Up

-- A statement of trades that somebody has uploaded for a trader. The same bytes
-- for the same trader are one file: sent again with other words about them, they
-- are read again in its place.
CREATE TABLE IF NOT EXISTS activity_files (
    id              uuid PRIMARY KEY,
    organization_id uuid NOT NULL,
    trader_id       uuid NOT NULL,
    sha256          bytea NOT NULL,
    bytes           bigint NOT NULL,
    name            text NOT NULL,    -- as the sender calls it, sanitized; may be empty
    media_type      text NOT NULL,    -- by content
    options         jsonb NOT NULL,   -- what the sender said of it, such as its timezone
    reader          integer NOT NULL, -- version of the code that has read it
    report          jsonb NOT NULL,   -- what reading it told
    trades          bigint NOT NULL,
    uploaded_by     text NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now() -- when it was read last
);
CREATE UNIQUE INDEX IF NOT EXISTS activity_files_content ON activity_files (trader_id, sha256);
CREATE INDEX IF NOT EXISTS activity_files_trader ON activity_files (organization_id, trader_id, created_at DESC, id DESC);

-- The bytes as they came, in pieces, so that neither writing nor reading a file
-- holds it whole. They lie here, and not beside the database, because they come,
-- go and are backed up with the rows that were read from them.
CREATE TABLE IF NOT EXISTS activity_file_pieces (
    file_id uuid NOT NULL REFERENCES activity_files (id) ON DELETE CASCADE,
    number  integer NOT NULL,
    body    bytea NOT NULL,
    PRIMARY KEY (file_id, number)
);

CREATE TABLE IF NOT EXISTS activity_accounts (
    file_id         uuid NOT NULL REFERENCES activity_files (id) ON DELETE CASCADE,
    number          integer NOT NULL, -- within the file, from 0
    id              uuid NOT NULL,    -- kept when the file is read again
    login           text NOT NULL,    -- empty: the file does not tell
    platform        text NOT NULL,
    currency        text NOT NULL,
    initial_balance numeric,
    PRIMARY KEY (file_id, number)
);

-- The trades of a file, as bulk as those of platforms and for the same reasons
-- without foreign keys.
CREATE TABLE IF NOT EXISTS activity_trades (
    organization_id uuid NOT NULL,
    file_id         uuid NOT NULL,
    account         integer NOT NULL,
    id              text COLLATE "C" NOT NULL, -- unique within the account
    symbol          text NOT NULL,
    side            text NOT NULL,
    volume          numeric,
    open_time       timestamptz,
    close_time      timestamptz,
    open_price      numeric,
    close_price     numeric,
    stop_loss       numeric,
    take_profit     numeric,
    commission      numeric,
    swap            numeric,
    profit          numeric,
    PRIMARY KEY (file_id, account, id)
);
CREATE INDEX IF NOT EXISTS activity_trades_time ON activity_trades (organization_id, open_time);

-- Who else opened something at about the same moment: what compares accounts of
-- different traders would else read all trades. Every row meets the condition,
-- which keeps the index to the statements that name it (see trades_opened).
DROP INDEX CONCURRENTLY IF EXISTS trades_time;
CREATE INDEX CONCURRENTLY trades_time ON trades (integration_id, open_time) WHERE updated_at < 'infinity';

-- Who else signed in from the same address.
DROP INDEX CONCURRENTLY IF EXISTS traders_login_ip;
CREATE INDEX CONCURRENTLY traders_login_ip ON traders (organization_id, (metadata ->> 'last_login_ip')) WHERE metadata ->> 'last_login_ip' IS NOT NULL;

-- The thresholds by which activity is judged, and the scheduled news it is held
-- against. The row with the highest number counts; earlier ones say what older
-- reports were made with.
CREATE TABLE IF NOT EXISTS analysis_rulesets (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    number          integer NOT NULL,
    hash            bytea NOT NULL, -- SHA-256 of the body
    body            json NOT NULL,
    created_by      text NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, number)
);

CREATE TABLE IF NOT EXISTS analysis_calendars (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    number          integer NOT NULL,
    hash            bytea NOT NULL, -- SHA-256 of the body
    body            bytea NOT NULL, -- CSV as it came
    events          integer NOT NULL,
    first_at        timestamptz,    -- null: there are no events
    last_at         timestamptz,
    created_by      text NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, number)
);

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS traders_login_ip;
DROP INDEX CONCURRENTLY IF EXISTS trades_time;
DROP TABLE IF EXISTS analysis_calendars, analysis_rulesets, activity_trades, activity_accounts, activity_file_pieces, activity_files;
