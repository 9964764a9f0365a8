-- +goose Up
SET LOCAL lock_timeout = '2s';

-- What lists filter by, of each trader, with the index over all of it. Adding to
-- that index costs more than everything else that is done for a new trader, so it
-- is done aside: statements that add traders only note their ids, in parts of at
-- most 250, and housekeeping moves them here. Later changes follow at once, and
-- only if they change something that lists filter by.
CREATE TABLE directory_filters (
    organization_id uuid NOT NULL,
    id              uuid NOT NULL, -- the trader's
    created_at      timestamptz NOT NULL,
    status          text NOT NULL,
    source          text NOT NULL,
    country_key     text,
    kyc_key         text,
    search          text NOT NULL,
    tags            text[] NOT NULL, -- those that a person has set, or else the platform's
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX directory_filters_all ON directory_filters USING gin (organization_id, search gin_trgm_ops, status, source, country_key, kyc_key, tags);

-- Traders that are not in directory_filters yet.
CREATE TABLE directory_arrivals (
    organization_id uuid NOT NULL,
    id              bigint GENERATED ALWAYS AS IDENTITY,
    trader_ids      uuid[] NOT NULL,
    PRIMARY KEY (organization_id, id)
);

-- +goose StatementBegin
CREATE FUNCTION note_arrivals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO directory_arrivals (organization_id, trader_ids)
    SELECT organization_id, array_agg(id) FROM (SELECT organization_id, id, row_number() OVER () / 250 AS part FROM added) AS a GROUP BY organization_id, part;
    RETURN NULL;
END
$$;
CREATE FUNCTION follow_filters() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE directory_filters SET created_at = NEW.created_at, status = NEW.status, source = NEW.source, country_key = NEW.country_key,
        kyc_key = NEW.kyc_key, search = NEW.search, tags = coalesce(NEW.override_tags, NEW.tags)
    WHERE organization_id = NEW.organization_id AND id = NEW.id;
    RETURN NULL;
END
$$;
CREATE FUNCTION leave_filters() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM directory_filters WHERE organization_id = OLD.organization_id AND id = OLD.id;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER note_arrivals AFTER INSERT ON traders REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_arrivals();
CREATE TRIGGER follow_filters AFTER UPDATE ON traders FOR EACH ROW
    WHEN ((OLD.created_at, OLD.status, OLD.source, OLD.country_key, OLD.kyc_key, OLD.search, coalesce(OLD.override_tags, OLD.tags))
        IS DISTINCT FROM (NEW.created_at, NEW.status, NEW.source, NEW.country_key, NEW.kyc_key, NEW.search, coalesce(NEW.override_tags, NEW.tags)))
    EXECUTE FUNCTION follow_filters();
CREATE TRIGGER leave_filters AFTER DELETE ON traders FOR EACH ROW EXECUTE FUNCTION leave_filters();

-- The triggers have waited for those who were writing. Until housekeeping has
-- moved the present traders, searches of a large directory read all of it.
INSERT INTO directory_arrivals (organization_id, trader_ids)
SELECT organization_id, array_agg(id) FROM (SELECT organization_id, id, row_number() OVER (PARTITION BY organization_id) / 250 AS part FROM traders) AS t
GROUP BY organization_id, part;
DROP INDEX traders_filters;

-- +goose Down
SET LOCAL lock_timeout = '2s';
CREATE INDEX traders_filters ON traders USING gin
    (organization_id, search gin_trgm_ops, status, source, country_key, kyc_key, (coalesce(override_tags, tags)));
DROP TRIGGER note_arrivals ON traders;
DROP TRIGGER follow_filters ON traders;
DROP TRIGGER leave_filters ON traders;
DROP FUNCTION note_arrivals, follow_filters, leave_filters;
DROP TABLE directory_arrivals, directory_filters;
