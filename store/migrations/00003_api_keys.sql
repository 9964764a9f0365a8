-- +goose Up
SET LOCAL lock_timeout = '2s';

-- When keys were last used, apart from the keys: those are read with each
-- request and hardly ever written. No row: never used.
CREATE TABLE api_key_uses (
    api_key_id   uuid PRIMARY KEY REFERENCES api_keys (id),
    last_used_at timestamptz NOT NULL
) WITH (fillfactor = 80);

-- The requests of each key in the newest window: a ring of times in
-- api_key_slots, and where it begins and ends in api_key_windows. Request n, of
-- those that were counted, is in slot n % 600. Both tables are changed by
-- admit_api_key only, under the lock of the key's row in api_key_windows. They
-- are unlogged, so that counting does not wait for the disk; a crash of the
-- server empties both, which forgets a minute's requests. They refer to no
-- other table, because checking a reference writes to the log.
--
-- All updates are HOT, whose leftovers the next access to the page clears:
-- vacuum is needed after a snapshot was held for long, and statistics never.
CREATE UNLOGGED TABLE api_key_windows (
    api_key_id uuid PRIMARY KEY,
    counted    bigint NOT NULL,      -- requests counted so far; the number of the next
    oldest     bigint NOT NULL,      -- number of the oldest in the window; counted: the window is empty
    oldest_at  timestamptz NOT NULL, -- when that one was counted
    newest_at  timestamptz NOT NULL  -- when the newest was counted
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_threshold = 1000000000, vacuum_truncate = false);
CREATE UNLOGGED TABLE api_key_slots (
    api_key_id uuid NOT NULL,
    slot       smallint NOT NULL CHECK (slot BETWEEN 0 AND 599),
    counted_at timestamptz NOT NULL,
    PRIMARY KEY (api_key_id, slot)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 5000,
    autovacuum_analyze_threshold = 1000000000, vacuum_truncate = false);

-- admit_api_key reads the key whose SHA-256 is secret_hash and, when it is in
-- force, counts a request that it makes now, unless the key has made as many
-- requests within the period as it may. requests is at most 600. It is exact
-- for all callers together: the clock is read under the row lock, and a request
-- counts from its time on for the period, its end excluded.
--
-- One row comes back. Unknown key: id is null. Revoked or expired: nothing was
-- counted, limited is false, remaining 0 and reset zero. limited: this request
-- was not counted. remaining: how many more may be made at once. reset: until
-- the oldest request leaves the window, more than zero and at most the period.
-- decided_at: the time of the decision.
--
-- The plans must not depend on what the tables held when a session made them.
-- It needs the isolation level READ COMMITTED, where each statement sees what
-- was committed before it began.
-- +goose StatementBegin
CREATE FUNCTION admit_api_key(
    secret_hash bytea, requests integer, period interval,
    OUT id uuid, OUT organization_id uuid, OUT name text, OUT prefix text, OUT scopes text[], OUT created_by_name text,
    OUT created_at timestamptz, OUT expires_at timestamptz, OUT revoked_at timestamptz,
    OUT decided_at timestamptz, OUT limited boolean, OUT remaining integer, OUT reset interval
) LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
DECLARE
    ring  CONSTANT integer := 600; -- slots of a key
    w     api_key_windows;
    edge  timestamptz; -- what was counted until then has left the window
    first smallint;    -- slot of the oldest request that has not
BEGIN
    IF requests NOT BETWEEN 1 AND ring THEN
        RAISE EXCEPTION 'a limit of % requests, of 1 to %', requests, ring;
    END IF;
    SELECT k.id, k.organization_id, k.name, k.prefix, k.scopes, k.created_by_name, k.created_at, k.expires_at, k.revoked_at,
        h.counted, h.oldest, h.oldest_at, h.newest_at
    INTO id, organization_id, name, prefix, scopes, created_by_name, created_at, expires_at, revoked_at,
        w.counted, w.oldest, w.oldest_at, w.newest_at
    FROM api_keys AS k LEFT JOIN api_key_windows AS h ON h.api_key_id = k.id
    WHERE k.secret_hash = admit_api_key.secret_hash;
    decided_at := clock_timestamp();
    limited := false;
    remaining := 0;
    reset := '0';
    IF id IS NULL OR revoked_at IS NOT NULL OR expires_at <= decided_at THEN
        RETURN;
    END IF;

    -- A full window stays full until its oldest request leaves it, whatever
    -- others do meanwhile: refusals need no lock, and write nothing.
    IF w.counted - w.oldest >= requests AND w.newest_at <= decided_at + period THEN
        reset := w.oldest_at + period - greatest(decided_at, w.newest_at);
        IF reset > '0' THEN
            decided_at := greatest(decided_at, w.newest_at);
            limited := true;
            RETURN;
        END IF;
    END IF;

    LOOP
        SELECT h.counted, h.oldest, h.oldest_at, h.newest_at INTO w.counted, w.oldest, w.oldest_at, w.newest_at
        FROM api_key_windows AS h WHERE h.api_key_id = id FOR UPDATE;
        EXIT WHEN FOUND;
        INSERT INTO api_key_windows (api_key_id, counted, oldest, oldest_at, newest_at)
        VALUES (id, 0, 0, '-infinity', '-infinity') ON CONFLICT (api_key_id) DO NOTHING;
    END LOOP;

    -- The ring is in the order of time: a clock that was set back stands still
    -- until it has caught up. What lies a whole period ahead was counted by a
    -- clock that was wrong, and is forgotten.
    decided_at := clock_timestamp();
    IF w.newest_at <= decided_at + period THEN
        decided_at := greatest(decided_at, w.newest_at);
        edge := decided_at - period;
    ELSE
        edge := 'infinity';
    END IF;

    IF w.newest_at <= edge THEN
        w.oldest := w.counted;
    ELSIF w.oldest_at <= edge THEN
        -- From the oldest on, around the ring. Each request is passed once.
        SELECT s.slot, s.counted_at INTO first, w.oldest_at FROM api_key_slots AS s
        WHERE s.api_key_id = id AND s.slot >= w.oldest % ring AND s.counted_at > edge ORDER BY s.slot LIMIT 1;
        IF NOT FOUND THEN
            SELECT s.slot, s.counted_at INTO first, w.oldest_at FROM api_key_slots AS s
            WHERE s.api_key_id = id AND s.slot < w.oldest % ring AND s.counted_at > edge ORDER BY s.slot LIMIT 1;
        END IF;
        IF FOUND THEN
            w.oldest := w.oldest + (first - w.oldest % ring + ring) % ring;
        ELSE
            w.oldest := w.counted; -- the slots were emptied by hand
        END IF;
    END IF;

    remaining := greatest(requests - (w.counted - w.oldest), 0);
    limited := remaining = 0;
    IF NOT limited THEN
        remaining := remaining - 1;
        IF w.oldest = w.counted THEN
            w.oldest_at := decided_at;
        END IF;
        UPDATE api_key_windows AS h SET counted = w.counted + 1, oldest = w.oldest, oldest_at = w.oldest_at, newest_at = decided_at
        WHERE h.api_key_id = id;
        UPDATE api_key_slots AS s SET counted_at = decided_at WHERE s.api_key_id = id AND s.slot = w.counted % ring;
        IF NOT FOUND THEN
            INSERT INTO api_key_slots (api_key_id, slot, counted_at) VALUES (id, w.counted % ring, decided_at);
        END IF;
    END IF;
    reset := w.oldest_at + period - decided_at;
END
$$;
-- +goose StatementEnd

-- +goose Down
SET LOCAL lock_timeout = '2s';
DROP FUNCTION admit_api_key(bytea, integer, interval);
DROP TABLE api_key_slots, api_key_windows, api_key_uses;
