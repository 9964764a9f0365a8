package record

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// Resource is what a sync run is about (service API, Sync run.resource).
type Resource string

// The four resources, in the order in which a cycle polls them.
const (
	Traders  Resource = "traders"
	Accounts Resource = "accounts"
	Trades   Resource = "trades"
	Payouts  Resource = "payouts"
)

// Resources lists the resources in that order.
func Resources() []Resource { return []Resource{Traders, Accounts, Trades, Payouts} }

// Stream is a list that is read with its own watermark and checkpoint. It is a
// Resource, except that a partner's trades are read as two streams.
type Stream string

// The streams of both kinds of platform.
const (
	StreamTraders      Stream = "traders"
	StreamAccounts     Stream = "accounts"
	StreamTrades       Stream = "trades"
	StreamTradesOpen   Stream = "trades_open"
	StreamTradesClosed Stream = "trades_closed"
	StreamPayouts      Stream = "payouts"
)

// Streams lists the streams of both kinds of platform in the order in which a
// cycle polls them.
func Streams() []Stream {
	return []Stream{
		StreamTraders, StreamAccounts, StreamTradesOpen,
		StreamTrades, StreamTradesClosed, StreamPayouts,
	}
}

// Resource returns the resource that the stream delivers.
func (s Stream) Resource() Resource {
	switch s {
	case StreamTradesOpen, StreamTradesClosed:
		return Trades
	default:
		return Resource(s)
	}
}

// Batch is the records of one page. Only the slice of the stream's resource is
// used; the others are nil.
type Batch struct {
	Traders  []Trader
	Accounts []Account
	Trades   []Trade
	Payouts  []Payout
}

// Concat returns the records of both batches, its own first.
func (b Batch) Concat(next Batch) Batch {
	return Batch{
		Traders: slices.Concat(b.Traders, next.Traders), Accounts: slices.Concat(b.Accounts, next.Accounts),
		Trades: slices.Concat(b.Trades, next.Trades), Payouts: slices.Concat(b.Payouts, next.Payouts),
	}
}

// IDs returns the platform's id of each record. Trades of several accounts may share one.
func (b Batch) IDs() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range b.Traders {
			if !yield(b.Traders[i].ID) {
				return
			}
		}
		for i := range b.Accounts {
			if !yield(b.Accounts[i].ID) {
				return
			}
		}
		for i := range b.Trades {
			if !yield(b.Trades[i].ID) {
				return
			}
		}
		for i := range b.Payouts {
			if !yield(b.Payouts[i].ID) {
				return
			}
		}
	}
}

// Len counts the records.
func (b Batch) Len() int {
	return len(b.Traders) + len(b.Accounts) + len(b.Trades) + len(b.Payouts)
}

// Rejected is a record that could not be used and goes to quarantine.
type Rejected struct {
	// Key identifies the record within its resource: the id, or for a trade
	// TradeKey(account id, id), or RawKey(raw) when no id could be read. A
	// valid record with the same key later lifts the quarantine.
	Key     string
	Owner   Owner  // by which records of erased people are recognized
	Raw     string // JSON text as received, cut at MaxRawBytes
	Pointer string // JSON pointer to the faulty member within the record, such as "/side"; "" is the whole record
	Rule    string // the violated rule, such as "required_missing"
	Detail  string // one sentence for a person; holds no value of the record
}

// Describe says in one line why the record cannot be used.
func (r *Rejected) Describe() string {
	return fmt.Sprintf("%s (%s at %s)", r.Detail, r.Rule, cmp.Or(r.Pointer, "the record"))
}

// Owner names the trader and the account to which a record belongs, as far as they
// could be read. A trader belongs to itself, and so does an account.
type Owner struct{ TraderID, AccountID string }

// MaxRawBytes bounds the raw text that is stored of a quarantined record.
const MaxRawBytes = 64 << 10

// TruncateText cuts a text to at most n bytes without cutting a character.
func TruncateText(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// Finding is a broken rule of the contract that real traffic showed, and that
// leaves the record usable. Findings of one page are counted per rule.
type Finding struct {
	Rule     string // such as "unknown_enum_value"
	Resource Resource
	Count    int      // occurrences in the page
	Samples  []string // ids of a few records that show it, at most MaxSamples
}

// MaxSamples bounds Finding.Samples.
const MaxSamples = 5

// TradeKey joins a trade's account id and id into its key within a resource.
// The separator cannot occur in a decoded id.
func TradeKey(accountID, id string) string { return accountID + tradeKeySeparator + id }

const tradeKeySeparator = "\x1f"

// ReadableKey returns a record's key for people, to whom the separator is invisible.
func ReadableKey(key string) string { return strings.ReplaceAll(key, tradeKeySeparator, "/") }
