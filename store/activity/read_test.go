package activity_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/activity"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// activitySink records the calls of its methods.
type activitySink struct {
	scope  activity.Scope
	trades map[string]record.Trade // by login or external id of the account, and id
	peers  []string                // external ids or logins
	cut    bool
	// searched is the number of accounts among which the peers were searched.
	searched int
	before   *activity.Beyond
	after    *activity.Beyond
	choose   func(activity.Scope) []activity.Choice
	refused  error
}

func newActivitySink() *activitySink { return &activitySink{trades: map[string]record.Trade{}} }

func (s *activitySink) Begin(scope activity.Scope) ([]activity.Choice, error) {
	s.scope = scope
	if s.choose != nil {
		return s.choose(scope), s.refused
	}
	all := make([]activity.Choice, len(scope.Accounts))
	for i := range all {
		all[i] = activity.Choice{Account: i, Same: i}
	}
	return all, s.refused
}

func (s *activitySink) Beyond(before, after *activity.Beyond) { s.before, s.after = before, after }

func (s *activitySink) Peers(accounts []activity.ScopeAccount, searched int, cut bool) {
	s.searched = searched
	s.cut = cut
	for _, a := range accounts {
		s.peers = append(s.peers, accountName(&a))
	}
}

func (s *activitySink) Trade(a *activity.ScopeAccount, t record.Trade) {
	s.trades[accountName(a)+"/"+t.ID] = t
}

func accountName(a *activity.ScopeAccount) string {
	if a.ExternalID != "" {
		return a.ExternalID
	}
	return a.Login
}

func (b orgDB) readActivity(t *testing.T, r activity.Query) *activitySink {
	t.Helper()
	sink := newActivitySink()
	if err := activity.Read(t.Context(), b.DB, b.Org, r, sink); err != nil {
		t.Fatal(err)
	}
	return sink
}

func (s *activitySink) String() string {
	accounts, files := []string{}, []string{}
	for _, a := range s.scope.Accounts {
		accounts = append(accounts, accountName(&a))
	}
	for _, f := range s.scope.Files {
		files = append(files, f.Name)
	}
	return fmt.Sprintf("accounts %v, files %v, %d integrations, %d trades, peers %v", accounts, files, len(s.scope.Integrations), len(s.trades), s.peers)
}

// firm is a customer with two platforms that know one trader by email, and others.
type firm struct {
	orgDB
	custom, partner integrations.Integration
	trader          uuid.UUID
}

func setupFirm(t *testing.T) firm {
	t.Helper()
	d := firm{orgDB: setup(t)}
	d.custom = storetest.Integration(t, d.DB, d.Org, "https://a.example")
	d.partner = storetest.Integration(t, d.DB, d.Org, "https://b.example")
	storetest.Records(t, d.URL, d.custom, record.Batch{
		Traders: []record.Trader{{ID: "t-1", Email: "ada@example.com"}, {ID: "t-2", Email: "bob@example.com", Metadata: `{"last_login_ip":"192.0.2.7"}`}},
		Accounts: []record.Account{
			{ID: "A-1", TraderID: "t-1", Login: "7001", Platform: "mt5", Phase: "funded", Currency: "USD", InitialBalance: "50000"},
			{ID: "A-2", TraderID: "t-2"},
		},
		Trades: []record.Trade{minuteOf("A-1", "1", june(2), "EURUSD", record.Buy), minuteOf("A-1", "2", june(5), "EURUSD", record.Buy), minuteOf("A-2", "1", june(4), "GBPUSD", record.Buy)},
	})
	storetest.Records(t, d.URL, d.partner, record.Batch{
		Traders:  []record.Trader{{ID: "c-9", Email: "ADA@example.com", Metadata: `{"last_login_ip":"192.0.2.7"}`}},
		Accounts: []record.Account{{ID: "P-1", TraderID: "c-9"}},
		Trades:   []record.Trade{minuteOf("P-1", "1", june(3), "XAUUSD", record.Sell), {ID: "2", AccountID: "P-1", Symbol: "XAUUSD", Side: record.Buy}},
	})
	d.trader = storetest.One[uuid.UUID](t, d.orgDB.Conn, `SELECT id FROM traders WHERE external_id = 't-1'`)
	return d
}

func minuteOf(account, id string, at time.Time, symbol string, side record.Side) record.Trade {
	return record.Trade{ID: id, AccountID: account, Symbol: symbol, Side: side, OpenTime: at, CloseTime: at.Add(time.Minute), Volume: "1", Profit: "-2.5"}
}

func (d firm) all() activity.Query {
	return activity.Query{TraderID: d.trader, From: june(1), To: june(30), MaxTrades: 1000, Peers: true, InstrumentOf: withoutSuffix}
}

func withoutSuffix(symbol string) string {
	instrument, _, _ := strings.Cut(strings.ToUpper(symbol), ".")
	return instrument
}

func TestReadActivity(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		before func(t *testing.T, d firm)
		change func(d firm, r *activity.Query)
		want   string
	}{
		{"two platforms, joined by email", nil, nil, "accounts [A-1 P-1], files [], 2 integrations, 5 trades, peers [A-2]"},
		{"a part of the time", nil, func(_ firm, r *activity.Query) { r.From, r.To, r.Peers = june(2), june(5), false }, "accounts [A-1 P-1], files [], 2 integrations, 3 trades, peers []"},
		{"and a file", func(t *testing.T, d firm) {
			d.keep(t, storetest.ActivityFile(d.trader, "statement", "x", minuteOf("55", "1", june(7), "EURUSD", record.Buy), minuteOf("", "1", june(8), "EURUSD", record.Buy)))
		}, func(_ firm, r *activity.Query) { r.Peers = false }, "accounts [A-1 P-1 55 ], files [statement], 2 integrations, 6 trades, peers []"},
		{"a platform with the email twice", func(t *testing.T, d firm) {
			storetest.Records(t, d.URL, d.partner, record.Batch{Traders: []record.Trader{{ID: "c-10", Email: "ada@example.com"}}})
		}, func(_ firm, r *activity.Query) { r.Peers = false }, "accounts [A-1], files [], 1 integrations, 2 trades, peers []"},
		{"another email set by a person", func(t *testing.T, d firm) {
			d.Exec(t, `UPDATE traders SET override_email = 'other@example.com' WHERE id = $1`, d.trader)
		}, func(_ firm, r *activity.Query) { r.Peers = false }, "accounts [A-1], files [], 1 integrations, 2 trades, peers []"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := setupFirm(t)
			if tc.before != nil {
				tc.before(t, d)
			}
			r := d.all()
			if tc.change != nil {
				tc.change(d, &r)
			}
			if diff := cmp.Diff(tc.want, d.readActivity(t, r).String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadActivityTellsOfAccounts(t *testing.T) {
	t.Parallel()
	d := setupFirm(t)
	d.Exec(t, `INSERT INTO sync_streams (integration_id, stream, last_success_at) VALUES ($1, 'trades', $2)`, d.custom.ID, june(20))
	d.Exec(t, `UPDATE accounts SET status = 'breached' WHERE external_id = 'A-1'`)
	s := d.readActivity(t, d.all())
	got := s.scope.Accounts[0]
	want := activity.ScopeAccount{
		ID: got.ID, TraderID: d.trader, IntegrationID: d.custom.ID, ExternalID: "A-1", Platform: "mt5", Login: "7001", Phase: "funded", Currency: "USD",
		InitialBalance: "50000", Ended: true, KnownSince: got.KnownSince, FirstAt: new(june(2)), LastAt: new(june(5)),
	}
	if got.KnownSince.IsZero() {
		t.Error("it is not told since when the account is known")
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(activity.ScopeAccount{})); diff != "" {
		t.Errorf("account (-want +got):\n%s", diff)
	}
	for _, i := range s.scope.Integrations {
		if fresh := i.ID == d.custom.ID; fresh != (i.LastSyncAt != nil) || fresh && !i.LastSyncAt.Equal(june(20)) {
			t.Errorf("integration %s was read at %v", i.ID, i.LastSyncAt)
		}
	}
	trade := minuteOf("", "2", june(5), "EURUSD", record.Buy)
	if diff := cmp.Diff(trade, s.trades["A-1/2"]); diff != "" {
		t.Errorf("trade (-want +got):\n%s", diff)
	}
}

func TestReadActivityIsBounded(t *testing.T) {
	t.Parallel()
	d := setupFirm(t)
	r := d.all()
	r.MaxTrades = 4
	if s := d.readActivity(t, r); len(s.trades) != 5 { // one of them is the peer's
		t.Errorf("%d trades", len(s.trades))
	}
	r.MaxTrades = 3
	if err := activity.Read(t.Context(), d.orgDB.DB, d.Org, r, newActivitySink()); !errors.Is(err, activity.ErrTooManyTrades) {
		t.Errorf("%v, want ErrTooManyTrades", err)
	}
	sink := newActivitySink()
	sink.refused = errors.New("refused by the sink")
	if err := activity.Read(t.Context(), d.orgDB.DB, d.Org, r, sink); !errors.Is(err, sink.refused) {
		t.Errorf("%v, want the sink's error", err)
	}
}

// TestReadActivityFindsPeers checks that it finds accounts that trade at the same moments,
// regardless of their integration or file, and no others.
func TestReadActivityFindsPeers(t *testing.T) {
	t.Parallel()
	d := setupFirm(t)
	stranger := d
	stranger.Org = storetest.Organization(t, d.DB).ID
	elsewhere := storetest.Integration(t, d.DB, stranger.Org, "https://a.example")
	person := d.CreateTrader(t, directory.NewTrader{FullName: "Eve"})
	var copies, facing, late, chance, foreign, filed, own []record.Trade
	for i := range 40 {
		at, id := june(6).Add(time.Duration(i)*time.Hour), fmt.Sprint(100+i)
		own = append(own, minuteOf("A-1", id, at, "EURUSD", record.Buy))
		copies = append(copies, minuteOf("B-1", id, at.Add(4*time.Second), "EURUSD.pro", record.Buy))
		late = append(late, minuteOf("B-3", id, at.Add(50*time.Second), "EURUSD", record.Buy))
		foreign = append(foreign, minuteOf("X-1", id, at, "EURUSD", record.Buy))
		filed = append(filed, minuteOf("99", id, at.Add(-time.Second), "eurusd", record.Buy))
		if i < 2 {
			facing = append(facing, minuteOf("B-2", id, at.Add(time.Minute), "EURUSD", record.Sell))
			chance = append(chance, minuteOf("B-4", id, at, "EURUSD", record.Buy), minuteOf("B-4", "g"+id, at, "GBPUSD", record.Buy))
		}
	}
	accounts := []record.Account{{ID: "B-1", TraderID: "t-3"}, {ID: "B-2", TraderID: "t-3"}, {ID: "B-3", TraderID: "t-3"}, {ID: "B-4"}}
	storetest.Records(t, d.URL, d.custom, record.Batch{Traders: []record.Trader{{ID: "t-3"}}, Accounts: accounts, Trades: slices.Concat(own, copies, facing, late, chance)})
	storetest.Records(t, d.URL, elsewhere, record.Batch{Accounts: []record.Account{{ID: "X-1"}}, Trades: foreign})
	d.keep(t, storetest.ActivityFile(person.ID, "statement", "x", filed...))

	s := d.readActivity(t, d.all())
	// A-2 is found by the address, the copies by their equal numbers of hits in the order of their
	// ids, and last the account that faced the trader twice.
	if diff := cmp.Diff([]string{"A-2", "B-1", "99", "B-2"}, s.peers); diff != "" || s.cut {
		t.Errorf("peers (-want +got), cut %t:\n%s", s.cut, diff)
	}
	if s.searched < len(s.peers) || s.searched > 8 {
		t.Errorf("searched among %d accounts", s.searched)
	}
	if len(s.trades) != 4+40+1+40+40+2 {
		t.Errorf("%d trades", len(s.trades))
	}
	d.Exec(t, `UPDATE accounts SET missing_since = now() WHERE external_id IN ('P-1', 'B-3')`)
	if again := d.readActivity(t, d.all()); again.searched != s.searched-1 {
		t.Errorf("searched among %d accounts without the missing one, and %d with it", again.searched, s.searched)
	}
	d.Exec(t, `UPDATE accounts SET missing_since = NULL`)
	if only := newActivitySink(); true {
		only.choose = func(activity.Scope) []activity.Choice { return []activity.Choice{{Account: 1, Same: 1}} }
		if err := activity.Read(t.Context(), d.orgDB.DB, d.Org, d.all(), only); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"A-2"}, only.peers); diff != "" {
			t.Errorf("peers of one account (-want +got):\n%s", diff)
		}
	}
}

// TestSymbolsOfOneInstrument checks that accounts are found whose platforms name an instrument in
// other ways, and that a statement shares a trade with such an account.
func TestSymbolsOfOneInstrument(t *testing.T) {
	t.Parallel()
	d := setupFirm(t)
	person := d.CreateTrader(t, directory.NewTrader{FullName: "Eve"})
	var own, other, named []record.Trade
	for i := range 10 {
		at, id := june(6).Add(time.Duration(i)*time.Hour), fmt.Sprint(100+i)
		own = append(own, minuteOf("A-1", id, at, "US30.cash", record.Buy))
		other = append(other, minuteOf("99", id, at, "DJ30.pro", record.Buy))
		named = append(named, minuteOf("98", id, at, "wall street", record.Buy))
	}
	storetest.Records(t, d.URL, d.custom, record.Batch{Trades: own})
	d.keep(t, storetest.ActivityFile(person.ID, "statement", "x", slices.Concat(other, named)...))
	shared := own[0]
	shared.AccountID, shared.Symbol = "", "Dj30"
	d.keep(t, storetest.ActivityFile(d.trader, "overlapping", "y", shared))

	query := d.all()
	if s := d.readActivity(t, query); slices.Contains(s.peers, "99") || slices.Contains(s.peers, "98") || len(s.scope.Accounts[2].Shares) > 0 {
		t.Errorf("without instruments: peers %v, shares %v", s.peers, s.scope.Accounts[2].Shares)
	}
	query.InstrumentOf = func(symbol string) string {
		if instrument := withoutSuffix(symbol); instrument != "DJ30" && instrument != "WALL STREET" {
			return instrument
		}
		return "US30"
	}
	s := d.readActivity(t, query)
	if !slices.Contains(s.peers, "99") || !slices.Contains(s.peers, "98") {
		t.Errorf("peers %v", s.peers)
	}
	query.Instruments = map[string]string{"DJ30": "US30", "US30.CASH": "US30"}
	s = d.readActivity(t, query)
	if diff := cmp.Diff([]uuid.UUID{s.scope.Accounts[0].ID}, s.scope.Accounts[2].Shares); diff != "" {
		t.Errorf("shares (-want +got):\n%s", diff)
	}
}

// TestSearchForPeersIsBounded checks that everything else is read if the search takes too long.
func TestSearchForPeersIsBounded(t *testing.T) {
	t.Parallel()
	d := setupFirm(t)
	d.Exec(t, `CREATE FUNCTION slow(text) RETURNS text LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN $1; END'`)
	d.Exec(t, `ALTER TABLE activity_accounts RENAME TO real_activity_accounts`)
	d.Exec(t, `CREATE VIEW activity_accounts AS SELECT file_id, number, id, slow(login) AS login, platform, currency, initial_balance FROM real_activity_accounts`)
	eve := d.CreateTrader(t, directory.NewTrader{FullName: "Eve"})
	d.Exec(t, `INSERT INTO activity_files (id, organization_id, trader_id, sha256, bytes, name, media_type, options, reader, report, trades, uploaded_by)
VALUES ($1, $2, $1, '', 1, '', 'text/csv', '{}', 1, '{}', 0, '')`, eve.ID, d.Org)
	d.Exec(t, `INSERT INTO real_activity_accounts (file_id, number, id, login, platform, currency) VALUES ($1, 0, $1, '', '', '')`, eve.ID)
	d.Exec(t, `INSERT INTO activity_trades (organization_id, file_id, account, id, symbol, side, open_time) SELECT $1, $2, 0, n::text, 'EURUSD', 'sell', $3 FROM generate_series(1, 3) AS n`, d.Org, eve.ID, june(5))
	r := d.all()
	r.PeerLimit = 100 * time.Millisecond
	s := d.readActivity(t, r)
	if len(s.trades) != 5 || !s.cut {
		t.Errorf("%s, cut %t, want all trades and peers that are cut", s, s.cut)
	}
}

// TestSearchForPeersHasOneLimit checks that the second statement of a search has only the time that
// the first has left.
func TestSearchForPeersHasOneLimit(t *testing.T) {
	t.Parallel()
	d := setupFirm(t)
	d.Exec(t, `ALTER TABLE activity_accounts RENAME TO real_activity_accounts`)
	d.Exec(t, `CREATE VIEW activity_accounts AS SELECT file_id, number, id, current_setting('statement_timeout') AS login, platform, currency, initial_balance FROM real_activity_accounts`)
	eve := d.CreateTrader(t, directory.NewTrader{FullName: "Eve"})
	d.Exec(t, `INSERT INTO activity_files (id, organization_id, trader_id, sha256, bytes, name, media_type, options, reader, report, trades, uploaded_by)
VALUES ($1, $2, $1, '', 1, '', 'text/csv', '{}', 1, '{}', 0, '')`, eve.ID, d.Org)
	d.Exec(t, `INSERT INTO real_activity_accounts (file_id, number, id, login, platform, currency) VALUES ($1, 0, $1, '', '', '')`, eve.ID)
	d.Exec(t, `INSERT INTO activity_trades (organization_id, file_id, account, id, symbol, side, open_time) SELECT $1, $2, 0, n::text, 'EURUSD', 'sell', $3 FROM generate_series(1, 3) AS n`, d.Org, eve.ID, june(5))
	r := d.all()
	r.PeerLimit = 30 * time.Second
	s := d.readActivity(t, r)
	limit, err := time.ParseDuration(s.peers[len(s.peers)-1])
	if err != nil || limit <= 0 || limit >= r.PeerLimit {
		t.Errorf("peers %v, want the last one found within less than %s", s.peers, r.PeerLimit)
	}
}
