package statement_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement"
	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/refusal"
)

// canonical are the trades that every source's export holds, each in its own
// words, clock and column order; Profit is net.
func canonical() []record.Trade {
	at := func(s string) time.Time {
		t, err := time.Parse("2006-01-02 15:04", s)
		if err != nil {
			panic(err)
		}
		return t
	}
	return []record.Trade{
		{
			ID: "1001", Symbol: "EURUSD", Side: record.Buy, Volume: "0.5", OpenTime: at("2026-01-13 08:00"), CloseTime: at("2026-01-13 08:30"),
			OpenPrice: "1.0842", ClosePrice: "1.0852", StopLoss: "1.08", TakeProfit: "1.09", Commission: "-3.5", Swap: "0", Profit: "46.5",
		},
		{
			ID: "1002", Symbol: "XAUUSD", Side: record.Sell, Volume: "1.2", OpenTime: at("2026-01-14 14:05"), CloseTime: at("2026-01-14 15:45"),
			OpenPrice: "4182.78", ClosePrice: "4172.49", StopLoss: "4200", TakeProfit: "4150", Commission: "-8.4", Swap: "0", Profit: "1226.4",
		},
		{
			ID: "1003", Symbol: "EURUSD", Side: record.Sell, Volume: "0.5", OpenTime: at("2026-02-02 09:10"), CloseTime: at("2026-02-02 09:11"),
			OpenPrice: "1.1", ClosePrice: "1.1004", Commission: "-3.5", Swap: "0", Profit: "-23.5",
		},
		{
			ID: "1004", Symbol: "GBPJPY", Side: record.Buy, Volume: "0.1", OpenTime: at("2026-02-05 20:15"), CloseTime: at("2026-02-06 06:40"),
			OpenPrice: "196.41", ClosePrice: "196.93", StopLoss: "195", TakeProfit: "198", Commission: "-0.7", Swap: "-1.25", Profit: "31.15",
		},
		{
			ID: "1005", Symbol: "NAS100", Side: record.Buy, Volume: "2", OpenTime: at("2026-07-15 13:30"), CloseTime: at("2026-07-15 14:02"),
			OpenPrice: "22310.5", ClosePrice: "22290", Commission: "0", Swap: "0", Profit: "-41",
		},
	}
}

// canonicalOpen is the open position of the exports that list those.
func canonicalOpen() record.Trade {
	return record.Trade{
		ID: "1006", Symbol: "EURUSD", Side: record.Sell, Volume: "0.2", OpenTime: time.Date(2026, 7, 16, 7, 0, 0, 0, time.UTC),
		OpenPrice: "1.16", StopLoss: "1.17",
	}
}

// source is one export under testdata/sources and what must be found out about it.
type source struct {
	name       string
	options    statement.Options
	format     string
	confidence format.Confidence
	basis      statement.TimezoneBasis
	net        statement.NetBasis
	reconciled statement.Reconciled
	login      string
	currency   string
	platform   string
	open       bool
	lacks      []string
}

func zoned(name string) statement.Options { return statement.Options{Timezone: name} }

func sources() []source {
	const (
		high, low  = format.High, format.Low
		given, own = statement.ZoneGiven, statement.ZoneOfFile
		stated     = statement.StatedNet
		computed   = statement.Computed
		verified   = statement.VerifiedByTotal
		totals     = statement.TotalRow
		results    = statement.ResultsBlock
		none       = statement.NotReconciled
	)
	return []source{
		{"mt5_report.csv", zoned("ny_close"), "mt5_report", high, given, verified, results, "7001001", "USD", "mt5", true, nil},
		{"mt5_deals.tsv", zoned("ny_close"), "mt5_deals", low, given, computed, none, "", "", "mt5", false, []string{"stop_loss", "take_profit"}},
		{"mt4_statement.csv", zoned("ny_close"), "mt4_statement", high, given, verified, totals, "7001001", "USD", "mt4", true, nil},
		{"mt5_report.html", zoned("ny_close"), "mt5_report", high, given, verified, results, "7001001", "USD", "mt5", true, nil},
		{"mt4_statement.htm", zoned("ny_close"), "mt4_statement", high, given, verified, totals, "7001001", "USD", "mt4", true, nil},
		{"mt4_detailed.htm", zoned("ny_close"), "mt4_statement", high, given, verified, results, "7001001", "USD", "mt4", true, nil},
		{"ftmo_metrix.csv", statement.Options{}, "ftmo_metrix", high, own, computed, none, "", "", "other", false, nil},
		{"ftmo_metrix_fr.csv", statement.Options{}, "ftmo_metrix", high, own, computed, none, "", "", "other", false, nil},
		{"matchtrader_closed.csv", zoned("UTC"), "matchtrader", high, given, computed, totals, "", "", "matchtrader", false, nil},
		{"ctrader_history.csv", statement.Options{}, "ctrader_history", high, own, stated, totals, "", "USD", "ctrader", false, []string{"stop_loss", "take_profit"}},
		{"ctrader_statement.html", statement.Options{}, "ctrader_history", high, own, stated, totals, "7001001", "USD", "ctrader", true, []string{"stop_loss", "take_profit"}},
		{"myfxbook.csv", zoned("eet"), "myfxbook", high, given, stated, none, "", "", "other", true, nil},
		{"mql5_signal.csv", zoned("ny_close"), "mql5_signal", high, given, computed, none, "", "", "other", false, []string{"id"}},
		{"mql5_signal_volume.csv", zoned("ny_close"), "mql5_signal", high, given, computed, none, "", "", "other", false, []string{"id", "stop_loss", "take_profit"}},
		{"fxblue.csv", zoned("UTC"), "fxblue", high, given, stated, none, "7001001", "", "other", true, nil},
		{"xtb_xstation.csv", zoned("Europe/Warsaw"), "xtb_xstation", high, given, computed, totals, "7001001", "USD", "other", false, nil},
		{"fundednext.csv", zoned("ny_close"), "fundednext", high, given, computed, none, "", "", "other", true, nil},
		{"exness.csv", statement.Options{}, "exness", high, own, computed, none, "", "USD", "other", false, nil},
		{"quantower.csv", zoned("UTC"), "quantower", low, given, computed, none, "7001001", "", "other", false, []string{"stop_loss", "take_profit", "swap"}},
		{"etoro_positions.csv", zoned("UTC"), "etoro_positions", high, given, computed, none, "", "USD", "other", false, []string{"commission"}},
		{"atas.csv", zoned("UTC"), "atas", high, given, computed, none, "7001001", "", "other", false, []string{"id", "stop_loss", "take_profit", "commission", "swap"}},
		{"profit_operations.csv", zoned("UTC"), "profit_operations", high, given, computed, none, "7001001", "", "other", true, []string{"id", "stop_loss", "take_profit", "commission", "swap"}},
		{"sierra_trades.txt", zoned("UTC"), "sierra_trades", high, given, stated, none, "7001001", "", "other", false, []string{"id", "stop_loss", "take_profit", "swap"}},
		{"rithmic_performance.csv", zoned("UTC"), "rithmic_performance", format.Medium, given, stated, none, "", "", "other", false, []string{"id", "stop_loss", "take_profit", "swap"}},
		{"topstepx.csv", statement.Options{}, "topstepx", high, own, computed, none, "", "", "other", false, []string{"stop_loss", "take_profit", "swap"}},
		{"tradovate_performance.csv", zoned("America/Chicago"), "tradovate_performance", high, given, computed, none, "", "", "other", false, []string{"stop_loss", "take_profit", "commission", "swap"}},
		{"tradovate_positions.csv", zoned("America/Chicago"), "tradovate_positions", high, given, computed, none, "7001001", "USD", "other", false, []string{"stop_loss", "take_profit", "commission", "swap"}},
		{"ninjatrader.csv", zoned("America/New_York"), "ninjatrader", high, given, stated, none, "7001001", "", "other", false, []string{"id", "stop_loss", "take_profit", "swap"}},
		{"dxtrade_fills.csv", statement.Options{}, "dxtrade_fills", low, own, computed, none, "", "", "dxtrade", false, []string{"stop_loss", "take_profit"}},
		{"dxtrade_trades.csv", zoned("UTC"), "dxtrade_fills", low, given, computed, none, "", "", "dxtrade", false, []string{"stop_loss", "take_profit", "swap"}},
		{"tradelocker_history.csv", statement.Options{}, "tradelocker", low, own, stated, none, "", "", "tradelocker", false, nil},
		{"generic_german.csv", zoned("Europe/Berlin"), "generic", format.Medium, given, stated, none, "", "", "other", false, nil},
	}
}

func load(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "sources", name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// file is a file with its trades, which are read twice to see that they are the same.
type file struct {
	*statement.File
	Trades []record.Trade
}

func read(t testing.TB, name string, content []byte, o statement.Options) (*file, error) {
	t.Helper()
	f, err := statement.Read(t.Context(), bytes.NewReader(content), int64(len(content)), name, o)
	if err != nil {
		return nil, err
	}
	trades := tradesOf(t, f)
	if again := tradesOf(t, f); len(trades) != f.Trades.Len() || !slices.Equal(trades, again) {
		t.Errorf("%d trades of %d, and then %d", len(trades), f.Trades.Len(), len(again))
	}
	f.Trades = nil
	return &file{f, trades}, nil
}

func tradesOf(t testing.TB, f *statement.File) (all []record.Trade) {
	t.Helper()
	err := f.Trades.Each(t.Context(), func(trade *record.Trade) error {
		all = append(all, *trade)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func mustRead(t testing.TB, name string, content []byte, o statement.Options) *file {
	t.Helper()
	f, err := read(t, name, content, o)
	if err != nil {
		var r *refusal.Error
		if errors.As(err, &r) {
			t.Fatalf("%v (seen %q, resend %q)", err, r.Seen, r.Resend)
		}
		t.Fatal(err)
	}
	return f
}

// want is what the source's export holds of the canonical trades: it cannot
// tell what it has no column for.
func (s source) want() []record.Trade {
	trades := canonical()
	if s.open {
		trades = append(trades, canonicalOpen())
	}
	for i := range trades {
		t := &trades[i]
		t.AccountID = s.login
		for _, field := range s.lacks {
			switch field {
			case "id":
				t.ID = ""
			case "stop_loss":
				t.StopLoss = ""
			case "take_profit":
				t.TakeProfit = ""
			case "commission":
				t.Commission = ""
			case "swap": // such platforms have one column for all costs
				if t.Swap == "-1.25" && t.Commission != "" {
					t.Commission = "-1.95"
				}
				t.Swap = ""
			}
		}
	}
	return trades
}

// check compares what was read with the canonical trades.
func (s source) check(t *testing.T, f *file) {
	t.Helper()
	got := append([]record.Trade(nil), f.Trades...)
	for i := range got {
		got[i].Symbol = strings.ToUpper(got[i].Symbol) // MT4 writes them small
		if s.lacks != nil && s.lacks[0] == "id" {
			got[i].ID = ""
		}
		if strings.HasPrefix(s.format, "tradovate_") { // the ids of two fills
			got[i].ID = canonical()[i].ID
		}
		if got[i].Open() { // costs so far are not part of every export
			got[i].Commission, got[i].Swap = "", ""
		}
	}
	if diff := cmp.Diff(s.want(), got); diff != "" {
		t.Errorf("trades (-want +got)\n%s", diff)
	}
	type facts struct {
		Format, Login, Currency, Platform string
		Confidence                        format.Confidence
		Basis                             statement.TimezoneBasis
		Net                               statement.NetBasis
		Reconciled                        statement.Reconciled
		Lacks                             []string
	}
	want := facts{s.format, s.login, s.currency, s.platform, s.confidence, s.basis, s.net, s.reconciled, s.lacks}
	have := facts{
		f.Format, f.Accounts[0].Login, f.Accounts[0].Currency, f.Accounts[0].Platform, f.Confidence,
		f.TimezoneBasis, f.NetBasis, f.Reconciled, f.Lacks,
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("facts (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]statement.Amount{{Currency: s.currency, Value: "1239.55"}}, f.Net); diff != "" {
		t.Errorf("net (-want +got)\n%s", diff)
	}
}

// Every source's export gives the same trades.
func TestSources(t *testing.T) {
	t.Parallel()
	for _, s := range sources() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			f := mustRead(t, s.name, load(t, s.name), s.options)
			s.check(t, f)
			again := mustRead(t, s.name, load(t, s.name), s.options)
			if diff := cmp.Diff(f, again); diff != "" {
				t.Errorf("a second upload differs (-first +second)\n%s", diff)
			}
		})
	}
}

// A report whose table of positions is empty is read by its deals.
func TestReportWithoutPositions(t *testing.T) {
	t.Parallel()
	var kept []string
	for line := range strings.Lines(string(load(t, "mt5_report.csv"))) {
		if !strings.Contains(line, ",100") || strings.Contains(line, ",in,") || strings.Contains(line, ",out,") {
			kept = append(kept, line)
		}
	}
	f := mustRead(t, "a.csv", []byte(strings.Join(kept, "")), zoned("ny_close"))
	if f.Format != "mt5_deals" || len(f.Trades) != 5 || f.Net[0].Value != "1239.55" || f.Reconciled != statement.ResultsBlock {
		t.Errorf("format %s, %d trades, net %v, reconciled %s", f.Format, len(f.Trades), f.Net, f.Reconciled)
	}
}

// Match-Trader's open positions come in a file of their own.
func TestOpenPositionsAlone(t *testing.T) {
	t.Parallel()
	f := mustRead(t, "OPEN_POSITIONS.csv", load(t, "matchtrader_open.csv"), zoned("UTC"))
	want := canonicalOpen()
	want.Commission, want.Swap = "-1.4", "0"
	if diff := cmp.Diff([]record.Trade{want}, f.Trades); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if f.Net != nil || f.Reconciled != statement.NotReconciled {
		t.Errorf("net %v, reconciled %s", f.Net, f.Reconciled)
	}
}

// A trade keeps its id in every later export that contains it, even if the platform gives none and
// the rows around it are different.
func TestIdsSurviveLaterExports(t *testing.T) {
	t.Parallel()
	for _, s := range sources() {
		if s.name == "mt5_report.csv" || s.format == "mt5_deals" || s.format == "dxtrade_fills" || s.format == "quantower" {
			continue // several tables; rows that belong together
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			lines := strings.SplitAfter(string(load(t, s.name)), "\n")
			ids := map[string]bool{}
			for _, trade := range mustRead(t, s.name, []byte(strings.Join(lines, "")), s.options).Trades {
				ids[trade.ID] = true
			}
			for i, line := range lines {
				if strings.Contains(strings.ToUpper(line), "EURUSD") {
					lines = append(lines[:i:i], lines[i+1:]...)
					break
				}
			}
			if s.format == "ninjatrader" { // counts the trades of the export and sums them up
				for i, line := range lines[1 : len(lines)-1] {
					cells := strings.Split(line, ",")
					cells[0], cells[13] = strconv.Itoa(i+1), "$1.00"
					lines[i+1] = strings.Join(cells, ",")
				}
			}
			f := mustRead(t, s.name, []byte(strings.Join(lines, "")), s.options)
			if len(f.Trades) != len(ids)-1 {
				t.Errorf("%d trades of %d", len(f.Trades), len(ids))
			}
			for _, trade := range f.Trades {
				if !ids[trade.ID] {
					t.Errorf("trade %s had another id", trade.ID)
				}
			}
		})
	}
}
