-- +goose NO TRANSACTION
-- +goose Up

-- Pairs of traders about whom a person said that they are not the same person. The trader with the
-- smaller id comes first.
CREATE TABLE IF NOT EXISTS distinct_traders (
    organization_id uuid NOT NULL,
    trader_id       uuid NOT NULL,
    other_id        uuid NOT NULL CHECK (trader_id < other_id),
    dismissed_by    text NOT NULL,
    dismissed_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (trader_id, other_id)
);
CREATE INDEX IF NOT EXISTS distinct_traders_other ON distinct_traders (other_id);

-- Who else has the same phone, however it is punctuated: its digits without the zeros before them.
-- A phone of a platform may have any length, and an index entry may not.
DROP INDEX CONCURRENTLY IF EXISTS traders_phone;
CREATE INDEX CONCURRENTLY traders_phone ON traders (organization_id, (left(ltrim(regexp_replace(left(coalesce(override_phone, phone), 100), '[^0-9]', '', 'g'), '0'), 20)))
    WHERE coalesce(override_phone, phone) IS NOT NULL;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS traders_phone;
DROP TABLE IF EXISTS distinct_traders;
