package record_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/record"
)

// The lists are the contract's, word for word and in its order.
func TestEnumerations(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		list func() []string
		want string
	}{
		{"kyc status", record.KYCStatuses, "not_started pending verified failed"},
		{"platform", record.Platforms, "mt4 mt5 ctrader matchtrader tradelocker dxtrade other"},
		{"phase", record.Phases, "evaluation verification funded other"},
		{"account status", record.AccountStatuses, "active passed breached closed suspended"},
		{"payout status", record.PayoutStatuses, "pending approved paid rejected cancelled"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := test.list()
			if diff := cmp.Diff(strings.Fields(test.want), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			got[0] = "changed by a caller"
			if diff := cmp.Diff(strings.Fields(test.want), test.list()); diff != "" {
				t.Errorf("a caller could change the list (-want +got)\n%s", diff)
			}
		})
	}
}

func TestStreamResource(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		stream record.Stream
		want   record.Resource
	}{
		{"traders", record.StreamTraders, record.Traders},
		{"accounts", record.StreamAccounts, record.Accounts},
		{"trades", record.StreamTrades, record.Trades},
		{"open trades", record.StreamTradesOpen, record.Trades},
		{"closed trades", record.StreamTradesClosed, record.Trades},
		{"payouts", record.StreamPayouts, record.Payouts},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := test.stream.Resource(); got != test.want {
				t.Errorf("Resource() = %q, want %q", got, test.want)
			}
		})
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	if record.TradeKey("a", "1") == record.TradeKey("b", "1") {
		t.Error("equal trade ids of two accounts have one key")
	}
	if record.TradeKey("a1", "2") == record.TradeKey("a", "12") {
		t.Error("the key does not tell where the account id ends")
	}
	one, other := record.RawKey(`{"a":1}`), record.RawKey(`{"a":2}`)
	if one == other || one != record.RawKey(`{"a":1}`) {
		t.Errorf("RawKey does not tell records apart or is not stable: %s, %s", one, other)
	}
	if !strings.HasPrefix(one, "sha256:") || len(one) != len("sha256:")+32 {
		t.Errorf("RawKey = %q", one)
	}
}

func TestTraderFullName(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		trader record.Trader
		want   string
	}{
		{"both", record.Trader{FirstName: "Ada", LastName: "King"}, "Ada King"},
		{"first only", record.Trader{FirstName: "Ada"}, "Ada"},
		{"last only", record.Trader{LastName: "King"}, "King"},
		{"neither", record.Trader{}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := test.trader.FullName(); got != test.want {
				t.Errorf("FullName() = %q, want %q", got, test.want)
			}
		})
	}
}

func TestTradeOpen(t *testing.T) {
	t.Parallel()
	if !(record.Trade{ClosePrice: "1"}).Open() {
		t.Error("a trade without close time is not open")
	}
	if (record.Trade{CloseTime: time.Unix(1, 0)}).Open() {
		t.Error("a trade with a close time is open")
	}
}

func TestBatchLen(t *testing.T) {
	t.Parallel()
	b := record.Batch{
		Traders: make([]record.Trader, 1), Accounts: make([]record.Account, 2),
		Trades: make([]record.Trade, 3), Payouts: make([]record.Payout, 4),
	}
	if got := b.Len(); got != 10 {
		t.Errorf("Len() = %d, want 10", got)
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		rejected record.Rejected
		want     string
	}{
		{"a member", record.Rejected{Detail: "id is null.", Rule: "required_missing", Pointer: "/id"}, "id is null. (required_missing at /id)"},
		{"the record", record.Rejected{Detail: "It is a list.", Rule: "not_an_object"}, "It is a list. (not_an_object at the record)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := test.rejected.Describe(); got != test.want {
				t.Errorf("got %q", got)
			}
		})
	}
}
