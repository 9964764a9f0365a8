-- +goose Up
SET LOCAL lock_timeout = '2s';

-- A person who was removed stays as a row (disabled_at), because what the person
-- did names it; the address can then be somebody else's.
ALTER TABLE people
    ADD COLUMN disabled_at         timestamptz,                    -- null: may sign in
    ADD COLUMN password_temporary  boolean NOT NULL DEFAULT false, -- must be changed after the next sign-in
    ADD COLUMN password_expires_at timestamptz,                    -- of a temporary one; null: never
    ADD COLUMN oidc_issuer         text,                           -- null: no account of a provider is linked
    ADD COLUMN oidc_subject        text,
    ADD COLUMN last_sign_in_at     timestamptz;                    -- null: never
ALTER TABLE people ADD CONSTRAINT people_linked CHECK ((oidc_issuer IS NULL) = (oidc_subject IS NULL)) NOT VALID;
CREATE UNIQUE INDEX people_address ON people (organization_id, lower(email)) WHERE disabled_at IS NULL;
CREATE INDEX people_sign_in ON people (lower(email)) WHERE disabled_at IS NULL;
CREATE UNIQUE INDEX people_subject ON people (organization_id, oidc_issuer, oidc_subject) WHERE disabled_at IS NULL;
DROP INDEX people_email;

-- Who is signed in. A session ends by its own times, or when it is ended, after
-- which nothing commits in its name.
CREATE TABLE sessions (
    id              uuid PRIMARY KEY,
    organization_id uuid NOT NULL,
    person_id       uuid NOT NULL REFERENCES people (id),
    token_hash      bytea NOT NULL,    -- SHA-256 of what the cookie holds
    method          text NOT NULL CHECK (method IN ('password', 'oidc')),
    created_at      timestamptz NOT NULL DEFAULT now(),
    used_at         timestamptz NOT NULL DEFAULT now(), -- to the minute
    expires_at      timestamptz NOT NULL, -- whatever its use
    ended_at        timestamptz        -- signed out, or what the session relied on has changed; null: neither
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX sessions_token_hash ON sessions (token_hash);
CREATE INDEX sessions_person ON sessions (person_id, created_at, id);
CREATE INDEX sessions_expires ON sessions (expires_at);

-- How far whoever signs in has spent its attempts in advance: an account, a
-- client's address, or both together. A crash of the server forgets them.
CREATE UNLOGGED TABLE sign_in_budgets (
    subject     bytea PRIMARY KEY, -- a hash of what it is about
    spent_until timestamptz NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX sign_in_budgets_spent ON sign_in_budgets (spent_until);

-- spend_sign_in takes one attempt from each of the subjects' budgets, or from
-- none: then wait says for how long. A subject may make bursts attempts at once,
-- and gets another one every gaps. A refusal writes nothing and takes no lock.
-- +goose StatementBegin
CREATE FUNCTION spend_sign_in(subjects bytea[], bursts integer[], gaps interval[], OUT wait interval) LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
DECLARE
    at timestamptz := clock_timestamp();
BEGIN
    SELECT greatest(max(least(greatest(b.spent_until, at), at + n.burst * n.gap) + n.gap - n.burst * n.gap - at), '0') INTO wait
    FROM unnest(subjects, bursts, gaps) AS n (subject, burst, gap) LEFT JOIN sign_in_budgets AS b ON b.subject = n.subject;
    IF wait > '0' THEN
        RETURN;
    END IF;
    INSERT INTO sign_in_budgets (subject, spent_until) SELECT s, '-infinity' FROM unnest(subjects) AS s ORDER BY s
    ON CONFLICT (subject) DO NOTHING;
    PERFORM FROM sign_in_budgets WHERE subject = ANY (subjects) ORDER BY subject FOR UPDATE;
    at := clock_timestamp();
    SELECT greatest(max(least(greatest(b.spent_until, at), at + n.burst * n.gap) + n.gap - n.burst * n.gap - at), '0') INTO wait
    FROM unnest(subjects, bursts, gaps) AS n (subject, burst, gap) JOIN sign_in_budgets AS b ON b.subject = n.subject;
    IF wait > '0' THEN
        RETURN;
    END IF;
    UPDATE sign_in_budgets AS b SET spent_until = greatest(b.spent_until, at) + n.gap
    FROM unnest(subjects, gaps) AS n (subject, gap) WHERE b.subject = n.subject;
END
$$;
-- +goose StatementEnd

-- count_request counts a request of a caller, a key or a person, unless the
-- caller has made as many requests within the period as it may. It is what
-- admit_api_key (00003) did for keys, and promises the same.
-- +goose StatementBegin
CREATE FUNCTION count_request(
    caller uuid, requests integer, period interval,
    OUT decided_at timestamptz, OUT limited boolean, OUT remaining integer, OUT reset interval
) LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
DECLARE
    ring  CONSTANT integer := 600; -- slots of a caller
    w     api_key_windows;
    edge  timestamptz; -- what was counted until then has left the window
    first smallint;    -- slot of the oldest request that has not
BEGIN
    IF requests NOT BETWEEN 1 AND ring THEN
        RAISE EXCEPTION 'a limit of % requests, of 1 to %', requests, ring;
    END IF;
    SELECT h.counted, h.oldest, h.oldest_at, h.newest_at INTO w.counted, w.oldest, w.oldest_at, w.newest_at
    FROM api_key_windows AS h WHERE h.api_key_id = caller;
    decided_at := clock_timestamp();
    limited := false;
    remaining := 0;

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
        FROM api_key_windows AS h WHERE h.api_key_id = caller FOR UPDATE;
        EXIT WHEN FOUND;
        INSERT INTO api_key_windows (api_key_id, counted, oldest, oldest_at, newest_at)
        VALUES (caller, 0, 0, '-infinity', '-infinity') ON CONFLICT (api_key_id) DO NOTHING;
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
        WHERE s.api_key_id = caller AND s.slot >= w.oldest % ring AND s.counted_at > edge ORDER BY s.slot LIMIT 1;
        IF NOT FOUND THEN
            SELECT s.slot, s.counted_at INTO first, w.oldest_at FROM api_key_slots AS s
            WHERE s.api_key_id = caller AND s.slot < w.oldest % ring AND s.counted_at > edge ORDER BY s.slot LIMIT 1;
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
        WHERE h.api_key_id = caller;
        UPDATE api_key_slots AS s SET counted_at = decided_at WHERE s.api_key_id = caller AND s.slot = w.counted % ring;
        IF NOT FOUND THEN
            INSERT INTO api_key_slots (api_key_id, slot, counted_at) VALUES (caller, w.counted % ring, decided_at);
        END IF;
    END IF;
    reset := w.oldest_at + period - decided_at;
END
$$;
-- +goose StatementEnd

-- admit_api_key leaves the counting to count_request from now on.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION admit_api_key(
    secret_hash bytea, requests integer, period interval,
    OUT id uuid, OUT organization_id uuid, OUT name text, OUT prefix text, OUT scopes text[], OUT created_by_name text,
    OUT created_at timestamptz, OUT expires_at timestamptz, OUT revoked_at timestamptz,
    OUT decided_at timestamptz, OUT limited boolean, OUT remaining integer, OUT reset interval
) LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
BEGIN
    SELECT k.id, k.organization_id, k.name, k.prefix, k.scopes, k.created_by_name, k.created_at, k.expires_at, k.revoked_at
    INTO id, organization_id, name, prefix, scopes, created_by_name, created_at, expires_at, revoked_at
    FROM api_keys AS k WHERE k.secret_hash = admit_api_key.secret_hash;
    decided_at := clock_timestamp();
    limited := false;
    remaining := 0;
    reset := '0';
    IF id IS NULL OR revoked_at IS NOT NULL OR expires_at <= decided_at THEN
        RETURN;
    END IF;
    SELECT c.decided_at, c.limited, c.remaining, c.reset INTO decided_at, limited, remaining, reset
    FROM count_request(id, requests, period) AS c;
END
$$;
-- +goose StatementEnd

-- admit_session reads the session whose token has the SHA-256 token_hash, with
-- its person and organization and, when it is in force, counts a request that
-- the person makes now, unless the person has made as many within the period as
-- it may. idle is how long a session lives without a request.
--
-- One row comes back. Unknown token: id is null. Ended, expired, idle or of a
-- person who was removed: nothing was counted, limited is false, remaining 0 and
-- reset zero. idle_at is when the session ends unless there are more requests.
-- The rest is as with admit_api_key.
-- +goose StatementBegin
CREATE FUNCTION admit_session(
    token_hash bytea, idle interval, requests integer, period interval,
    OUT id uuid, OUT organization_id uuid, OUT organization_name text, OUT person_id uuid, OUT email text, OUT name text, OUT role text,
    OUT person_created_at timestamptz, OUT person_updated_at timestamptz, OUT last_sign_in_at timestamptz,
    OUT has_password boolean, OUT password_temporary boolean, OUT linked boolean,
    OUT method text, OUT created_at timestamptz, OUT idle_at timestamptz, OUT expires_at timestamptz, OUT ended_at timestamptz,
    OUT decided_at timestamptz, OUT limited boolean, OUT remaining integer, OUT reset interval
) LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
BEGIN
    SELECT s.id, s.organization_id, o.name, s.person_id, p.email, p.name, p.role, p.created_at, p.updated_at, p.last_sign_in_at,
        p.password_hash IS NOT NULL, p.password_temporary, p.oidc_subject IS NOT NULL,
        s.method, s.created_at, s.used_at + idle, s.expires_at, least(s.ended_at, p.disabled_at)
    INTO id, organization_id, organization_name, person_id, email, name, role, person_created_at, person_updated_at, last_sign_in_at,
        has_password, password_temporary, linked, method, created_at, idle_at, expires_at, ended_at
    FROM sessions AS s JOIN people AS p ON p.id = s.person_id JOIN organizations AS o ON o.id = s.organization_id
    WHERE s.token_hash = admit_session.token_hash;
    decided_at := clock_timestamp();
    limited := false;
    remaining := 0;
    reset := '0';
    IF id IS NULL OR ended_at IS NOT NULL OR expires_at <= decided_at OR idle_at <= decided_at THEN
        RETURN;
    END IF;
    SELECT c.decided_at, c.limited, c.remaining, c.reset INTO decided_at, limited, remaining, reset
    FROM count_request(person_id, requests, period) AS c;
    -- Its use is noted once a minute, because that waits for the disk.
    IF idle_at < decided_at + idle - interval '1 minute' THEN
        UPDATE sessions AS s SET used_at = decided_at WHERE s.id = admit_session.id;
        idle_at := decided_at + idle;
    END IF;
END
$$;
-- +goose StatementEnd

-- +goose Down
SET LOCAL lock_timeout = '2s';
DROP FUNCTION admit_session(bytea, interval, integer, interval);
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION admit_api_key(
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
DROP FUNCTION count_request(uuid, integer, interval);
DROP FUNCTION spend_sign_in(bytea[], integer[], interval[]);
DROP TABLE sign_in_budgets, sessions;
-- Who was removed can't be told apart any more, has neither password nor link, and
-- may have the address of somebody who was added since.
UPDATE people SET email = id || '@removed.invalid' WHERE disabled_at IS NOT NULL;
CREATE UNIQUE INDEX people_email ON people (organization_id, lower(email));
DROP INDEX people_subject, people_sign_in, people_address;
ALTER TABLE people DROP CONSTRAINT people_linked;
ALTER TABLE people DROP COLUMN last_sign_in_at, DROP COLUMN oidc_subject, DROP COLUMN oidc_issuer, DROP COLUMN password_expires_at,
    DROP COLUMN password_temporary, DROP COLUMN disabled_at;
