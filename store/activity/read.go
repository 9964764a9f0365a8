package activity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
)

// Query says what to read of a trader for an analysis.
type Query struct {
	TraderID uuid.UUID
	From, To time.Time // open time, From included, To not
	// MaxTrades bounds the trader's own trades: more are ErrTooManyTrades.
	MaxTrades int
	// Peers asks for accounts of other traders that may be run together with the
	// trader's, and their trades.
	Peers bool
	// PeerLimit is how long each search for peers may take; zero: 4 s.
	PeerLimit time.Duration
}

// Scope is what there is of a trader, before any trade is read.
type Scope struct {
	// Accounts are the synced ones in the order of their ids, then those of
	// files, in the order of Files.
	Accounts     []ScopeAccount
	Integrations []ScopeIntegration // those that have accounts of the trader
	Files        []File             // in the order of their uploads
}

// ScopeAccount is an account that trades can be read of.
type ScopeAccount struct {
	ID            uuid.UUID
	TraderID      uuid.UUID // of the directory's row that it belongs to
	IntegrationID uuid.UUID // zero: it is a file's
	FileID        uuid.UUID // zero: it is synced
	ExternalID    string    // the platform's id; empty for a file's
	Platform      string
	Login         string
	Phase         string
	Currency      string
	// InitialBalance is empty when it is not known.
	InitialBalance record.Decimal
	// Ended says that the account is over: passed, breached or closed.
	Ended bool
	// FirstAt and LastAt are the open times between which the platform has told
	// trades, in all of its history; nil without trades, and for a file's.
	FirstAt, LastAt *time.Time
	// Shares are other accounts of the trader, by id, that have a trade of this one
	// as well. Only told of a file's account that has no login.
	Shares []uuid.UUID

	number int // within the file
}

// ScopeIntegration is a platform that accounts are synced from.
type ScopeIntegration struct {
	ID         uuid.UUID
	LastSyncAt *time.Time // since when its trades are known to be complete; nil: never
}

// Sink takes what Read reads, in the order of the methods. It is
// called by one goroutine.
type Sink interface {
	// Begin is told what there is, and chooses the accounts whose trades are read.
	// Its error ends the read.
	Begin(s Scope) (accounts []Choice, err error)
	// Beyond is told what the chosen accounts have before and after the window;
	// nil: nothing.
	Beyond(before, after *Beyond)
	// Peers is told, when they were asked for, which accounts of other traders
	// are read as well, and among how many of the organization's they were searched;
	// cut says that there may be more, which could not be looked for or hold too many
	// trades.
	Peers(accounts []ScopeAccount, searched int, cut bool)
	// Trade takes a trade of a chosen account or of a peer, those of one account
	// behind each other, in no particular order.
	Trade(a *ScopeAccount, t record.Trade)
}

// ErrTooManyTrades says that the window holds more trades than are read at once.
var ErrTooManyTrades = errors.New("too many trades in the window")

// Read hands the trades of a trader to a sink, as of one moment and one
// by one, however many there are: those of the accounts of every platform that
// knows him, and of his files. A platform knows him when the directory's row is
// its, or when it has exactly one trader of the same email. ErrNotFound when the
// organization has no such trader.
func Read(ctx context.Context, db *store.DB, orgID uuid.UUID, r Query, sink Sink) (err error) {
	defer store.WrapError(&err, "read activity of trader %s", r.TraderID)
	tx, err := db.Pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	// Nothing was changed: there is nothing to lose in its error.
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	traders, err := sameTraders(ctx, tx, orgID, r.TraderID)
	if err != nil {
		return err
	}
	scope, err := readScope(ctx, tx, orgID, traders)
	if err != nil {
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
		searched, err := search.countOthers(ctx, tx, len(scope.Accounts))
		if err != nil {
			return err
		}
		sink.Peers(peers, searched, cut)
	}
	if err := streamAll(ctx, tx, own, r, r.MaxTrades, sink); err != nil {
		return err
	}
	return streamAll(ctx, tx, peers, r, maxPeerTrades, sink)
}

// streamAll hands the trades of accounts to the sink, at most so many.
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

// sameTraders returns the directory's rows of a trader, the one asked for first.
func sameTraders(ctx context.Context, tx pgx.Tx, orgID, id uuid.UUID) ([]uuid.UUID, error) {
	var found uuid.UUID
	if err := tx.QueryRow(ctx, `SELECT id FROM traders WHERE id = $1 AND organization_id = $2`, id, orgID).Scan(&found); err != nil {
		return nil, err
	}
	// A platform that has the email twice does not tell which of the two he is.
	rows, err := tx.Query(ctx, `WITH asked AS (
    SELECT organization_id, integration_id, lower(coalesce(override_email, email)) AS email FROM traders WHERE id = $1
), same AS (
    SELECT t.id, t.integration_id, count(*) OVER (PARTITION BY t.integration_id) AS n FROM asked AS a JOIN traders AS t
    ON t.organization_id = a.organization_id AND lower(coalesce(t.override_email, t.email)) = a.email
    WHERE t.integration_id IS NOT NULL
)
SELECT s.id FROM same AS s, asked AS a WHERE s.n = 1 AND s.id <> $1 AND s.integration_id IS DISTINCT FROM a.integration_id ORDER BY s.id`, id)
	if err != nil {
		return nil, err
	}
	others, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	return append([]uuid.UUID{id}, others...), err
}

// readScope reads what there is of the traders.
func readScope(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, traders []uuid.UUID) (s Scope, err error) {
	if s.Accounts, err = syncedAccounts(ctx, tx, traders); err != nil {
		return s, err
	}
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
	return s, findShared(ctx, tx, s.Accounts)
}

func scanActivityFile(row pgx.CollectableRow) (f File, err error) {
	err = row.Scan(&f.ID, &f.TraderID, &f.Name, &f.MediaType, &f.SHA256, &f.Bytes, &f.Options, &f.Reader, &f.Report, &f.Trades, &f.UploadedBy, &f.CreatedAt, &f.UpdatedAt)
	return f, err
}

// accountColumns selects a ScopeAccount from a row a of accounts, but for the
// trader, who comes first, and the span of its trades, which comes last.
const accountColumns = `a.id, a.integration_id, a.external_id, coalesce(a.platform, ''), coalesce(a.login, ''), coalesce(a.phase, ''),
    coalesce(a.currency, ''), coalesce(a.initial_balance::text, ''),
    coalesce(a.status IN ('passed', 'breached', 'closed'), false)`

func scanAccount(row pgx.CollectableRow) (a ScopeAccount, err error) {
	err = row.Scan(&a.TraderID, &a.ID, &a.IntegrationID, &a.ExternalID, &a.Platform, &a.Login, &a.Phase, &a.Currency, &a.InitialBalance, &a.Ended, &a.FirstAt, &a.LastAt)
	return a, err
}

func syncedAccounts(ctx context.Context, tx pgx.Tx, traders []uuid.UUID) ([]ScopeAccount, error) {
	rows, err := tx.Query(ctx, `SELECT t.id, `+accountColumns+`,
    (SELECT x.open_time FROM trades AS x WHERE x.integration_id = a.integration_id AND x.account_external_id = a.external_id AND x.updated_at > '-infinity'
        AND x.open_time IS NOT NULL ORDER BY x.open_time, x.id LIMIT 1),
    (SELECT x.open_time FROM trades AS x WHERE x.integration_id = a.integration_id AND x.account_external_id = a.external_id AND x.updated_at > '-infinity'
        AND x.open_time IS NOT NULL ORDER BY x.open_time DESC NULLS LAST, x.id DESC LIMIT 1)
FROM traders AS t JOIN accounts AS a ON a.integration_id = t.integration_id AND a.trader_external_id = t.external_id
WHERE t.id = ANY ($1) ORDER BY a.id`, traders)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanAccount)
}

// scopeIntegrations reads how fresh the platforms' trades are. A partner's are
// read as two streams: both must have succeeded.
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

// tradeValues are the columns of a streamed trade, and in which form they come:
// times as microseconds, numbers as the text that a Decimal is.
const tradeValues = `id, symbol, side, open_time, close_time, trim_scale(volume), trim_scale(open_price), trim_scale(close_price),
    trim_scale(stop_loss), trim_scale(take_profit), trim_scale(commission), trim_scale(swap), trim_scale(profit)`

// streamTrades hands the trades of an account in the read's window to the sink,
// at most so many, and returns how many there were.
func streamTrades(ctx context.Context, tx pgx.Tx, a *ScopeAccount, r Query, most int, sink Sink) (int, error) {
	// The condition on updated_at, which all rows meet, is that of trades_opened.
	rows := `FROM trades WHERE integration_id = $1 AND account_external_id = $2 AND updated_at > '-infinity'`
	args := [][]byte{[]byte(a.IntegrationID.String()), []byte(a.ExternalID)}
	if a.FileID != uuid.Nil {
		rows = `FROM activity_trades WHERE file_id = $1 AND account = $2`
		args = [][]byte{[]byte(a.FileID.String()), fmt.Append(nil, a.number)}
	}
	query := `SELECT ` + tradeValues + ` ` + rows + ` AND open_time >= $3 AND open_time < $4
UNION ALL SELECT ` + tradeValues + ` ` + rows + ` AND open_time IS NULL LIMIT $5`
	from, _ := directory.AppendTime(nil, r.From)
	to, _ := directory.AppendTime(nil, r.To)
	args = append(args, from, to, fmt.Append(nil, most))
	// Not through pgx, which would read every value into an any; and unprepared,
	// so that it works behind a pooler.
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
