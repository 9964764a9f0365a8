package activity

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// sharedQuery selects pairs of accounts that share a trade: one with the same id and the same
// values in the fields that distinguish it from a trade that happens to have the same id in another
// account.
//
//	$1 accounts that have no login, with $2 files and $3 numbers; $4, $5 and $6 the
//	same of all accounts of files; $7 synced accounts, with $8 integrations and
//	$9 external ids, $10 instruments of symbols
const sharedQuery = `WITH filed AS (
    SELECT u.account, x.id, x.side, coalesce($10::jsonb ->> upper(x.symbol), upper(x.symbol)) AS symbol, x.open_price
    FROM unnest($4::uuid[], $5::uuid[], $6::integer[]) AS u (account, f, n) JOIN activity_trades AS x ON x.file_id = u.f AND x.account = u.n
), known AS (
    SELECT * FROM filed
    UNION ALL
    SELECT u.account, x.id, x.side, coalesce($10::jsonb ->> upper(x.symbol), upper(x.symbol)), x.open_price
    FROM unnest($7::uuid[], $8::uuid[], $9::text[]) AS u (account, i, e) JOIN trades AS x
    ON x.integration_id = u.i AND x.account_external_id = u.e AND x.updated_at > '-infinity'
), unnamed AS (
    SELECT u.account, x.id, x.side, coalesce($10::jsonb ->> upper(x.symbol), upper(x.symbol)) AS symbol, x.open_price
    FROM unnest($1::uuid[], $2::uuid[], $3::integer[]) AS u (account, f, n) JOIN activity_trades AS x ON x.file_id = u.f AND x.account = u.n
)
SELECT DISTINCT a.account, b.account FROM unnamed AS a JOIN known AS b
ON b.id = a.id AND b.side = a.side AND b.symbol = a.symbol AND b.open_price IS NOT DISTINCT FROM a.open_price
WHERE a.account <> b.account ORDER BY 1, 2`

// sharedSyncedQuery selects those pairs of synced accounts, as their places in the arguments, that
// share a trade: one that was opened in the same second, on the same side of the same instrument
// and, if both platforms say so, at the same price. Platforms may name one trade differently.
//
//	$1 integrations and $2 external ids of accounts, $3 and $4 the same of the other accounts, $5
//	instruments of symbols
const sharedSyncedQuery = `SELECT p.place FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[]) WITH ORDINALITY AS p (i, e, other_i, other_e, place)
WHERE EXISTS (
    SELECT FROM trades AS a JOIN trades AS b
    ON date_trunc('second', b.open_time) = date_trunc('second', a.open_time) AND b.side = a.side AND (b.open_price = a.open_price) IS NOT FALSE
        AND coalesce($5::jsonb ->> upper(b.symbol), upper(b.symbol)) = coalesce($5::jsonb ->> upper(a.symbol), upper(a.symbol))
    WHERE a.integration_id = p.i AND a.account_external_id = p.e AND a.updated_at > '-infinity'
        AND b.integration_id = p.other_i AND b.account_external_id = p.other_e AND b.updated_at > '-infinity'
) ORDER BY 1`

// accountKeys are columns of accounts as query arguments.
type accountKeys struct {
	ids, sources []uuid.UUID // sources are files or integrations
	numbers      []int32     // of accounts of files
	externals    []string    // of synced accounts
}

func (k *accountKeys) add(a *ScopeAccount) {
	k.ids = append(k.ids, a.ID)
	if a.FileID != uuid.Nil {
		k.sources, k.numbers = append(k.sources, a.FileID), append(k.numbers, int32(a.number))
	} else {
		k.sources, k.externals = append(k.sources, a.IntegrationID), append(k.externals, a.ExternalID)
	}
}

// jsonOf returns the instruments of symbols as the argument of a query.
func jsonOf(instruments map[string]string) string {
	text, _ := json.Marshal(instruments) // strings are always valid
	return string(text)
}

// findShared sets Shares.
func findShared(ctx context.Context, tx pgx.Tx, accounts []ScopeAccount, instruments map[string]string) error {
	if err := findSharedSynced(ctx, tx, accounts, instruments); err != nil {
		return err
	}
	return findSharedUnnamed(ctx, tx, accounts, instruments)
}

// findSharedSynced sets Shares of accounts that two platforms report under one login. Logins are
// unique on one server of a trading platform only, so an equal login alone does not make them one
// account.
func findSharedSynced(ctx context.Context, tx pgx.Tx, accounts []ScopeAccount, instruments map[string]string) error {
	var one, other accountKeys
	var pairs [][2]int
	for i := range accounts {
		for n := range i {
			a, b := &accounts[i], &accounts[n]
			if a.FileID == uuid.Nil && b.FileID == uuid.Nil && a.IntegrationID != b.IntegrationID && a.Login != "" && strings.EqualFold(a.Login, b.Login) {
				one.add(a)
				other.add(b)
				pairs = append(pairs, [2]int{i, n})
			}
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, sharedSyncedQuery, one.sources, one.externals, other.sources, other.externals, jsonOf(instruments))
	if err != nil {
		return err
	}
	var place int
	_, err = pgx.ForEachRow(rows, []any{&place}, func() error {
		pair := pairs[place-1]
		a := &accounts[pair[0]]
		a.Shares = append(a.Shares, accounts[pair[1]].ID)
		return nil
	})
	return err
}

// findSharedUnnamed sets Shares of files' accounts without a login. A statement often names no account, and the next one overlaps it: only
// its trades show that it is from the same account.
func findSharedUnnamed(ctx context.Context, tx pgx.Tx, accounts []ScopeAccount, instruments map[string]string) error {
	var unnamed, filed, synced accountKeys
	index := make(map[uuid.UUID]int, len(accounts))
	for i := range accounts {
		a := &accounts[i]
		index[a.ID] = i
		if a.FileID == uuid.Nil {
			synced.add(a)
			continue
		}
		filed.add(a)
		if a.Login == "" {
			unnamed.add(a)
		}
	}
	if len(unnamed.ids) == 0 || len(accounts) == 1 {
		return nil
	}
	rows, err := tx.Query(ctx, sharedQuery, unnamed.ids, unnamed.sources, unnamed.numbers,
		filed.ids, filed.sources, filed.numbers, synced.ids, synced.sources, synced.externals, jsonOf(instruments))
	if err != nil {
		return err
	}
	var one, other uuid.UUID
	_, err = pgx.ForEachRow(rows, []any{&one, &other}, func() error {
		a := &accounts[index[one]]
		a.Shares = append(a.Shares, other)
		return nil
	})
	return err
}
