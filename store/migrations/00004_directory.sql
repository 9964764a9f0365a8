-- +goose Up
SET LOCAL lock_timeout = '2s';

-- Combinations of filters are answered by one index over all of them, the
-- organization included.
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- What a person has set on a synced trader lies beside what the platform sends,
-- and comes first in reads, search, filters and the matching of emails. Null:
-- nothing was set. Traders made by hand hold a person's values in the columns
-- themselves.
ALTER TABLE traders
    ADD COLUMN override_full_name   text,
    ADD COLUMN override_email       text,
    ADD COLUMN override_external_id text COLLATE "C",
    ADD COLUMN override_country     text,
    ADD COLUMN override_phone       text,
    ADD COLUMN override_tags        text[];

-- A generated column cannot be changed: it is dropped and made again, with its
-- index, which rewrites the table under an exclusive lock. That is done in one
-- step because no release has been made yet; later it would take two.
--
-- Separators become letters that no language writes, so that a search finds
-- trigrams across them; Postgres takes them for letters in all locales but C.
-- What is ASCII is in its normal form already, and not worth looking at: that
-- takes longer than all the rest.
--
-- What lists filter by is short enough to be carried in the directory's index,
-- where 2,704 bytes are the most that an entry may have: 2,048 of search, 61
-- characters of the others. An id has at most 512 bytes, and comes first and
-- whole. Of ASCII alone, email and name always fit as well, with the two bytes
-- of a separator; otherwise 512 characters of up to four bytes do.
DROP INDEX traders_search;
ALTER TABLE traders DROP COLUMN search;
ALTER TABLE traders
    ADD COLUMN search text GENERATED ALWAYS AS (replace(replace(replace(replace(replace(replace(replace(lower(
        CASE WHEN octet_length(coalesce(override_full_name, full_name, '') || coalesce(override_email, email, '')
                || coalesce(override_external_id COLLATE "default", external_id COLLATE "default", ''))
            = char_length(coalesce(override_full_name, full_name, '') || coalesce(override_email, email, '')
                || coalesce(override_external_id COLLATE "default", external_id COLLATE "default", ''))
        THEN left(coalesce(override_external_id COLLATE "default", external_id COLLATE "default", ''), 512) || E'\n'
            || left(coalesce(override_email, email, ''), 254) || E'\n' || left(coalesce(override_full_name, full_name, ''), 200)
        ELSE left(normalize(coalesce(override_external_id COLLATE "default", external_id COLLATE "default", '') || E'\n'
            || left(coalesce(override_email, email, ''), 254) || E'\n' || left(coalesce(override_full_name, full_name, ''), 200), NFC), 512) END
        ), ' ', 'ʛ'), '.', 'ʝ'), '-', 'ʞ'), '_', 'ʠ'), '@', 'ʡ'), '+', 'ʢ'), '''', 'ʣ')) STORED,
    ADD COLUMN country_key text GENERATED ALWAYS AS (left(lower(coalesce(override_country, country)), 61)) STORED,
    ADD COLUMN kyc_key text GENERATED ALWAYS AS (left(kyc_status, 61)) STORED;

-- The directory in its order, with everything that lists count and filter by but
-- the tags: one pass over a million entries, without a look at the table, takes
-- 0.15 s. That needs pages that are known to be visible, so the table is vacuumed
-- early.
DROP INDEX traders_directory, traders_archived;
CREATE INDEX traders_directory ON traders (organization_id, created_at DESC, id DESC)
    INCLUDE (status, source, country_key, kyc_key, search) WHERE status <> 'archived';
CREATE INDEX traders_archived ON traders (organization_id, created_at DESC, id DESC)
    INCLUDE (status, source, country_key, kyc_key, search) WHERE status = 'archived';
ALTER TABLE traders SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);

-- Whatever is rare enough is found here.
CREATE INDEX traders_filters ON traders USING gin
    (organization_id, search gin_trgm_ops, status, source, country_key, kyc_key, (coalesce(override_tags, tags)));

DROP INDEX traders_email;
CREATE INDEX traders_email ON traders (organization_id, lower(coalesce(override_email, email)));

-- Internal notes. A trader is only ever deleted when another takes his place,
-- and his notes go over to that one.
CREATE TABLE trader_notes (
    id              uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    trader_id       uuid NOT NULL,
    body            text NOT NULL,
    author_name     text NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX trader_notes_trader ON trader_notes (trader_id, created_at DESC, id DESC);

-- +goose Down
SET LOCAL lock_timeout = '2s';
DROP TABLE trader_notes;
DROP INDEX traders_filters, traders_directory, traders_archived, traders_email;
ALTER TABLE traders RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_insert_scale_factor);
ALTER TABLE traders
    DROP COLUMN search, DROP COLUMN country_key, DROP COLUMN kyc_key,
    DROP COLUMN override_full_name, DROP COLUMN override_email, DROP COLUMN override_external_id,
    DROP COLUMN override_country, DROP COLUMN override_phone, DROP COLUMN override_tags;
ALTER TABLE traders ADD COLUMN search text
    GENERATED ALWAYS AS (lower(coalesce(full_name, '') || E'\n' || coalesce(email, '') || E'\n' || coalesce(external_id COLLATE "default", ''))) STORED;
CREATE INDEX traders_directory ON traders (organization_id, created_at DESC, id DESC) WHERE status <> 'archived';
CREATE INDEX traders_archived ON traders (organization_id, created_at DESC, id DESC) WHERE status = 'archived';
CREATE INDEX traders_email ON traders (organization_id, lower(email));
CREATE INDEX traders_search ON traders USING gin (search gin_trgm_ops);
DROP EXTENSION btree_gin;
