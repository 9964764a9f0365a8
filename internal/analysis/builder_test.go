package analysis_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/trades"
)

func TestBuilderKeepsFields(t *testing.T) {
	t.Parallel()
	b := trades.NewBuilder(owner(1))
	b.Add(accountID(0), record.Trade{
		ID: "7", Symbol: "EURUSD", Side: record.Sell, OpenTime: monday.Add(1500 * time.Nanosecond), CloseTime: monday.Add(time.Hour),
		Volume: "0.5", OpenPrice: "1.1", ClosePrice: "1.2", StopLoss: "1", TakeProfit: "0", Commission: "-3", Swap: "0", Profit: "-12.34",
	})
	got := b.Input().Trades[0]
	want := trades.Trade{
		ID: "7", Side: trades.Sell, Open: monday.UnixMicro() + 1, Close: monday.Add(time.Hour).UnixMicro(),
		Volume: 0.5, OpenPrice: 1.1, StopLoss: 1, Profit: -12.34,
		Has: trades.HasClose | trades.HasVolume | trades.HasOpenPrice | trades.HasStopLoss | trades.HasProfit,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("trade (-want +got):\n%s", diff)
	}
}

// TestDuplicates adds trades with the same id several times: the closed one is kept, in whatever
// order they arrive. A trade of another account with that id is a different one.
func TestDuplicates(t *testing.T) {
	t.Parallel()
	deals := []deal{
		{id: "x", hold: open},
		{id: "x", hold: time.Hour, net: 5},
		{id: "x", hold: time.Hour, net: 7},
		{id: "x", account: 1, hold: open},
		{id: "x", hold: time.Minute, net: 9},
	}
	orders := [][]int{{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 0, 4, 1, 3}, {1, 4, 0, 3, 2}}
	for _, order := range orders {
		b := trades.NewBuilder(owner(2))
		for _, i := range order {
			b.Add(accountID(deals[i].account), deals[i].record(i))
		}
		in := b.Input()
		if len(in.Trades) != 2 || in.Trades[0].Profit != 7 || in.Trades[1].Closed() {
			t.Errorf("order %v: %+v", order, in.Trades)
		}
		if in.Excluded[0].Count != 3 {
			t.Errorf("order %v: %+v", order, in.Excluded)
		}
	}
}

// TestBuilderManyIDs forces the table of ids to grow and ids to share memory.
func TestBuilderManyIDs(t *testing.T) {
	t.Parallel()
	b := trades.NewBuilder(owner(3))
	const n = 20_000
	for round := range 2 {
		for i := range n {
			id := strings.Repeat("p", i%200) + fmt.Sprint(i)
			b.Add(accountID(i%3), deal{id: id, account: i % 3, hold: time.Duration(round) * time.Second}.record(i))
		}
	}
	in := b.Input()
	var ids []string
	for _, trade := range in.Trades {
		ids = append(ids, trade.ID)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(in.Trades) != n || len(ids) != n || in.Excluded[0].Count != n {
		t.Errorf("%d trades, %d ids, %+v", len(in.Trades), len(ids), in.Excluded)
	}
}

func TestInputIsInOrder(t *testing.T) {
	t.Parallel()
	accounts := owner(2)
	accounts[0], accounts[1] = accounts[1], accounts[0]
	in := input(accounts, deal{account: 1, id: "c"}, deal{account: 0, id: "b", at: time.Hour}, deal{account: 0, id: "z"}, deal{account: 0, id: "a"})
	var got []string
	for _, trade := range in.Trades {
		got = append(got, in.Accounts[trade.Account].ID[35:]+trade.ID)
	}
	if diff := cmp.Diff([]string{"0a", "0z", "0b", "1c"}, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// TestTooManySymbols has more names than a trade can point at.
func TestTooManySymbols(t *testing.T) {
	t.Parallel()
	b := trades.NewBuilder(owner(1))
	for i := range trades.MaxSymbols + 3 {
		b.Add(accountID(0), deal{id: fmt.Sprint(i), symbol: fmt.Sprint("S", i), hold: time.Hour}.record(i))
	}
	a := analysis.Analyse(b.Input())
	if a.Totals.Symbols != trades.MaxSymbols || a.Excluded[0].Reason != "too_many_symbols" || a.Excluded[0].Count != 3 {
		t.Errorf("%+v, %+v", a.Totals, a.Excluded)
	}
}
