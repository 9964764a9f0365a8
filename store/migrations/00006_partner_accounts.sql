-- +goose NO TRANSACTION
-- +goose Up

-- How a partner's trade or payout named its account, where that is not the
-- number that account_external_id is: n or s and the id that was sent, under a
-- name that stands for the number or for the account's second id.
ALTER TABLE trades ADD COLUMN IF NOT EXISTS account_named text COLLATE "C";
ALTER TABLE payouts ADD COLUMN IF NOT EXISTS account_named text COLLATE "C";

-- The integration comes second, as in every index beside a key of the bulk
-- tables, and as a text that no other index has: a planner that knows nothing of
-- an integration would else read all of its rows for each id that is looked up.
DROP INDEX CONCURRENTLY IF EXISTS accounts_partner;
CREATE INDEX CONCURRENTLY accounts_partner ON accounts (partner_id, (integration_id::text)) WHERE partner_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS payouts_account;
CREATE INDEX CONCURRENTLY payouts_account ON payouts (account_external_id, (integration_id::text)) WHERE account_external_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS payouts_account_named;
CREATE INDEX CONCURRENTLY payouts_account_named ON payouts (account_named, (integration_id::text)) WHERE account_named IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS trades_account_named;
CREATE INDEX CONCURRENTLY trades_account_named ON trades (account_named, (integration_id::text)) WHERE account_named IS NOT NULL;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS trades_account_named;
DROP INDEX CONCURRENTLY IF EXISTS payouts_account_named;
DROP INDEX CONCURRENTLY IF EXISTS payouts_account;
DROP INDEX CONCURRENTLY IF EXISTS accounts_partner;
ALTER TABLE payouts DROP COLUMN IF EXISTS account_named;
ALTER TABLE trades DROP COLUMN IF EXISTS account_named;
