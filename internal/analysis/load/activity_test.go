package load_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis/load"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/statement"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/activity"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// knownTrader is a trader of an organization, whom a platform knows.
type knownTrader struct {
	storetest.OrgDB
	trader   uuid.UUID
	platform integrations.Integration
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(storetest.Suite{M: m}) }

func setup(t *testing.T) knownTrader {
	t.Helper()
	b := knownTrader{OrgDB: storetest.SharedOrgDB(t)}
	b.platform = storetest.Integration(t, b.DB, b.Org, "https://a.example")
	storetest.Records(t, b.URL, b.platform, record.Batch{Traders: []record.Trader{{ID: "t-1"}, {ID: "t-2"}}})
	b.trader = storetest.One[uuid.UUID](t, b.Conn, `SELECT id FROM traders WHERE external_id = 't-1' AND organization_id = $1`, b.Org)
	return b
}

// synced adds accounts and trades from the platform.
func (b knownTrader) synced(t *testing.T, accounts []record.Account, trades ...record.Trade) {
	t.Helper()
	storetest.Records(t, b.URL, b.platform, record.Batch{Accounts: accounts, Trades: trades})
}

// syncedElsewhere adds another platform's data about the trader, who is c-1 there.
func (b knownTrader) syncedElsewhere(t *testing.T, accounts []record.Account, trades ...record.Trade) {
	t.Helper()
	const email = "ada@example.com"
	other := storetest.Integration(t, b.DB, b.Org, "https://b.example")
	storetest.Records(t, b.URL, other, record.Batch{Traders: []record.Trader{{ID: "c-1", Email: email}}, Accounts: accounts, Trades: trades})
	if _, err := storetest.Conn(t, b.URL).Exec(t.Context(), `UPDATE traders SET override_email = $1 WHERE id = $2`, email, b.trader); err != nil {
		t.Fatal(err)
	}
}

// upload reads a file of trades on the days of June 2026, and keeps it.
func (b knownTrader) upload(t *testing.T, o statement.Options, days ...int) activity.KeptFile {
	t.Helper()
	var text strings.Builder
	text.WriteString("Ticket,Symbol,Side,Volume,Open Time,Close Time,Open Price,Close Price,Profit\n")
	for _, day := range days {
		fmt.Fprintf(&text, "%d,EURUSD,buy,0.50,2026-06-%02d 08:00:00,2026-06-%02d 09:00:00,1.10,1.20,5.00\n", 1000+day, day, day)
	}
	return b.uploadText(t, o, text.String())
}

func (b knownTrader) uploadText(t *testing.T, o statement.Options, text string) activity.KeptFile {
	t.Helper()
	n, err := load.Read(t.Context(), load.Upload{
		TraderID: b.trader, Name: "a.csv", Size: int64(len(text)), SHA256: sha256.Sum256([]byte(text)), Content: bytes.NewReader([]byte(text)), Options: o,
	})
	if err != nil {
		t.Fatal(err)
	}
	k, err := activity.KeepFile(t.Context(), b.DB, store.SystemChange(b.Org), n)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func day(n int) time.Time { return time.Date(2026, 6, n, 8, 0, 0, 0, time.UTC) }

func trade(account, id string, at time.Time) record.Trade {
	return record.Trade{ID: id, AccountID: account, Symbol: "EURUSD", Side: record.Buy, OpenTime: at, CloseTime: at.Add(time.Hour), Volume: "0.5", Profit: "5"}
}

func (b knownTrader) load(t *testing.T, change func(*load.Request)) *load.Loaded {
	t.Helper()
	r := load.Request{TraderID: b.trader, From: day(1), To: day(30)}
	if change != nil {
		change(&r)
	}
	l, err := load.Load(t.Context(), b.DB, b.Org, r)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// shown returns which trades count for which account, and what is left out.
func shown(in trades.Input) string {
	parts := []string{}
	for i, a := range in.Accounts {
		var ids []string
		for _, trade := range in.Trades {
			if int(trade.Account) == i {
				ids = append(ids, trade.ID)
			}
		}
		slices.Sort(ids)
		parts = append(parts, fmt.Sprintf("%s%s%v", map[bool]string{true: "peer "}[a.Peer], a.Login+a.ExternalID, ids))
	}
	slices.Sort(parts)
	for _, e := range in.Excluded {
		parts = append(parts, fmt.Sprintf("%s%v", e.Reason, e.Examples))
	}
	return strings.Join(parts, " ")
}

func TestAccountsOfOneLogin(t *testing.T) {
	t.Parallel()
	login := statement.Options{Timezone: "+00:00", AccountLogin: "7001"}
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, b knownTrader)
		want string
	}{
		{"two files of one account, of overlapping times", func(t *testing.T, b knownTrader) {
			b.upload(t, login, 2, 3)
			b.upload(t, login, 3, 4)
		}, "7001[1002 1003 1004] duplicate[1003]"},
		{"two files without an account", func(t *testing.T, b knownTrader) {
			b.upload(t, statement.Options{Timezone: "+00:00"}, 2, 3)
			b.upload(t, statement.Options{Timezone: "+00:00"}, 3, 4)
		}, "[1002 1003 1004] duplicate[1003]"},
		{"two files without an account that have nothing in common", func(t *testing.T, b knownTrader) {
			b.upload(t, statement.Options{Timezone: "+00:00"}, 2, 3)
			b.upload(t, statement.Options{Timezone: "+00:00"}, 4, 5)
		}, "[1002 1003] [1004 1005]"},
		{"a file without an account that joins two others", func(t *testing.T, b knownTrader) {
			b.upload(t, statement.Options{Timezone: "+00:00"}, 2, 3)
			b.upload(t, statement.Options{Timezone: "+00:00"}, 5, 6)
			b.upload(t, statement.Options{Timezone: "+00:00"}, 3, 4, 5)
		}, "[1002 1003 1004 1005 1006] duplicate[1003 1005]"},
		{"a file without an account, and later one that names it", func(t *testing.T, b knownTrader) {
			b.upload(t, statement.Options{Timezone: "+00:00"}, 2, 3)
			b.upload(t, login, 3, 4)
		}, "7001[1002 1003 1004] duplicate[1003]"},
		{"a file without an account, and the platform's account", func(t *testing.T, b knownTrader) {
			synced := trade("A-1", "1005", day(5))
			synced.OpenPrice = "1.1"
			b.synced(t, []record.Account{{ID: "A-1", TraderID: "t-1", Login: "7001"}}, synced)
			b.upload(t, statement.Options{Timezone: "+00:00"}, 4, 5)
		}, "7001A-1[1004 1005] covered_by_sync[1005]"},
		{"a file without an account, of an id that the platform has for another trade", func(t *testing.T, b knownTrader) {
			synced := trade("A-1", "1005", day(5))
			synced.OpenPrice = "1.2"
			b.synced(t, []record.Account{{ID: "A-1", TraderID: "t-1", Login: "7001"}}, synced)
			b.upload(t, statement.Options{Timezone: "+00:00"}, 4, 5)
		}, "7001A-1[1005] [1004 1005]"},
		{"a file and the platform's account", func(t *testing.T, b knownTrader) {
			b.synced(t, []record.Account{{ID: "A-1", TraderID: "t-1", Login: "7001"}}, trade("A-1", "p5", day(5)), trade("A-1", "p9", day(9)))
			b.upload(t, login, 4, 5, 7, 9, 10)
		}, "7001A-1[1004 1010 p5 p9] covered_by_sync[1005 1007 1009]"},
		{"a file of the platform's account id", func(t *testing.T, b knownTrader) {
			b.synced(t, []record.Account{{ID: "7001", TraderID: "t-1"}}, trade("7001", "p5", day(5)))
			b.upload(t, login, 4, 5)
		}, "7001[1004 p5] covered_by_sync[1005]"},
		{"a file of another platform", func(t *testing.T, b knownTrader) {
			b.synced(t, []record.Account{{ID: "A-1", TraderID: "t-1", Login: "7001", Platform: "ctrader"}}, trade("A-1", "p5", day(5)))
			b.upload(t, statement.Options{Timezone: "+00:00", AccountLogin: "7001", Platform: "mt5"}, 5)
		}, "7001A-1[p5] 7001[1005]"},
		{"an account that two platforms tell of", func(t *testing.T, b knownTrader) {
			account := record.Account{ID: "A-1", TraderID: "t-1", Login: "7001", Platform: "mt5"}
			b.synced(t, []record.Account{account}, trade("A-1", "p5", day(5)), trade("A-1", "p9", day(9)))
			account.ID, account.TraderID = "B-1", "c-1"
			b.syncedElsewhere(t, []record.Account{account}, trade("B-1", "q4", day(4)), trade("B-1", "q5", day(5)))
		}, "7001A-1[p5 p9 q4] covered_by_sync[q5]"},
		{"accounts of two platforms with one login and no trade in common", func(t *testing.T, b knownTrader) {
			account := record.Account{ID: "A-1", TraderID: "t-1", Login: "7001", Platform: "mt5"}
			b.synced(t, []record.Account{account}, trade("A-1", "5", day(5)), trade("A-1", "9", day(9)))
			account.ID, account.TraderID = "B-1", "c-1"
			gold := trade("B-1", "5", day(5))
			gold.Symbol = "XAUUSD"
			b.syncedElsewhere(t, []record.Account{account}, gold, trade("B-1", "6", day(6)))
		}, "7001A-1[5 9] 7001B-1[5 6]"},
		{"accounts of two platforms with one login, whose trades were opened at other prices", func(t *testing.T, b knownTrader) {
			account := record.Account{ID: "A-1", TraderID: "t-1", Login: "7001", Platform: "mt5"}
			here, there := trade("A-1", "p5", day(5)), trade("B-1", "q5", day(5))
			here.OpenPrice, there.OpenPrice = "1.1", "1.10001"
			b.synced(t, []record.Account{account}, here)
			account.ID, account.TraderID = "B-1", "c-1"
			b.syncedElsewhere(t, []record.Account{account}, there)
		}, "7001A-1[p5] 7001B-1[q5]"},
		{"an account that two platforms tell of in other precision", func(t *testing.T, b knownTrader) {
			account := record.Account{ID: "A-1", TraderID: "t-1", Login: "7001", Platform: "mt5"}
			here, there := trade("A-1", "p5", day(5).Add(123*time.Millisecond)), trade("B-1", "q5", day(5))
			here.OpenPrice, there.OpenPrice, there.Symbol = "1.1", "1.10", "eurusd"
			b.synced(t, []record.Account{account}, here, trade("A-1", "p3", day(3)))
			account.ID, account.TraderID = "B-1", "c-1"
			b.syncedElsewhere(t, []record.Account{account}, there)
		}, "7001A-1[p3 p5] covered_by_sync[q5]"},
		{"a file of the second of two accounts with one login, and one of neither", func(t *testing.T, b knownTrader) {
			account := record.Account{ID: "A-1", TraderID: "t-1", Login: "7001", Platform: "mt5"}
			b.synced(t, []record.Account{account}, trade("A-1", "p4", day(4)), trade("A-1", "p9", day(9)))
			account.ID, account.TraderID = "B-1", "c-1"
			there := trade("B-1", "q6", day(6))
			there.OpenPrice = "1.1"
			b.syncedElsewhere(t, []record.Account{account}, there)
			b.upload(t, login, 5, 6)
			b.upload(t, login, 7, 8)
		}, "7001A-1[p4 p9] 7001B-1[1005 q6] 7001[1007 1008] covered_by_sync[1006]"},
		{"a file whose clock nobody knows, of the second of two accounts with one login", func(t *testing.T, b knownTrader) {
			account := record.Account{ID: "A-1", TraderID: "t-1", Login: "7001", Platform: "mt5"}
			b.synced(t, []record.Account{account}, trade("A-1", "p4", day(4)), trade("A-1", "p9", day(9)))
			account.ID, account.TraderID = "B-1", "c-1"
			there := trade("B-1", "1006", day(6).Add(2*time.Hour))
			there.OpenPrice = "1.1"
			b.syncedElsewhere(t, []record.Account{account}, there)
			b.upload(t, statement.Options{AccountLogin: "7001"}, 6, 7)
		}, "7001A-1[p4 p9] 7001B-1[1006 1007] duplicate[1006]"},
		{"files of one of two accounts with one login, of which only the later overlaps it", func(t *testing.T, b knownTrader) {
			account := record.Account{ID: "A-1", TraderID: "t-1", Login: "7001", Platform: "mt5"}
			b.synced(t, []record.Account{account}, trade("A-1", "p9", day(9)))
			account.ID, account.TraderID = "B-1", "c-1"
			b.syncedElsewhere(t, []record.Account{account}, trade("B-1", "q5", day(5)))
			b.upload(t, login, 2, 3)
			b.upload(t, login, 3, 5)
		}, "7001A-1[p9] 7001B-1[1002 1003 q5] duplicate[1003] covered_by_sync[1005]"},
		{"accounts of two platforms with equal logins", func(t *testing.T, b knownTrader) {
			b.synced(t, []record.Account{{ID: "A-1", TraderID: "t-1", Login: "7001", Platform: "mt5"}}, trade("A-1", "p5", day(5)))
			b.syncedElsewhere(t, []record.Account{{ID: "B-1", TraderID: "c-1", Login: "7001", Platform: "ctrader"}}, trade("B-1", "q5", day(5)))
		}, "7001A-1[p5] 7001B-1[q5]"},
		{"a synced account without trades", func(t *testing.T, b knownTrader) {
			b.synced(t, []record.Account{{ID: "A-1", TraderID: "t-1", Login: "7001", StartedAt: day(1)}})
			b.upload(t, login, 5)
		}, "7001A-1[1005]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			tt.do(t, b)
			l := b.load(t, nil)
			if diff := cmp.Diff(tt.want, shown(l.Input)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			synced := 0
			for _, a := range l.Input.Accounts {
				if !a.Peer && a.ExternalID != "" {
					synced++
				}
			}
			if diff := cmp.Diff(&synced, l.Accounts); synced > 0 && diff != "" {
				t.Errorf("how many accounts the trader has (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSharedTradesOfLargeFiles reads two overlapping statements when Postgres last counted the rows
// before they were uploaded, so that it takes them for empty. It takes long because only large
// files show a plan that compares every trade with every other.
func TestSharedTradesOfLargeFiles(t *testing.T) {
	t.Parallel()
	const trades = 30_000
	b := setup(t)
	b.upload(t, statement.Options{Timezone: "+00:00", AccountLogin: "7001"}, 1)
	if _, err := b.Conn.Exec(t.Context(), `ANALYZE activity_trades`); err != nil {
		t.Fatal(err)
	}
	file := func(first int) string {
		text := strings.Builder{}
		text.WriteString("Ticket,Symbol,Side,Volume,Open Time,Close Time,Open Price,Close Price,Profit\n")
		for n := first; n < first+trades; n++ {
			at := day(2).Add(time.Duration(n) * 30 * time.Second)
			fmt.Fprintf(&text, "%d,EURUSD,buy,0.50,%s,%s,1.10,1.20,5.00\n", 1_000_000+n, at.Format(time.DateTime), at.Add(time.Hour).Format(time.DateTime))
		}
		return text.String()
	}
	for _, first := range []int{0, trades / 2} {
		b.uploadText(t, statement.Options{Timezone: "+00:00"}, file(first))
	}
	in := b.load(t, nil).Input
	if got, want := [2]int{len(in.Accounts), len(in.Trades)}, [2]int{2, 1 + trades + trades/2}; got != want {
		t.Errorf("accounts and trades: got %v, want %v", got, want)
	}
}

// TestTradesOutsideOfTheWindow: an analysis says how many trades are before and
// after its window, each once, so that an older file is not taken for an empty one.
func TestTradesOutsideOfTheWindow(t *testing.T) {
	t.Parallel()
	login := statement.Options{Timezone: "+00:00", AccountLogin: "7001"}
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, b knownTrader)
		want string // of the window from the 10th to the 20th
	}{
		{"nothing", func(*testing.T, knownTrader) {}, "0 trades, before none, after none"},
		{"an older file", func(t *testing.T, b knownTrader) { b.upload(t, login, 2, 3, 5) }, "0 trades, before 3 from 2 to 5, after none"},
		{"a later file", func(t *testing.T, b knownTrader) { b.upload(t, login, 12, 20, 25) }, "1 trades, before none, after 2 from 20 to 25"},
		{"two files that overlap", func(t *testing.T, b knownTrader) {
			b.upload(t, login, 2, 3)
			b.upload(t, login, 3, 4, 11)
		}, "1 trades, before 3 from 2 to 4, after none"},
		{"a platform's trades", func(t *testing.T, b knownTrader) {
			b.synced(t, []record.Account{{ID: "A-1", TraderID: "t-1", Login: "7001"}}, trade("A-1", "p2", day(2)), trade("A-1", "p12", day(12)), trade("A-1", "p25", day(25)))
		}, "1 trades, before 1 from 2 to 2, after 1 from 25 to 25"},
		{"a file that the platform covers in part", func(t *testing.T, b knownTrader) {
			b.synced(t, []record.Account{{ID: "A-1", TraderID: "t-1", Login: "7001"}}, trade("A-1", "p5", day(5)), trade("A-1", "p12", day(12)))
			b.upload(t, login, 3, 6, 8, 11)
		}, "1 trades, before 2 from 3 to 5, after none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			tt.do(t, b)
			a := b.load(t, func(r *load.Request) { r.From, r.To = day(10), day(20) }).Analyse()
			side := func(o *result.OutsideTrades) string {
				if o == nil {
					return "none"
				}
				return fmt.Sprintf("%d from %d to %d", o.Trades, o.From.Day(), o.To.Day())
			}
			got := fmt.Sprintf("%d trades, before %s, after %s", a.Totals.Trades, side(a.Outside.Before), side(a.Outside.After))
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestClosedWithinTheWindow checks that an analysis says that results of its days are missing,
// because the trades were opened before it.
func TestClosedWithinTheWindow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	long := trade("A-1", "1", day(2))
	long.CloseTime = day(12)
	b.synced(t, []record.Account{{ID: "A-1", TraderID: "t-1"}}, long, trade("A-1", "2", day(11)), trade("A-1", "3", day(3)))
	for from, want := range map[int]bool{1: false, 10: true, 13: false} {
		a := b.load(t, func(r *load.Request) { r.From = day(from) }).Analyse()
		if got := slices.ContainsFunc(a.Limitations, func(s string) bool {
			return strings.HasPrefix(s, "Trades that were opened earlier and closed in the analyzed time: 1.")
		}); got != want {
			t.Errorf("from June %d: %v, want a limitation %t", from, a.Limitations, want)
		}
	}
}

func TestTimezone(t *testing.T) {
	t.Parallel()
	prague, err := time.LoadLocation("Europe/Prague")
	if err != nil {
		t.Fatal(err)
	}
	account := []record.Account{{ID: "A-1", TraderID: "t-1"}}
	for _, tt := range []struct {
		name  string
		do    func(t *testing.T, b knownTrader)
		asked *time.Location
		want  string
	}{
		{"a platform", func(t *testing.T, b knownTrader) { b.synced(t, account, trade("A-1", "1", day(5))) }, nil, "UTC given"},
		{"a platform, asked for", func(t *testing.T, b knownTrader) { b.synced(t, account, trade("A-1", "1", day(5))) }, prague, "Europe/Prague given"},
		{"a file that says so", func(t *testing.T, b knownTrader) { b.upload(t, statement.Options{Timezone: "Europe/Prague"}, 5) }, nil, "Europe/Prague file"},
		{"a file of a server's clock", func(t *testing.T, b knownTrader) { b.upload(t, statement.Options{Timezone: "ny_close"}, 5) }, nil, "ny_close file"},
		{"a file of nobody knows when", func(t *testing.T, b knownTrader) { b.upload(t, statement.Options{}, 5) }, nil, "UTC assumed_utc"},
		{"the same, asked for", func(t *testing.T, b knownTrader) { b.upload(t, statement.Options{}, 5) }, prague, "Europe/Prague assumed_utc"},
		{"a file whose times have offsets", func(t *testing.T, b knownTrader) {
			b.uploadText(t, statement.Options{}, "Symbol,Side,Volume,Open Time,Close Time,Profit\nEURUSD,buy,1,2026-06-05 08:00:00 +02:00,2026-06-05 09:00:00 +02:00,5\n")
		}, nil, "UTC file"},
		{"two files that differ", func(t *testing.T, b knownTrader) {
			b.upload(t, statement.Options{Timezone: "Europe/Prague"}, 5)
			b.upload(t, statement.Options{Timezone: "+05:00"}, 6)
		}, nil, "UTC given"},
		{"a file and a platform", func(t *testing.T, b knownTrader) {
			b.synced(t, account, trade("A-1", "1", day(5)))
			b.upload(t, statement.Options{Timezone: "Europe/Prague"}, 6)
		}, nil, "UTC given"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			tt.do(t, b)
			in := b.load(t, func(r *load.Request) { r.Location = tt.asked }).Input
			if diff := cmp.Diff(tt.want, fmt.Sprint(in.Location, " ", in.Basis)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestCopiersAreFound: an account of another trader that trades at the same moments
// only takes part in the comparison of accounts. It is found as late as the ruleset says, and
// whatever its platform calls the instruments.
func TestCopiersAreFound(t *testing.T) {
	t.Parallel()
	usual := []string{"EURUSD", "XAUUSD", "ESH6"}
	for _, tt := range []struct {
		name  string
		lag   time.Duration
		rules string // empty stands for the neutral preset
		names []string
		want  result.Severity
	}{
		{"within the seconds of the preset", 2 * time.Second, "", usual, result.High},
		{"later than that", 20 * time.Second, "", usual, ""},
		{"as late as the ruleset says", 20 * time.Second, `{"name":"ours","copied_trades":{"max_lag_seconds":30}}`, usual, result.High},
		{"minutes later", 4 * time.Minute, `{"name":"ours","copied_trades":{"max_lag_seconds":300}}`, usual, result.High},
		{"suffixes of a broker", 2 * time.Second, "", []string{"EURUSD.a", "XAUUSDc", "/ESH6"}, result.High},
		{"names of an exchange", 2 * time.Second, "", []string{"OANDA:EURUSD", "OANDA:XAUUSD", "CME_MINI:ES1!"}, result.High},
		{"separated currencies, and another month", 2 * time.Second, "", []string{"EUR/USD", "XAU_USD", "ES 06-26"}, result.High},
		{"names of the market", 2 * time.Second, "", []string{"EURUSD+", "gold", "CM.ESM6"}, result.High},
		{"other instruments", 2 * time.Second, "", []string{"EURUSDT", "XAGUSD", "MESH6"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			if tt.rules != "" {
				if _, err := activity.ReplaceRuleset(t.Context(), b.DB, store.SystemChange(b.Org), []byte(tt.rules), nil); err != nil {
					t.Fatal(err)
				}
			}
			var trades []record.Trade
			at := day(2)
			for i := range 60 {
				side, volume := []record.Side{record.Buy, record.Sell}[i*7%5%2], record.Decimal(fmt.Sprintf("0.%d", i%4+1))
				own, other := trade("A-1", fmt.Sprint(i), at), trade("B-1", fmt.Sprint(i), at.Add(tt.lag))
				own.Symbol, other.Symbol = usual[i%3], tt.names[i%3]
				own.Side, other.Side, own.Volume, other.Volume = side, side, volume, volume
				trades = append(trades, own, other)
				at = at.Add(time.Duration(97+i*37%60) * time.Minute)
			}
			b.synced(t, []record.Account{{ID: "A-1", TraderID: "t-1"}, {ID: "B-1", TraderID: "t-2"}}, trades...)
			l := b.load(t, nil)
			a := l.Analyse()
			if a.Totals.Trades != 60 || len(a.Accounts) != 1 || l.PeersCut {
				t.Errorf("%d trades of %d accounts, cut %t", a.Totals.Trades, len(a.Accounts), l.PeersCut)
			}
			var found result.Severity
			for _, d := range a.Findings() {
				if d.Kind == "copied_trades" {
					found = *d.Severity
				}
			}
			if found != tt.want {
				t.Errorf("copied trades are %q, want %q: %+v", found, tt.want, a.Findings())
			}
		})
	}
}

func TestWhatCannotBeAnalysed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ask := func(change func(*load.Request)) error {
		r := load.Request{TraderID: b.trader, From: day(1), To: day(30)}
		change(&r)
		_, err := load.Analyse(t.Context(), b.DB, b.Org, r)
		return err
	}
	if err := ask(func(r *load.Request) { r.TraderID = uuid.New() }); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("unknown trader: %v", err)
	}
	if err := ask(func(r *load.Request) { r.Preset = "mine" }); !errors.Is(err, load.ErrUnknownPreset) {
		t.Errorf("unknown preset: %v", err)
	}
	stranger := uuid.New()
	var unknown *load.UnknownAccountError
	if err := ask(func(r *load.Request) { r.AccountIDs = []uuid.UUID{stranger} }); !errors.As(err, &unknown) || unknown.ID != stranger {
		t.Errorf("unknown account: %v", err)
	}
}

// TestMissingTrades: what is missing on the platform is left out of an analysis, be it the trade of
// an account or the account, also one that is asked for. So is another trader's account.
func TestMissingTrades(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var trades []record.Trade
	for n := range 20 {
		for i, account := range []string{"A-1", "A-2", "B-1", "B-2"} {
			x := trade(account, fmt.Sprint(n), day(11).Add(time.Duration(n)*3*time.Hour+time.Duration(i)*time.Second))
			x.Symbol = []string{"EURUSD", "XAUUSD", "GBPUSD"}[n%3]
			trades = append(trades, x)
		}
	}
	trades = append(trades, trade("A-1", "voided", day(2)), trade("A-1", "voided later", day(14)), trade("A-1", "voided last", day(28)))
	b.synced(t, []record.Account{{ID: "A-1", TraderID: "t-1"}, {ID: "A-2", TraderID: "t-1"}, {ID: "B-1", TraderID: "t-2"}, {ID: "B-2", TraderID: "t-2"}}, trades...)
	b.Exec(t, `UPDATE trades SET missing_since = now() WHERE (id LIKE 'voided%' OR account_external_id = 'B-1') AND integration_id = $1`, b.platform.ID)
	b.Exec(t, `UPDATE accounts SET missing_since = now() WHERE external_id IN ('A-2', 'B-2') AND integration_id = $1`, b.platform.ID)
	id := func(account string) uuid.UUID {
		return storetest.One[uuid.UUID](t, b.Conn, `SELECT id FROM accounts WHERE external_id = $1 AND organization_id = $2`, account, b.Org)
	}
	for _, tt := range []struct {
		name     string
		accounts []uuid.UUID
		trades   int
	}{
		{"all accounts", nil, 20}, {"the one that is there", []uuid.UUID{id("A-1")}, 20}, {"the one that is missing", []uuid.UUID{id("A-2")}, 0},
	} {
		l := b.load(t, func(r *load.Request) { r.From, r.To, r.AccountIDs = day(10), day(20), tt.accounts })
		for _, a := range l.Input.Accounts {
			if a.ExternalID != "A-1" {
				t.Errorf("%s: account %s takes part", tt.name, a.ExternalID)
			}
		}
		if got := len(l.Input.Trades); got != tt.trades {
			t.Errorf("%s: %d trades, want %d", tt.name, got, tt.trades)
		}
		if o := l.Analyse().Outside; o.Before != nil || o.After != nil {
			t.Errorf("%s: trades outside of the window: %+v", tt.name, o)
		}
		if l.Accounts == nil || *l.Accounts != 1 || l.FirstTrade == nil || !l.FirstTrade.Equal(day(11)) {
			t.Errorf("%s: %v accounts, the first trade at %v", tt.name, l.Accounts, l.FirstTrade)
		}
	}
}

// TestAnalysisUsesWhatTheOrganizationKeeps: its thresholds, its calendar and its
// symbol mappings.
func TestAnalysisUsesWhatTheOrganizationKeeps(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := store.SystemChange(b.Org)
	if _, err := activity.ReplaceRuleset(t.Context(), b.DB, c, []byte(`{"name":"ours"}`), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := activity.ReplaceCalendar(t.Context(), b.DB, c, activity.Calendar{Body: []byte("time,currency,impact\n2026-06-05T12:30:00Z,USD,high\n"), Events: 1}); err != nil {
		t.Fatal(err)
	}
	if err := activity.ReplaceSymbolMappings(t.Context(), b.DB, c, []activity.SymbolMapping{{Symbol: "MyDow.x", Instrument: "US30"}}, nil); err != nil {
		t.Fatal(err)
	}
	in := b.load(t, nil).Input
	if got := in.Instruments.KeyOf("mydow.x"); got != "US30" {
		t.Errorf("the symbol is grouped as %s", got)
	}
	if in.Ruleset.Name != "ours" || in.Calendar == nil || len(in.Calendar.Events) != 1 {
		t.Errorf("ruleset %s, calendar %v", in.Ruleset.Name, in.Calendar)
	}
	if in = b.load(t, func(r *load.Request) { r.Preset = "neutral" }).Input; in.Ruleset.Name != "neutral" {
		t.Errorf("preset %s", in.Ruleset.Name)
	}
}

// TestDaysOfAServersClock checks that the days of a statement are those of the server's clock,
// whichever of the usual clocks it is.
func TestDaysOfAServersClock(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"ny_close", "eet"} {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.uploadText(t, statement.Options{Timezone: zone, InitialBalance: "100000", Currency: "USD"},
				"Ticket,Symbol,Side,Volume,Open Time,Close Time,Open Price,Close Price,Profit\n"+
					"1,EURUSD,buy,1.00,2026-06-02 20:00:00,2026-06-02 22:00:00,1.10,1.07,-3000.00\n"+
					"2,EURUSD,buy,1.00,2026-06-03 00:30:00,2026-06-03 01:30:00,1.10,1.07,-3000.00\n")
			a := b.load(t, func(r *load.Request) { r.Preset = "consistency" }).Analyse()
			var days []string
			for _, d := range a.Charts.DailyPnL {
				days = append(days, fmt.Sprint(d.Day, " ", d.Net))
			}
			if diff := cmp.Diff([]string{"2026-06-02 -3000", "2026-06-03 -3000"}, days); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, d := range a.Findings() {
				if d.Kind == "daily_loss" {
					t.Errorf("a loss of 3%% a day is a finding: %s", d.Detail)
				}
			}
		})
	}
}
