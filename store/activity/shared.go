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
    ON x.integration_id = u.i AND x.account_external_id = u.e AND x.updated_at > '-infinity' AND x.missing_since IS NULL
)
SELECT DISTINCT array_agg(DISTINCT account ORDER BY account) FROM known
GROUP BY id, side, coalesce($7::jsonb ->> upper(symbol), upper(symbol)), open_price HAVING count(DISTINCT account) > 1 ORDER BY 1`

// sharedLoginQuery selects the accounts that share a trade: one that was opened in the same second, on
// the same side of the same instrument and, if both say so, at the same price. Platforms may name one
// trade differently. Each of the first accounts of a row shares a trade with each of the others. The
// trades of all accounts are grouped once, because comparing each account with each takes seconds if
// dozens of platforms report one login.
//
//	$1 places of the accounts, $2 their integrations or files, $3 external ids, $4 numbers in the files,
//	$5 instruments of symbols
const sharedLoginQuery = `WITH asked AS MATERIALIZED (
    SELECT * FROM unnest($1::integer[], $2::uuid[], $3::text[], $4::integer[]) AS u (place, source, external_id, number)
), found AS (
    SELECT a.place, x.open_time, x.side, x.symbol, x.open_price FROM asked AS a JOIN trades AS x
    ON x.integration_id = a.source AND x.account_external_id = a.external_id AND x.updated_at > '-infinity' AND x.missing_since IS NULL
    UNION ALL
    SELECT a.place, x.open_time, x.side, x.symbol, x.open_price FROM asked AS a JOIN activity_trades AS x ON x.file_id = a.source AND x.account = a.number
), known AS (
    SELECT DISTINCT place, date_trunc('second', open_time) AS second, side, coalesce($5::jsonb ->> upper(symbol), upper(symbol)) AS instrument, open_price
    FROM found WHERE open_time IS NOT NULL
)
SELECT DISTINCT places, places FROM (
    SELECT array_agg(place ORDER BY place) AS places FROM known WHERE open_price IS NOT NULL
    GROUP BY second, side, instrument, open_price HAVING count(*) > 1
) AS s
UNION ALL
SELECT DISTINCT array_agg(place ORDER BY place) FILTER (WHERE open_price IS NULL), array_agg(place ORDER BY place) FROM known
GROUP BY second, side, instrument HAVING bool_or(open_price IS NULL) AND min(place) < max(place)`

// accountKeys are columns of accounts as query arguments.
type accountKeys struct {
	ids, sources []uuid.UUID // sources are files or integrations
	numbers      []int32     // of accounts of files; zero if synced
	externals    []string    // of synced accounts; empty if of files
}

func (k *accountKeys) add(a *ScopeAccount) {
	k.ids = append(k.ids, a.ID)
	if a.FileID != uuid.Nil {
		k.sources = append(k.sources, a.FileID)
	} else {
		k.sources = append(k.sources, a.IntegrationID)
	}
	k.numbers, k.externals = append(k.numbers, int32(a.number)), append(k.externals, a.ExternalID)
}

// jsonOf returns the instruments of symbols as the argument of a query.
func jsonOf(instruments map[string]string) string {
	text, _ := json.Marshal(instruments) // strings are always valid
	return string(text)
}

// HasLogin reports whether a statement that names a login may mean the account.
func (a *ScopeAccount) HasLogin(login string) bool {
	return login != "" && (strings.EqualFold(a.Login, login) || strings.EqualFold(a.ExternalID, login))
}

// findShared sets Shares.
func findShared(ctx context.Context, tx pgx.Tx, accounts []ScopeAccount, instruments map[string]string) error {
	// In statements, the login of several synced accounts names none of them.
	unnamed := make(map[uuid.UUID]*ScopeAccount)
	for i := range accounts {
		if a := &accounts[i]; a.FileID != uuid.Nil && (a.Login == "" || countSynced(accounts, a.Login) > 1) {
			unnamed[a.ID] = a
		}
	}
	if err := findSharedTickets(ctx, tx, accounts, unnamed, instruments); err != nil {
		return err
	}
	return findSharedLogins(ctx, tx, accounts, unnamed, instruments)
}

// countSynced returns how many synced accounts have a login.
func countSynced(accounts []ScopeAccount, login string) (n int) {
	for i := range accounts {
		if a := &accounts[i]; a.FileID == uuid.Nil && a.HasLogin(login) {
			n++
		}
	}
	return n
}

// findSharedLogins sets Shares of accounts that two platforms report under one login, and of a
// statement's account whose login several synced accounts have. Logins are unique on one server of
// a trading platform only, so an equal login alone does not make them one account.
func findSharedLogins(ctx context.Context, tx pgx.Tx, accounts []ScopeAccount, unnamed map[uuid.UUID]*ScopeAccount, instruments map[string]string) error {
	mayShare, asked := make(map[[2]int]bool), make([]bool, len(accounts)) // pairs: an account and one before it
	for i := range accounts {
		for n := range i {
			a, b := &accounts[i], &accounts[n]
			twice := a.FileID == uuid.Nil && a.IntegrationID != b.IntegrationID && a.Login != "" && strings.EqualFold(a.Login, b.Login)
			if b.FileID == uuid.Nil && (twice || unnamed[a.ID] != nil && b.HasLogin(a.Login)) {
				mayShare[[2]int{i, n}], asked[i], asked[n] = true, true, true
			}
		}
	}
	if len(mayShare) == 0 {
		return nil
	}
	var keys accountKeys
	var places []int32
	for i := range accounts {
		if asked[i] {
			keys.add(&accounts[i])
			places = append(places, int32(i))
		}
	}
	rows, err := tx.Query(ctx, sharedLoginQuery, places, keys.sources, keys.externals, keys.numbers, jsonOf(instruments))
	if err != nil {
		return err
	}
	shared := make(map[[2]int]bool)
	var some, others []int
	_, err = pgx.ForEachRow(rows, []any{&some, &others}, func() error {
		for _, one := range some {
			for _, other := range others {
				shared[[2]int{max(one, other), min(one, other)}] = true
			}
		}
		return nil
	})
	for i := range accounts {
		for n := range i {
			if pair := [2]int{i, n}; mayShare[pair] && shared[pair] {
				accounts[i].addShares([]uuid.UUID{accounts[n].ID})
			}
		}
	}
	return err
}

// findSharedTickets sets Shares of files' accounts that no login identifies. A statement often
// names no account, and the next one overlaps it: only its trades show that it is from the same
// account.
func findSharedTickets(ctx context.Context, tx pgx.Tx, accounts []ScopeAccount, unnamed map[uuid.UUID]*ScopeAccount, instruments map[string]string) error {
	if len(unnamed) == 0 || len(accounts) == 1 {
		return nil
	}
	var filed, synced accountKeys
	for i := range accounts {
		if a := &accounts[i]; a.FileID == uuid.Nil {
			synced.add(a)
		} else {
			filed.add(a)
		}
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
