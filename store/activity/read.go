package activity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory/column"
)

// Query selects what Read reads of a trader for an analysis.
type Query struct {
	TraderID uuid.UUID
	From, To time.Time // open times, From inclusive, To exclusive
	// MaxTrades limits the trader's own trades. More of them are ErrTooManyTrades.
	MaxTrades int
	// Peers requests accounts of other traders that may be run together with the trader's, and
	// their trades.
	Peers bool
	// Instruments are the instruments of symbols in upper case. Symbols that are not among them are
	// compared as they are.
	Instruments map[string]string
	// InstrumentOf returns the instrument that a symbol of the trader or of a peer is a name of. If
	// it is nil, symbols of peers are compared as they are.
	InstrumentOf func(symbol string) string
	// SameWithin and FacingWithin are how far apart the opens of a peer and of the trader may be, on
	// the same side and on opposite ones. At least 5 s and 60 s are searched, and 15 min at most.
	SameWithin, FacingWithin time.Duration
	// PeerLimit is how long each search for peers may take. Zero means 4 s.
	PeerLimit time.Duration
}

// Scope describes a trader's data before any trade is read.
type Scope struct {
	// Accounts are the synced ones ordered by id, then those of files, in the order of Files.
	Accounts     []ScopeAccount
	Integrations []ScopeIntegration // platforms with accounts of the trader
	Files        []File             // in upload order
	// Missing are the ids of the trader's accounts that are missing on the platform. They are not
	// among Accounts.
	Missing []uuid.UUID
}

// ScopeAccount is an account whose trades can be read.
type ScopeAccount struct {
	ID            uuid.UUID
	TraderID      uuid.UUID // of its row in the directory
	IntegrationID uuid.UUID // zero if it is a file's
	FileID        uuid.UUID // zero if it is synced
	ExternalID    string    // the platform's id; empty for a file's
	Platform      string
	Login         string
	Phase         string
	Currency      string
	// InitialBalance is empty if unknown.
	InitialBalance record.Decimal
	// Ended reports that the account is passed, breached or closed.
	Ended bool
	// KnownSince is the earlier of the platform's start of the account and its arrival here. It is
	// zero if it is a file's.
	KnownSince time.Time
	// FirstAt and LastAt are the first and last open times of the trades in all of the platform's
	// history. They are nil without trades, and for accounts of files.
	FirstAt, LastAt *time.Time
	// Shares are the ids of other accounts of the trader that also contain a trade of this one. It
	// is only set by Read: for a file's account that has no login or one that several synced accounts
	// have, and for a synced one, of the accounts before it that another platform reports with the
	// same login.
	Shares []uuid.UUID

	number  int  // within the file
	missing bool // on the platform
}

// ScopeIntegration is a platform whose accounts are synced.
type ScopeIntegration struct {
	ID         uuid.UUID
	LastSyncAt *time.Time // until when its trades are known to be complete; nil if never synced
}

// Sink receives what Read reads, in the order of its methods. One goroutine calls it.
type Sink interface {
	// Begin receives the scope and chooses the accounts whose trades are read. An error of Begin
	// ends the read.
	Begin(s Scope) (accounts []Choice, err error)
	// Beyond receives the trades of the chosen accounts before and after the window, each nil if
	// there are none.
	Beyond(before, after *Beyond)
	// Peers is called if peers were requested. It receives the accounts of other traders that are
	// read as well, and the number of the organization's accounts that were searched. cut reports
	// that there may be more peers, which could not be searched or hold too many trades.
	Peers(accounts []ScopeAccount, searched int, cut bool)
	// Trade receives a trade of a chosen account or of a peer. The trades of one account come
	// together, in no particular order.
	Trade(a *ScopeAccount, t record.Trade)
}

// ErrTooManyTrades means that the window holds more trades than can be read at once.
var ErrTooManyTrades = errors.New("too many trades in the window")

// Read passes the trades of a trader to a sink one by one, from one snapshot, regardless of their
// number. They are the trades of the trader's accounts on every platform that knows the trader, and
// of the trader's files. What is missing on a platform is left out, and so are all trades of an
// account that is. A platform knows the trader if the directory's row comes from it, or if
// exactly one of its traders has the same email. Read returns ErrNotFound if the organization has
// no such trader.
func Read(ctx context.Context, db *store.DB, orgID uuid.UUID, r Query, sink Sink) (err error) {
	defer store.WrapError(&err, "read activity of trader %s", r.TraderID)
	tx, err := db.Pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	// The transaction has changed nothing, so an error of the rollback loses nothing.
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	traders, err := sameTraders(ctx, tx, orgID, r.TraderID)
	if err != nil {
		return err
	}
	scope, err := readScope(ctx, tx, orgID, traders)
	if err != nil {
		return err
	}
	if err := findShared(ctx, tx, scope.Accounts, r.Instruments); err != nil {
		return err
	}
	chosen, err := sink.Begin(scope)
	if err != nil {
		return err
	}
	own := make([]ScopeAccount, len(chosen))
	for n, c := range chosen {
		own[n] = scope.Accounts[c.Account]
	}
	before, after, err := readBeyond(ctx, tx, scope, chosen, r)
	if err != nil {
		return err
	}
	sink.Beyond(before, after)
	var peers []ScopeAccount
	if r.Peers {
		var cut bool
		search := peerSearch{orgID: orgID, traders: traders, own: own, read: r}
		if peers, cut, err = findPeers(ctx, tx, search); err != nil {
			return err
		}
		searched, counted, err := search.countOthers(ctx, tx, len(scope.Accounts))
		if err != nil {
			return err
		}
		sink.Peers(peers, searched, cut || !counted)
	}
	if err := streamAll(ctx, tx, own, r, r.MaxTrades, sink); err != nil {
		return err
	}
	return streamAll(ctx, tx, peers, r, maxPeerTrades, sink)
}

// streamAll passes the trades of accounts to the sink, up to a limit.
func streamAll(ctx context.Context, tx pgx.Tx, accounts []ScopeAccount, r Query, most int, sink Sink) error {
	for i := range accounts {
		n, err := streamTrades(ctx, tx, &accounts[i], r, most+1, sink)
		if err != nil {
			return err
		}
		if most -= n; most < 0 {
			return ErrTooManyTrades
		}
	}
	return nil
}

// ReadScope returns the accounts and files that an analysis of a trader draws on, without their
// trades and thus without Shares. It returns ErrNotFound if the organization has no such trader.
func ReadScope(ctx context.Context, db *store.DB, orgID, traderID uuid.UUID) (s Scope, err error) {
	defer store.WrapError(&err, "read the accounts of trader %s", traderID)
	err = pgx.BeginTxFunc(ctx, db.Pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		traders, err := sameTraders(ctx, tx, orgID, traderID)
		if err != nil {
			return err
		}
		s, err = readScope(ctx, tx, orgID, traders)
		return err
	})
	return s, err
}

// sameTraders returns the directory's rows of a trader, beginning with the requested one. Rows of which
// somebody has said that they are not the same person are not among them.
func sameTraders(ctx context.Context, tx pgx.Tx, orgID, id uuid.UUID) ([]uuid.UUID, error) {
	var found uuid.UUID
	if err := tx.QueryRow(ctx, `SELECT id FROM traders WHERE id = $1 AND organization_id = $2`, id, orgID).Scan(&found); err != nil {
		return nil, err
	}
	// If a platform has the email twice, it is unknown which of the two is the trader.
	rows, err := tx.Query(ctx, `WITH asked AS (
    SELECT organization_id, integration_id, lower(coalesce(override_email, email)) AS email FROM traders WHERE id = $1
), same AS (
    SELECT t.id, t.integration_id, count(*) OVER (PARTITION BY t.integration_id) AS n FROM asked AS a JOIN traders AS t
    ON t.organization_id = a.organization_id AND lower(coalesce(t.override_email, t.email)) = a.email
    WHERE t.integration_id IS NOT NULL
    AND NOT EXISTS (SELECT FROM distinct_traders AS d WHERE d.trader_id = least(t.id, $1) AND d.other_id = greatest(t.id, $1))
)
SELECT s.id FROM same AS s, asked AS a WHERE s.n = 1 AND s.id <> $1 AND s.integration_id IS DISTINCT FROM a.integration_id ORDER BY s.id`, id)
	if err != nil {
		return nil, err
	}
	others, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	return append([]uuid.UUID{id}, others...), err
}

// readScope reads the scope of the traders, without Shares.
func readScope(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, traders []uuid.UUID) (s Scope, err error) {
	if s.Accounts, err = syncedAccounts(ctx, tx, traders); err != nil {
		return s, err
	}
	s.Accounts = slices.DeleteFunc(s.Accounts, func(a ScopeAccount) bool {
		if a.missing {
			s.Missing = append(s.Missing, a.ID)
		}
		return a.missing
	})
	if s.Integrations, err = scopeIntegrations(ctx, tx, s.Accounts); err != nil {
		return s, err
	}
	rows, err := tx.Query(ctx, `SELECT `+FileColumns+` FROM activity_files AS f WHERE f.organization_id = $1 AND f.trader_id = ANY ($2)
ORDER BY f.created_at, f.id`, orgID, traders)
	if err != nil {
		return s, err
	}
	if s.Files, err = pgx.CollectRows(rows, scanActivityFile); err != nil {
		return s, err
	}
	filed, err := filedAccounts(ctx, tx, s.Files)
	if err != nil {
		return s, err
	}
	s.Accounts = append(s.Accounts, filed...)
	return s, nil
}

func scanActivityFile(row pgx.CollectableRow) (f File, err error) {
	err = row.Scan(&f.ID, &f.TraderID, &f.Name, &f.MediaType, &f.SHA256, &f.Bytes, &f.Options, &f.Reader, &f.Report, &f.Trades, &f.UploadedBy, &f.CreatedAt, &f.UpdatedAt)
	return f, err
}

// accountColumns selects a ScopeAccount from a row a of accounts, except for the trader, which
// comes first, and the span of its trades, which comes last.
const accountColumns = `a.id, a.integration_id, a.external_id, coalesce(a.platform, ''), coalesce(a.login, ''), coalesce(a.phase, ''),
    coalesce(a.currency, ''), coalesce(a.initial_balance::text, ''),
    coalesce(a.status IN ('passed', 'breached', 'closed'), false), a.missing_since IS NOT NULL,
    least(a.started_at, a.created_at)`

func scanAccount(row pgx.CollectableRow) (a ScopeAccount, err error) {
	err = row.Scan(&a.TraderID, &a.ID, &a.IntegrationID, &a.ExternalID, &a.Platform, &a.Login, &a.Phase, &a.Currency, &a.InitialBalance, &a.Ended, &a.missing, &a.KnownSince, &a.FirstAt, &a.LastAt)
	return a, err
}

func syncedAccounts(ctx context.Context, tx pgx.Tx, traders []uuid.UUID) ([]ScopeAccount, error) {
	rows, err := tx.Query(ctx, `SELECT t.id, `+accountColumns+`,
    (SELECT x.open_time FROM trades AS x WHERE x.integration_id = a.integration_id AND x.account_external_id = a.external_id AND x.updated_at > '-infinity'
        AND x.missing_since IS NULL AND x.open_time IS NOT NULL ORDER BY x.open_time, x.id LIMIT 1),
    (SELECT x.open_time FROM trades AS x WHERE x.integration_id = a.integration_id AND x.account_external_id = a.external_id AND x.updated_at > '-infinity'
        AND x.missing_since IS NULL AND x.open_time IS NOT NULL ORDER BY x.open_time DESC NULLS LAST, x.id DESC LIMIT 1)
FROM traders AS t JOIN accounts AS a ON a.integration_id = t.integration_id AND a.trader_external_id = t.external_id
WHERE t.id = ANY ($1) ORDER BY a.id`, traders)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanAccount)
}

// scopeIntegrations reads until when the platforms' trades are complete. A partner's trades are
// read as two streams, both of which must have succeeded.
func scopeIntegrations(ctx context.Context, tx pgx.Tx, accounts []ScopeAccount) ([]ScopeIntegration, error) {
	ids := make([]uuid.UUID, len(accounts))
	for i, a := range accounts {
		ids[i] = a.IntegrationID
	}
	rows, err := tx.Query(ctx, `SELECT i.id, (SELECT CASE WHEN bool_and(s.last_success_at IS NOT NULL) THEN min(s.last_success_at) END
    FROM sync_streams AS s WHERE s.integration_id = i.id AND s.stream = ANY ($2))
FROM integrations AS i WHERE i.id = ANY ($1) ORDER BY i.id`, ids, []string{string(record.StreamTrades), string(record.StreamTradesOpen), string(record.StreamTradesClosed)})
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (i ScopeIntegration, err error) {
		return i, row.Scan(&i.ID, &i.LastSyncAt)
	})
}

// filedAccounts reads the accounts of files, in the order of the files.
func filedAccounts(ctx context.Context, tx pgx.Tx, files []File) ([]ScopeAccount, error) {
	if len(files) == 0 {
		return nil, nil
	}
	ids := make([]uuid.UUID, len(files))
	for i, f := range files {
		ids[i] = f.ID
	}
	rows, err := tx.Query(ctx, `SELECT f.trader_id, a.file_id, a.number, a.id, a.login, a.platform, a.currency, coalesce(a.initial_balance::text, '')
FROM activity_accounts AS a JOIN activity_files AS f ON f.id = a.file_id WHERE a.file_id = ANY ($1) ORDER BY f.created_at, f.id, a.number`, ids)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (a ScopeAccount, err error) {
		return a, row.Scan(&a.TraderID, &a.FileID, &a.number, &a.ID, &a.Login, &a.Platform, &a.Currency, &a.InitialBalance)
	})
}

// tradeValues are the columns of a streamed trade in their transfer formats: times as microseconds,
// numbers as the text of a Decimal.
const tradeValues = `id, symbol, side, open_time, close_time, trim_scale(volume), trim_scale(open_price), trim_scale(close_price),
    trim_scale(stop_loss), trim_scale(take_profit), trim_scale(commission), trim_scale(swap), trim_scale(profit)`

// streamTrades passes the trades of an account in the read's window to the sink, up to a limit, and
// returns how many there were.
func streamTrades(ctx context.Context, tx pgx.Tx, a *ScopeAccount, r Query, most int, sink Sink) (int, error) {
	// All rows meet the condition on updated_at, which lets the query use the index trades_opened.
	rows := `FROM trades WHERE integration_id = $1 AND account_external_id = $2 AND updated_at > '-infinity' AND missing_since IS NULL`
	args := [][]byte{[]byte(a.IntegrationID.String()), []byte(a.ExternalID)}
	if a.FileID != uuid.Nil {
		rows = `FROM activity_trades WHERE file_id = $1 AND account = $2`
		args = [][]byte{[]byte(a.FileID.String()), fmt.Append(nil, a.number)}
	}
	query := `SELECT ` + tradeValues + ` ` + rows + ` AND open_time >= $3 AND open_time < $4
UNION ALL SELECT ` + tradeValues + ` ` + rows + ` AND open_time IS NULL LIMIT $5`
	from, _ := column.AppendTime(nil, r.From)
	to, _ := column.AppendTime(nil, r.To)
	args = append(args, from, to, fmt.Append(nil, most))
	// The query bypasses pgx, which would read every value into an any. It is unprepared so that it
	// works behind a pooler.
	result := tx.Conn().PgConn().ExecParams(ctx, query, args, nil, nil, tradeFormats)
	n := 0
	for result.NextRow() {
		t, err := tradeOf(result.Values())
		if err != nil {
			_, _ = result.Close()
			return n, err
		}
		n++
		sink.Trade(a, t)
	}
	_, err := result.Close()
	return n, err
}
