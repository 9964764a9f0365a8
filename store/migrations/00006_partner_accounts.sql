-- +goose Up
SET LOCAL lock_timeout = '2s';

-- A partner platform's trades and payouts may name an account by its second id.
-- The integration comes second, as in every index beside a key of the bulk tables.
CREATE INDEX accounts_partner ON accounts (partner_id, integration_id) WHERE partner_id IS NOT NULL;
CREATE INDEX payouts_account ON payouts (account_external_id, integration_id) WHERE account_external_id IS NOT NULL;

-- +goose Down
SET LOCAL lock_timeout = '2s';
DROP INDEX payouts_account, accounts_partner;
