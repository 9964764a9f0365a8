-- +goose Up
SET LOCAL lock_timeout = '2s';

-- Attempts at requests that carry an Idempotency-Key. The primary key is what
-- makes one of several equal requests the first.
CREATE TABLE idempotency_keys (
    key_id          uuid NOT NULL,  -- the API key that asks
    slot            bytea NOT NULL, -- SHA-256 of route and Idempotency-Key: of one size, and no words of the client's
    organization_id uuid NOT NULL,
    payload_hash    bytea NOT NULL, -- SHA-256
    token           uuid NOT NULL,  -- of the claim in force; another one's change does not commit
    locked_until    timestamptz,    -- end of the claim's lease; null once finished
    status          smallint,       -- of the answer; null while in flight
    location        text,           -- null: the answer has none
    body            bytea,          -- sealed; null: the answer has none
    created_at      timestamptz NOT NULL DEFAULT now(), -- when the claim in force was made
    completed_at    timestamptz,    -- null while in flight
    PRIMARY KEY (key_id, slot)
) WITH (fillfactor = 70);
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);

-- +goose Down
SET LOCAL lock_timeout = '2s';
DROP TABLE idempotency_keys;
