package activity

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store"
)

// Accounts of other traders are found in two ways. Accounts whose owner last signed in from the
// trader's address are peers regardless of their trades. The others are found by time: for a sample
// of the trader's trades, the organization's other trades that were opened at about the same time
// in the same symbol. Both ways only propose peers. The analysis judges what they have in common
// with the trader, using all of their trades.
const (
	maxPeers      = 200     // accounts compared with the trader's
	maxPeerSize   = 50_000  // trades of one account in the window
	maxPeerTrades = 500_000 // trades of all accounts
	// How far apart two opens may be to count, unless a read asks for more: at the same moment on
	// the same side, and facing each other. A read cannot ask for more than maxWithin, in which too
	// much happens by chance to be worth a look.
	sameWithin   = 5 * time.Second
	facingWithin = 60 * time.Second
	maxWithin    = 15 * time.Minute
	// An account must have opened a trade this often at the same moment, or faced the trader once.
	// A coincidence is the likelier the wider the span, so a hit weighs the less.
	minSame = 3
	// peerLimit limits each search unless a read sets another limit. A sample that takes longer is
	// made smaller, and in the end the search is skipped.
	peerLimit = 4 * time.Second
)

// peerSamples are how many of the trader's trades are looked up: first the larger number, and the
// smaller one if that took too long.
var peerSamples = [...]int{4000, 400}

// peerSearch is a search for a trader's peers.
type peerSearch struct {
	orgID   uuid.UUID
	traders []uuid.UUID    // the trader's rows in the directory
	own     []ScopeAccount // accounts whose trades are looked up
	read    Query
}

// findPeers returns the peers, the likeliest first, and whether there may be more.
func findPeers(ctx context.Context, tx pgx.Tx, s peerSearch) (peers []ScopeAccount, cut bool, err error) {
	peers, err = s.findNeighbors(ctx, tx)
	if err != nil {
		return nil, false, err
	}
	met, done := []ScopeAccount{}, false
	for i := 0; i < len(peerSamples) && !done; i++ {
		if met, done, err = s.findByMoment(ctx, tx, peerSamples[i]); err != nil {
			return nil, false, err
		}
		cut = i > 0 // a smaller sample may have missed an account
	}
	known := make(map[uuid.UUID]bool)
	var all []ScopeAccount
	for _, a := range append(peers, met...) {
		if !known[a.ID] {
			known[a.ID], all = true, append(all, a)
		}
	}
	if len(all) > maxPeers {
		all, cut = all[:maxPeers], true
	}
	kept, err := s.keepSmall(ctx, tx, all)
	cut = cut || max(s.read.SameWithin, s.read.FacingWithin) > maxWithin
	return kept, cut || !done || len(kept) < len(all), err
}

// manyAccounts is used as the number of accounts if counting takes too long. A number that is too
// high only requires more evidence.
const manyAccounts = 1_000_000

// countOthers counts the organization's accounts except the given number of the trader's own, and
// those that are missing on the platform. Each was searched, so each could have matched by
// coincidence. done is false if it took too long.
func (s peerSearch) countOthers(ctx context.Context, tx pgx.Tx, own int) (n int, done bool, err error) {
	err = runWithin(ctx, tx, cmp.Or(s.read.PeerLimit, peerLimit), func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT
    (SELECT count(*) FROM integrations AS i JOIN accounts AS a ON a.integration_id = i.id WHERE i.organization_id = $1 AND a.missing_since IS NULL)
    + (SELECT count(*) FROM activity_files AS f JOIN activity_accounts AS a ON a.file_id = f.id WHERE f.organization_id = $1)`, s.orgID).Scan(&n)
	})
	if store.HasState(err, store.StateQueryCanceled) && ctx.Err() == nil {
		return manyAccounts, false, nil
	}
	return max(n-own, 0), err == nil, err
}

// findNeighbors returns the accounts of traders who last signed in from the same
// address as the trader.
func (s peerSearch) findNeighbors(ctx context.Context, tx pgx.Tx) ([]ScopeAccount, error) {
	rows, err := tx.Query(ctx, `SELECT o.id, `+accountColumns+`, NULL::timestamptz, NULL::timestamptz
FROM traders AS t JOIN traders AS o ON o.organization_id = t.organization_id AND o.metadata ->> 'last_login_ip' = t.metadata ->> 'last_login_ip'
JOIN accounts AS a ON a.integration_id = o.integration_id AND a.trader_external_id = o.external_id
WHERE t.id = ANY ($1) AND o.id <> ALL ($1) AND a.missing_since IS NULL ORDER BY a.id LIMIT $2`, s.traders, maxPeers)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanAccount)
}

// ownTrades selects a sample of the trader's trades in the window, always the same.
//
//	$1 and $2 integrations and external ids, $3 and $4 files and numbers of the
//	accounts, $5 and $6 the window, $7 size of the sample
const ownTrades = `SELECT row_number() OVER () AS n, s.symbol, s.side, s.open_time FROM (
        SELECT id, symbol, side, open_time FROM (
            SELECT x.id, x.symbol, x.side, x.open_time FROM unnest($1::uuid[], $2::text[]) AS u (i, e) JOIN trades AS x
            ON x.integration_id = u.i AND x.account_external_id = u.e AND x.updated_at > '-infinity' AND x.missing_since IS NULL AND x.open_time >= $5 AND x.open_time < $6
            UNION ALL
            SELECT x.id, x.symbol, x.side, x.open_time FROM unnest($3::uuid[], $4::integer[]) AS u (f, n) JOIN activity_trades AS x
            ON x.file_id = u.f AND x.account = u.n AND x.open_time >= $5 AND x.open_time < $6
        ) AS x ORDER BY hashtext(id), id, open_time LIMIT $7
    ) AS s`

// nearSynced and nearFiled join to each own trade o the organization's trades x that were opened at
// about the same time. OFFSET 0 makes them look into the index once for each own trade, and integration.
// Otherwise a planner without statistics about the organization's integrations, as soon after they were
// connected, takes them for one, and compares each own trade with all trades.
//
//	further: $8 organization, $9 and $10 the spans
const (
	nearSynced = `o CROSS JOIN (SELECT id FROM integrations WHERE organization_id = $8) AS i CROSS JOIN LATERAL (
        SELECT t.integration_id, t.account_external_id, t.symbol, t.side, t.open_time FROM trades AS t
        WHERE t.integration_id = i.id AND t.updated_at < 'infinity' AND t.missing_since IS NULL
            AND t.open_time >= o.open_time - greatest($9::interval, $10::interval) AND t.open_time <= o.open_time + greatest($9::interval, $10::interval)
        OFFSET 0
    ) AS x`
	nearFiled = `o CROSS JOIN LATERAL (
        SELECT t.file_id, t.account, t.symbol, t.side, t.open_time FROM activity_trades AS t
        WHERE t.organization_id = $8 AND t.open_time >= o.open_time - greatest($9::interval, $10::interval) AND t.open_time <= o.open_time + greatest($9::interval, $10::interval)
        OFFSET 0
    ) AS x`
)

// symbolsQuery selects the symbols of the own trades, and of those near them.
const symbolsQuery = `WITH o AS MATERIALIZED (
    ` + ownTrades + `
)
SELECT symbol, true FROM o
UNION SELECT x.symbol, false FROM ` + nearSynced + `
UNION SELECT x.symbol, false FROM ` + nearFiled

// metQuery selects the accounts that opened a trade of the same instrument at the same moment as
// the trader.
//
//	further: $11 traders, $12 least hits, $13 most accounts, $14 and $15 symbols and their
//	instruments
const metQuery = `WITH named_symbols AS MATERIALIZED (
    SELECT * FROM unnest($14::text[], $15::text[]) AS k (symbol, instrument)
), o AS MATERIALIZED (
    SELECT s.n, s.side, s.open_time, k.instrument FROM (` + ownTrades + `) AS s JOIN named_symbols AS k ON k.symbol = s.symbol
), hits AS (
    SELECT x.integration_id, x.account_external_id AS account, NULL::uuid AS file_id, NULL::integer AS number, o.n,
        x.side = o.side AS same, abs(extract(epoch FROM x.open_time - o.open_time)) AS gap
    FROM ` + nearSynced + ` JOIN named_symbols AS k ON k.symbol = x.symbol AND k.instrument = o.instrument
    UNION ALL
    SELECT NULL::uuid, NULL::text, x.file_id, x.account, o.n, x.side = o.side, abs(extract(epoch FROM x.open_time - o.open_time))
    FROM ` + nearFiled + ` JOIN named_symbols AS k ON k.symbol = x.symbol AND k.instrument = o.instrument
), counted AS (
    SELECT h.integration_id, h.account, h.file_id, h.number,
        count(DISTINCT h.n) FILTER (WHERE h.same AND h.gap <= extract(epoch FROM $9::interval)) AS same,
        count(DISTINCT h.n) FILTER (WHERE NOT h.same AND h.gap <= extract(epoch FROM $10::interval)) AS facing
    FROM hits AS h GROUP BY 1, 2, 3, 4
), named AS (
    SELECT t.id AS trader_id, a.id, a.integration_id, NULL::uuid AS file_id, NULL::integer AS number, a.external_id, a.platform, a.login, a.phase,
        a.currency, a.initial_balance, c.same, c.facing
    FROM counted AS c JOIN accounts AS a ON a.integration_id = c.integration_id AND a.external_id = c.account AND a.missing_since IS NULL
    LEFT JOIN traders AS t ON t.integration_id = a.integration_id AND t.external_id = a.trader_external_id
    UNION ALL
    SELECT f.trader_id, a.id, NULL, a.file_id, a.number, '', a.platform, a.login, '', a.currency, a.initial_balance, c.same, c.facing
    FROM counted AS c JOIN activity_accounts AS a ON a.file_id = c.file_id AND a.number = c.number JOIN activity_files AS f ON f.id = a.file_id
)
SELECT coalesce(trader_id, '00000000-0000-0000-0000-000000000000'), id, integration_id, file_id, coalesce(number, 0), external_id,
    coalesce(platform, ''), coalesce(login, ''), coalesce(phase, ''), coalesce(currency, ''), coalesce(initial_balance::text, '')
FROM named WHERE (same >= $12 OR facing >= 1) AND (trader_id IS NULL OR trader_id <> ALL ($11))
ORDER BY same * (extract(epoch FROM $10::interval) / extract(epoch FROM $9::interval)) + facing DESC, id LIMIT $13`

// findByMoment finds accounts by the times of trades. done is false if it took too long.
func (s peerSearch) findByMoment(ctx context.Context, tx pgx.Tx, sample int) (accounts []ScopeAccount, done bool, err error) {
	var integrations, files []uuid.UUID
	var externals []string
	var numbers []int32
	for _, a := range s.own {
		if a.FileID != uuid.Nil {
			files, numbers = append(files, a.FileID), append(numbers, int32(a.number))
		} else {
			integrations, externals = append(integrations, a.IntegrationID), append(externals, a.ExternalID)
		}
	}
	limit, begun := cmp.Or(s.read.PeerLimit, peerLimit), time.Now()
	err = runWithin(ctx, tx, limit, func(tx pgx.Tx) error {
		args := []any{
			integrations, externals, files, numbers, s.read.From, s.read.To, sample, s.orgID,
			min(max(sameWithin, s.read.SameWithin), maxWithin), min(max(facingWithin, s.read.FacingWithin), maxWithin),
		}
		symbols, instruments, err := s.findSymbols(ctx, tx, args)
		if err != nil {
			return err
		}
		if err := limitStatements(ctx, tx, limit-time.Since(begun)); err != nil { // both statements share one limit
			return err
		}
		rows, err := tx.Query(ctx, metQuery, append(args, s.traders, minSame, maxPeers+1, symbols, instruments)...)
		if err != nil {
			return err
		}
		accounts, err = pgx.CollectRows(rows, scanPeer)
		return err
	})
	if store.HasState(err, store.StateQueryCanceled) && ctx.Err() == nil {
		return nil, false, nil
	}
	return accounts, err == nil, err
}

// findSymbols returns the symbols near the own trades that are names of the same instruments as
// theirs, each with its instrument.
func (s peerSearch) findSymbols(ctx context.Context, tx pgx.Tx, args []any) (symbols, instruments []string, err error) {
	rows, err := tx.Query(ctx, symbolsQuery, args...)
	if err != nil {
		return nil, nil, err
	}
	found, traded := map[string]string{}, map[string]bool{} // instruments by symbol, own instruments
	var symbol string
	var own bool
	if _, err := pgx.ForEachRow(rows, []any{&symbol, &own}, func() error {
		instrument := symbol
		if s.read.InstrumentOf != nil {
			instrument = s.read.InstrumentOf(symbol)
		}
		found[symbol], traded[instrument] = instrument, traded[instrument] || own
		return nil
	}); err != nil {
		return nil, nil, err
	}
	for symbol, instrument := range found {
		if traded[instrument] {
			symbols, instruments = append(symbols, symbol), append(instruments, instrument)
		}
	}
	return symbols, instruments, nil
}

func scanPeer(row pgx.CollectableRow) (a ScopeAccount, err error) {
	var integration, file *uuid.UUID
	err = row.Scan(&a.TraderID, &a.ID, &integration, &file, &a.number, &a.ExternalID, &a.Platform, &a.Login, &a.Phase, &a.Currency, &a.InitialBalance)
	a.IntegrationID, a.FileID = store.Deref(integration), store.Deref(file)
	return a, err
}

// keepSmall keeps the accounts that can be read entirely within the limits.
func (s peerSearch) keepSmall(ctx context.Context, tx pgx.Tx, accounts []ScopeAccount) ([]ScopeAccount, error) {
	var kept []ScopeAccount
	left := maxPeerTrades
	for _, a := range accounts {
		query, args := `SELECT FROM trades WHERE integration_id = $1 AND account_external_id = $2 AND updated_at > '-infinity'`, []any{a.IntegrationID, a.ExternalID}
		if a.FileID != uuid.Nil {
			query, args = `SELECT FROM activity_trades WHERE file_id = $1 AND account = $2`, []any{a.FileID, a.number}
		}
		var n int
		err := tx.QueryRow(ctx, `SELECT count(*) FROM (`+query+` AND (open_time >= $3 AND open_time < $4 OR open_time IS NULL) LIMIT $5) AS x`,
			append(args, s.read.From, s.read.To, min(maxPeerSize, left)+1)...).Scan(&n)
		if err != nil {
			return nil, err
		}
		if n <= min(maxPeerSize, left) {
			kept, left = append(kept, a), left-n
		}
	}
	return kept, nil
}

// runWithin runs fn with a time limit for each of its statements. If one takes longer, the
// transaction continues as if fn had not been called.
func runWithin(ctx context.Context, tx pgx.Tx, limit time.Duration, fn func(tx pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, tx, func(point pgx.Tx) error {
		var before string
		if err := point.QueryRow(ctx, `SELECT current_setting('statement_timeout')`).Scan(&before); err != nil {
			return err
		}
		if err := limitStatements(ctx, point, limit); err != nil {
			return err
		}
		if err := fn(point); err != nil {
			return err // rolling back also restores the limit
		}
		_, err := point.Exec(ctx, `SELECT set_config('statement_timeout', $1, true)`, before)
		return err
	})
}

// limitStatements sets how long each further statement of the transaction may take, at least 1 ms.
func limitStatements(ctx context.Context, tx pgx.Tx, limit time.Duration) error {
	_, err := tx.Exec(ctx, `SELECT set_config('statement_timeout', $1, true)`, strconv.FormatInt(max(limit.Milliseconds(), 1), 10))
	return err
}
