package activity

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// sharedQuery selects sets of accounts that share a trade: one with the same id and the same values
// in the fields that distinguish it from a trade that happens to have the same id in another
// account. It groups trades rather than joining them, because Postgres knows nothing of the rows of
// a file that was just uploaded: it joined each with each, which took minutes for 100,000 trades.
//
//	$1, $2 and $3 accounts of files, their files and numbers; $4, $5 and $6 synced accounts, their
//	integrations and external ids; $7 instruments of symbols
const sharedQuery = `WITH known AS (
    SELECT u.account, x.id, x.side, x.symbol, x.open_price
    FROM unnest($1::uuid[], $2::uuid[], $3::integer[]) AS u (account, f, n) JOIN activity_trades AS x ON x.file_id = u.f AND x.account = u.n
    UNION ALL
    SELECT u.account, x.id, x.side, x.symbol, x.open_price
    FROM unnest($4::uuid[], $5::uuid[], $6::text[]) AS u (account, i, e) JOIN trades AS x
    ON x.integration_id = u.i AND x.account_external_id = u.e AND x.updated_at > '-infinity'
)
SELECT DISTINCT array_agg(DISTINCT account ORDER BY account) FROM known
GROUP BY id, side, coalesce($7::jsonb ->> upper(symbol), upper(symbol)), open_price HAVING count(DISTINCT account) > 1 ORDER BY 1`

// sharedSyncedQuery selects those pairs of synced accounts, as their places in the arguments, that
// share a trade: one that was opened in the same second, on the same side of the same instrument
// and, if both platforms say so, at the same price. Platforms may name one trade differently.
//
//	$1 integrations and $2 external ids of accounts, $3 and $4 the same of the other accounts, $5
//	instruments of symbols
const sharedSyncedQuery = `SELECT p.place FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[]) WITH ORDINALITY AS p (i, e, other_i, other_e, place)
WHERE EXISTS (
    SELECT FROM (
        SELECT false AS other, open_time, side, symbol, open_price FROM trades
        WHERE integration_id = p.i AND account_external_id = p.e AND updated_at > '-infinity'
        UNION ALL
        SELECT true, open_time, side, symbol, open_price FROM trades
        WHERE integration_id = p.other_i AND account_external_id = p.other_e AND updated_at > '-infinity'
    ) AS t
    WHERE open_time IS NOT NULL
    GROUP BY date_trunc('second', open_time), side, coalesce($5::jsonb ->> upper(symbol), upper(symbol))
    HAVING bool_or(other) AND NOT bool_and(other) AND (bool_or(open_price IS NULL)
        OR array_agg(open_price) FILTER (WHERE other) && array_agg(open_price) FILTER (WHERE NOT other))
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

// findSharedUnnamed sets Shares of files' accounts without a login. A statement often names no
// account, and the next one overlaps it: only its trades show that it is from the same account.
func findSharedUnnamed(ctx context.Context, tx pgx.Tx, accounts []ScopeAccount, instruments map[string]string) error {
	var filed, synced accountKeys
	unnamed := make(map[uuid.UUID]*ScopeAccount)
	for i := range accounts {
		a := &accounts[i]
		switch {
		case a.FileID == uuid.Nil:
			synced.add(a)
			continue
		case a.Login == "":
			unnamed[a.ID] = a
		}
		filed.add(a)
	}
	if len(unnamed) == 0 || len(accounts) == 1 {
		return nil
	}
	rows, err := tx.Query(ctx, sharedQuery, filed.ids, filed.sources, filed.numbers, synced.ids, synced.sources, synced.externals, jsonOf(instruments))
	if err != nil {
		return err
	}
	var together []uuid.UUID
	_, err = pgx.ForEachRow(rows, []any{&together}, func() error {
		for _, id := range together {
			if a := unnamed[id]; a != nil {
				a.addShares(together)
			}
		}
		return nil
	})
	for _, a := range unnamed {
		slices.SortFunc(a.Shares, func(x, y uuid.UUID) int { return bytes.Compare(x[:], y[:]) })
	}
	return err
}

// addShares adds accounts to Shares that are not there yet.
func (a *ScopeAccount) addShares(accounts []uuid.UUID) {
	for _, id := range accounts {
		if id != a.ID && !slices.Contains(a.Shares, id) {
			a.Shares = append(a.Shares, id)
		}
	}
}
