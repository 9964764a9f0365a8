package trades

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis/result"
)

// MaxNumber bounds the size of any number of a trade, in either direction.
// Beyond it squares and products could leave what a float64 holds.
const MaxNumber = 1e18

// Builder collects trades for an Input, one at a time: it interns symbols,
// keeps ids in large blocks, and drops duplicates. It is not for concurrent use.
type Builder struct {
	in       Input
	accounts map[string]uint16 // index by Account.ID
	symbols  map[string]uint16 // index by raw name
	seen     index
	ids      arena
	excluded exclusions
}

// NewBuilder returns a Builder for trades of the first MaxAccounts accounts. Of
// accounts with equal ids the first counts.
func NewBuilder(accounts []Account) *Builder {
	b := &Builder{accounts: make(map[string]uint16, len(accounts)), symbols: map[string]uint16{}, seen: index{seed: maphash.MakeSeed()}}
	for _, a := range accounts {
		if _, ok := b.accounts[a.ID]; !ok && len(b.in.Accounts) < MaxAccounts {
			b.accounts[a.ID] = uint16(len(b.in.Accounts))
			b.in.Accounts = append(b.in.Accounts, a)
		}
	}
	return b
}

// Add adds a trade of the account with that id (assay's own, not the platform's in t.AccountID).
// What can't be analyzed is counted as excluded. Of two trades with the same id the closed one is
// kept, in whatever order they arrive.
func (b *Builder) Add(accountID string, t record.Trade) {
	account, ok := b.accounts[accountID]
	if !ok {
		b.excluded.countExcluded(result.ExcludedUnknownAccount, t.ID)
		return
	}
	trade, reason := compactTrade(t)
	if reason != "" {
		b.excluded.countExcluded(reason, t.ID)
		return
	}
	trade.Account = account
	if trade.Symbol, ok = b.internSymbol(t.Symbol); !ok {
		b.excluded.countExcluded(result.ExcludedTooManySymbols, t.ID)
		return
	}
	at, found := b.seen.find(b.in.Trades, account, t.ID)
	if !found {
		trade.ID = b.ids.copyString(t.ID)
		b.in.Trades = append(b.in.Trades, trade)
		b.seen.fillSlot(b.in.Trades, at)
		return
	}
	b.excluded.countExcluded(result.ExcludedDuplicate, t.ID)
	held := &b.in.Trades[at]
	trade.ID = held.ID
	if b.isPreferred(&trade, held) {
		*held = trade
	}
}

// isPreferred reports whether t is to stand instead of held, by content alone so
// that the order of arrival decides nothing.
func (b *Builder) isPreferred(t, held *Trade) bool {
	if t.Closed() != held.Closed() {
		return t.Closed()
	}
	return cmp.Or(cmp.Compare(held.Close, t.Close), cmp.Compare(held.Open, t.Open), cmp.Compare(held.Has, t.Has),
		strings.Compare(b.in.Symbols[held.Symbol], b.in.Symbols[t.Symbol]), cmp.Compare(held.Side, t.Side),
		slices.Compare(held.numericFields(), t.numericFields())) < 0
}

func (t *Trade) numericFields() []float64 {
	return []float64{t.Volume, t.OpenPrice, t.StopLoss, t.TakeProfit, t.Profit}
}

// Len returns how many trades are held.
func (b *Builder) Len() int { return len(b.in.Trades) }

// Input returns what was collected, in the order that analysis.Analyse wants. The caller
// sets the rest of it. The Builder must not be used afterwards.
func (b *Builder) Input() Input {
	in := b.in
	sortTrades(in.Accounts, in.Trades)
	in.Excluded = b.excluded.listExclusions()
	*b = Builder{}
	return in
}

// compactTrade converts a record to a Trade. The reason says why a record can't be used.
func compactTrade(t record.Trade) (trade Trade, reason string) {
	switch {
	case t.OpenTime.IsZero():
		return trade, result.ExcludedNoOpenTime
	case strings.TrimSpace(t.Symbol) == "":
		return trade, result.ExcludedNoSymbol
	case t.Side == record.Sell:
		trade.Side = Sell
	case t.Side != record.Buy:
		return trade, result.ExcludedUnknownSide
	}
	trade.Open = t.OpenTime.UnixMicro()
	if !t.CloseTime.IsZero() {
		trade.Close, trade.Has = t.CloseTime.UnixMicro(), HasClose
	}
	for _, f := range []struct {
		text record.Decimal
		to   *float64
		bit  Has
	}{
		{t.Volume, &trade.Volume, HasVolume},
		{t.OpenPrice, &trade.OpenPrice, HasOpenPrice},
		{t.StopLoss, &trade.StopLoss, HasStopLoss},
		{t.TakeProfit, &trade.TakeProfit, HasTakeProfit},
		{t.Profit, &trade.Profit, HasProfit},
	} {
		if f.text == "" {
			continue
		}
		value, err := strconv.ParseFloat(string(f.text), 64)
		if err != nil || value > MaxNumber || value < -MaxNumber {
			return trade, result.ExcludedNumberRange
		}
		if (f.bit == HasStopLoss || f.bit == HasTakeProfit) && value == 0 {
			continue // how platforms write that there is none
		}
		*f.to = value
		trade.Has |= f.bit
	}
	return trade, ""
}

// internSymbol interns a name. ok is false if there are too many.
func (b *Builder) internSymbol(raw string) (at uint16, ok bool) {
	if i, ok := b.symbols[raw]; ok {
		return i, true
	}
	if len(b.in.Symbols) == MaxSymbols {
		return 0, false
	}
	i := uint16(len(b.in.Symbols))
	raw = strings.Clone(raw) // it may share the memory of a whole page
	b.symbols[raw] = i
	b.in.Symbols = append(b.in.Symbols, raw)
	return i, true
}

// compareTrades is the order of trades: account, open time, id.
func compareTrades(accounts []Account, a, b *Trade) int {
	if a.Account != b.Account {
		if c := strings.Compare(accounts[a.Account].ID, accounts[b.Account].ID); c != 0 {
			return c
		}
	}
	if c := cmp.Compare(a.Open, b.Open); c != 0 {
		return c
	}
	return strings.Compare(a.ID, b.ID)
}

func sortTrades(accounts []Account, trades []Trade) {
	slices.SortFunc(trades, func(a, b Trade) int { return compareTrades(accounts, &a, &b) })
}

// arena keeps short strings in large blocks: a million ids are not a million
// allocations, and keep no page of records alive.
type arena struct{ block strings.Builder }

const arenaBlock = 64 << 10

func (a *arena) copyString(s string) string {
	if a.block.Cap()-a.block.Len() < len(s) {
		a.block = strings.Builder{}
		a.block.Grow(max(arenaBlock, len(s)))
	}
	from := a.block.Len()
	a.block.WriteString(s)
	return a.block.String()[from:]
}

// index finds trades by account and id: an open-addressed table of positions,
// four bytes for each slot.
type index struct {
	seed  maphash.Seed
	slots []uint32 // position + 1; 0 is empty
	held  int
}

// find returns the position of the trade, or the slot that it belongs into.
func (x *index) find(trades []Trade, account uint16, id string) (at int, found bool) {
	if x.held*4 >= len(x.slots)*3 {
		x.grow(trades)
	}
	mask := len(x.slots) - 1
	for slot := x.hashKey(account, id) & mask; ; slot = (slot + 1) & mask {
		if x.slots[slot] == 0 {
			return slot, false
		}
		if t := &trades[x.slots[slot]-1]; t.Account == account && t.ID == id {
			return int(x.slots[slot] - 1), true
		}
	}
}

// fillSlot puts the last of the trades into a slot that find returned.
func (x *index) fillSlot(trades []Trade, slot int) {
	x.slots[slot] = uint32(len(trades))
	x.held++
}

func (x *index) grow(trades []Trade) {
	x.slots = make([]uint32, max(1024, 2*len(x.slots)))
	mask := len(x.slots) - 1
	for i := range trades {
		slot := x.hashKey(trades[i].Account, trades[i].ID) & mask
		for x.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		x.slots[slot] = uint32(i + 1)
	}
}

func (x *index) hashKey(account uint16, id string) int {
	return int((maphash.String(x.seed, id) ^ uint64(account)*0x9E3779B97F4A7C15) >> 1)
}

// exclusions counts reasons.
type exclusions map[string]*result.Exclusion

const maxExamples = 5

func (e *exclusions) countExcluded(reason, id string) {
	e.merge(result.Exclusion{Reason: reason, Count: 1, Examples: []string{id}})
}

func (e *exclusions) merge(x result.Exclusion) {
	if *e == nil {
		*e = exclusions{}
	}
	held, ok := (*e)[x.Reason]
	if !ok {
		held = &result.Exclusion{Reason: x.Reason}
		(*e)[x.Reason] = held
	}
	held.Count += x.Count
	for _, id := range x.Examples {
		at, found := slices.BinarySearch(held.Examples, id)
		if found || at == maxExamples {
			continue
		}
		held.Examples = slices.Insert(held.Examples, at, strings.Clone(id))
		held.Examples = held.Examples[:min(len(held.Examples), maxExamples)]
	}
}

// listExclusions returns what was counted, by reason.
func (e exclusions) listExclusions() []result.Exclusion {
	out := make([]result.Exclusion, 0, len(e))
	for _, x := range e {
		out = append(out, *x)
	}
	slices.SortFunc(out, func(a, b result.Exclusion) int { return strings.Compare(a.Reason, b.Reason) })
	return out
}
