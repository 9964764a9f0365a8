package ingest_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/sample"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// partnerCycle returns a cycle whose integration is a partner platform's.
func partnerCycle(t *testing.T) *cycle {
	t.Helper()
	b := setupCycle(t)
	b.Claim.Kind = record.PartnerPlatform
	return b
}

// second makes a trade name its account by the second id.
func second(t *record.Trade) { t.AccountName = record.NamedByPartnerID(t.AccountID) }

// closedFor closes a trade with a profit.
func closedFor(profit record.Decimal) func(*record.Trade) {
	return func(t *record.Trade) {
		t.CloseTime, t.ClosePrice, t.Profit = day, "1.0901", profit
	}
}

// account returns an account with a second id, unless that is empty.
func account(id, partnerID string) record.Account {
	return record.Account{ID: id, PartnerID: partnerID, TraderID: "t"}
}

// page is one page of a partner's stream.
type page struct {
	stream record.Stream
	batch  record.Batch
}

func accountsPage(list ...record.Account) page {
	return page{record.StreamAccounts, record.Batch{Accounts: list}}
}

func openPage(list ...record.Trade) page   { return page{record.StreamTradesOpen, trades(list...)} }
func closedPage(list ...record.Trade) page { return page{record.StreamTradesClosed, trades(list...)} }

func payoutPage(account string, partner bool) page {
	p := record.Payout{ID: "p", AccountID: account, Status: "paid"}
	if partner {
		p.AccountName = record.NamedByPartnerID(account)
	}
	return page{record.StreamPayouts, record.Batch{Payouts: []record.Payout{p}}}
}

func TestWritePageNamesAccounts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		pages []page
		want  []string // see stored
		rules []string
	}{
		{
			name:  "by the second id of an account that is there",
			pages: []page{accountsPage(account("1001", "77")), openPage(storetest.Trade("77", "a", 0, untimed, second), storetest.Trade("1001", "b", 0, untimed))},
			want:  []string{"1001 a open", "1001 b open"},
		}, {
			name:  "by the second id, under a name of the first",
			pages: []page{accountsPage(account("1001", "77")), openPage(storetest.Trade("77", "a", 0, untimed)), payoutPage("77", false)},
			want:  []string{"1001 a open", "1001 payout"},
		}, {
			name:  "before the account is there",
			pages: []page{closedPage(storetest.Trade("77", "a", 0, untimed, second, closedFor("1"))), payoutPage("77", true), accountsPage(account("1001", "77"))},
			want:  []string{"1001 a 1", "1001 payout"},
		}, {
			name:  "of an account that never comes",
			pages: []page{openPage(storetest.Trade("77", "a", 0, untimed, second)), accountsPage(account("1001", ""))},
			want:  []string{"77 a open"},
		}, {
			name: "open by one id and closed by the other",
			pages: []page{
				accountsPage(account("1001", "77")),
				openPage(storetest.Trade("1001", "a", 0, untimed)), closedPage(storetest.Trade("77", "a", 0, untimed, second, closedFor("1"))), openPage(storetest.Trade("1001", "a", 0, untimed)),
			},
			want: []string{"1001 a 1"},
		}, {
			name: "open and closed by either id before the account is there",
			pages: []page{
				closedPage(storetest.Trade("1001", "a", 0, untimed, closedFor("1")), storetest.Trade("77", "b", 0, untimed, second, closedFor("2"))),
				openPage(storetest.Trade("77", "a", 0, untimed, second), storetest.Trade("1001", "b", 0, untimed)),
				accountsPage(account("1001", "77")),
			},
			want: []string{"1001 a 1", "1001 b 2"},
		}, {
			name: "the later of two observations",
			pages: []page{
				closedPage(storetest.Trade("77", "a", 0, untimed, second, closedFor("1")), storetest.Trade("1001", "b", 0, untimed, closedFor("3"))),
				closedPage(storetest.Trade("1001", "a", 0, untimed, closedFor("2")), storetest.Trade("77", "b", 0, untimed, second, closedFor("4"))),
				accountsPage(account("1001", "77")),
			},
			want: []string{"1001 a 2", "1001 b 4"},
		}, {
			name: "an id that is one account's first and another's second",
			pages: []page{
				accountsPage(account("77", "5"), account("1001", "77")),
				openPage(storetest.Trade("77", "first", 0, untimed), storetest.Trade("77", "second", 0, untimed, second)),
			},
			want: []string{"1001 second open", "77 first open"},
		}, {
			name:  "a first id under a name of the second",
			pages: []page{accountsPage(account("77", "")), openPage(storetest.Trade("77", "a", 0, untimed, second))},
			want:  []string{"77 a open"},
		}, {
			name:  "a second id that is no account's but another one's first",
			pages: []page{accountsPage(account("77", "5")), openPage(storetest.Trade("77", "a", 0, untimed, second))},
			want:  []string{"77 a open"},
		}, {
			name: "a second id that two accounts have",
			pages: []page{
				openPage(storetest.Trade("77", "before", 0, untimed, second)),
				accountsPage(account("1001", "77"), account("1002", "77")),
				openPage(storetest.Trade("77", "after", 0, untimed, second)),
			},
			want: []string{"77 after open", "77 before open"}, rules: []string{"account_ambiguous 1 {after}"},
		}, {
			name: "until only one of them has it",
			pages: []page{
				accountsPage(account("1001", "77"), account("1002", "77")), openPage(storetest.Trade("77", "a", 0, untimed, second)),
				accountsPage(account("1002", "78")), accountsPage(account("1001", "77")),
			},
			want: []string{"1001 a open"}, rules: []string{"account_ambiguous 1 {a}"},
		}, {
			name:  "the same ticket under two accounts",
			pages: []page{accountsPage(account("1001", "77"), account("1002", "78")), openPage(storetest.Trade("1001", "a", 0, untimed), storetest.Trade("78", "a", 0, untimed, second))},
			want:  []string{"1001 a open", "1002 a open"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := partnerCycle(t)
			for _, p := range tt.pages {
				b.WritePage(t, b.NewRun(p.stream, syncing.ModeBackfill), p.batch)
			}
			if diff := cmp.Diff(tt.want, b.stored(t)); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.rules, b.Texts(t, `SELECT concat_ws(' ', rule, count, samples) FROM findings`), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			b.CheckCounters(t)
		})
	}
}

// TestAccountsInEveryOrder checks that the outcome does not depend on whether accounts or the
// records that name them come first, even if one account's number is another's second id.
func TestAccountsInEveryOrder(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		pages []page
		want  []string
	}{
		{
			name: "a number that is another's second id",
			pages: []page{
				accountsPage(account("1001", "77")), accountsPage(account("77", "5")), openPage(storetest.Trade("77", "a", 0, untimed)), payoutPage("77", false),
				closedPage(storetest.Trade("77", "b", 0, untimed, second, closedFor("1"))),
			},
			want: []string{"1001 b 1", "77 a open", "77 payout"},
		}, {
			name: "a trade by both ids",
			pages: []page{
				accountsPage(account("1001", "77")), openPage(storetest.Trade("1001", "a", 0, untimed)), closedPage(storetest.Trade("77", "a", 0, untimed, second, closedFor("1"))),
				payoutPage("77", true),
			},
			want: []string{"1001 a 1", "1001 payout"},
		}, {
			name: "trades that change places",
			pages: []page{
				accountsPage(account("1", "2"), account("2", "1")), openPage(storetest.Trade("1", "a", 0, untimed, second), storetest.Trade("2", "a", 0, untimed, second, closedFor("2"))),
				openPage(storetest.Trade("1", "b", 0, untimed), storetest.Trade("2", "b", 0, untimed, second)),
			},
			want: []string{"1 a 2", "1 b open", "2 a open"},
		}, {
			name: "a second id that two accounts come to have",
			pages: []page{
				accountsPage(account("1001", "77")), accountsPage(account("1002", "77")), openPage(storetest.Trade("77", "a", 0, untimed)),
				closedPage(storetest.Trade("77", "a", 0, untimed, second, closedFor("1"))), payoutPage("77", true),
			},
			want: []string{"77 a 1", "77 payout"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := partnerCycle(t)
			for _, order := range sample.Cases(permutations(len(tt.pages)), 10) {
				b.connect(t)
				for _, i := range order {
					b.WritePage(t, b.NewRun(tt.pages[i].stream, syncing.ModeBackfill), tt.pages[i].batch)
				}
				if diff := cmp.Diff(tt.want, b.stored(t)); diff != "" {
					t.Errorf("order %v (-want +got):\n%s", order, diff)
				}
				b.CheckCounters(t)
			}
		})
	}
}

// connect switches the cycle to another integration of a partner platform.
func (b *cycle) connect(t *testing.T) {
	t.Helper()
	i, err := integrations.Create(t.Context(), b.DB, store.SystemChange(b.Org), integrations.New{
		Kind: record.PartnerPlatform, Name: "Partner", BaseURL: "https://" + uuid.NewString() + ".test",
		APIKey: seal.NewSecret("0123456789abcdef"), SyncIntervalSeconds: 300, Check: integrations.CheckOutcome{OK: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	if b.Claim, err = syncing.ClaimOne(t.Context(), b.DB, "test", i.ID, storetest.Lease); err != nil {
		t.Fatal(err)
	}
}

// permutations lists the orders of n things.
func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, shorter := range permutations(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(shorter), at, n-1))
		}
	}
	return all
}

// stored lists trades as "account id profit" and payouts as "account payout".
func (b *cycle) stored(t *testing.T) []string {
	t.Helper()
	return b.Texts(t, `SELECT account_external_id || ' ' || id || ' ' || coalesce(profit::text, 'open') FROM trades WHERE integration_id = $1
UNION ALL SELECT account_external_id || ' payout' FROM payouts WHERE integration_id = $1 ORDER BY 1`, b.Claim.IntegrationID)
}

// TestMovedTradesAreUnchanged checks that a trade that has moved to its account is unchanged when
// it is read again.
func TestMovedTradesAreUnchanged(t *testing.T) {
	t.Parallel()
	b := partnerCycle(t)
	batch := trades(storetest.Trade("77", "a", 0, untimed, second), storetest.Trade("77", "b", 0, untimed))
	b.WritePage(t, b.NewRun(record.StreamTradesOpen, syncing.ModeIncremental), batch)
	b.WritePage(t, b.NewRun(record.StreamAccounts, syncing.ModeBackfill), record.Batch{Accounts: []record.Account{account("1001", "77")}})
	if out := b.WritePage(t, b.NewRun(record.StreamTradesOpen, syncing.ModeIncremental), batch); out.Page != (syncing.RunTotals{Unchanged: 2}) {
		t.Errorf("%+v, want two unchanged", out.Page)
	}
	if diff := cmp.Diff([]string{"1001 a open", "1001 b open"}, b.stored(t)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// TestWritePageNamesAccountsAgain checks that a page can be written again after a failure, and that
// a page that was read again writes nothing.
func TestWritePageNamesAccountsAgain(t *testing.T) {
	t.Parallel()
	b := partnerCycle(t)
	b.WritePage(t, b.NewRun(record.StreamAccounts, syncing.ModeBackfill), record.Batch{Accounts: []record.Account{account("1001", "77"), account("1002", "1001")}})
	batch := trades(storetest.Trade("77", "a", 0, untimed, second))
	for i, want := range []int64{1, 0} {
		if out := b.WritePage(t, b.NewRun(record.StreamTradesOpen, syncing.ModeIncremental), batch); out.Page.Inserted != want || out.Page.Updated != 0 {
			t.Errorf("pass %d: %+v, want %d inserted and none updated", i, out.Page, want)
		}
	}
	if got := b.Texts(t, `SELECT account_external_id FROM trades`); !cmp.Equal(got, []string{"1001"}) {
		t.Errorf("accounts %q", got)
	}
}

// TestCustomPlatformsNameAccountsOnce checks that only partners have second ids.
func TestCustomPlatformsNameAccountsOnce(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	b.WritePage(t, b.NewRun(record.StreamAccounts, syncing.ModeBackfill), record.Batch{Accounts: []record.Account{account("1001", "77")}})
	b.WritePage(t, b.NewRun(record.StreamTrades, syncing.ModeBackfill), trades(storetest.Trade("77", "a", 0)))
	if got := b.Texts(t, `SELECT account_external_id FROM trades`); !cmp.Equal(got, []string{"77"}) {
		t.Errorf("accounts %q", got)
	}
}

// TestQuarantineOfANamedAccount checks that a valid version lifts the quarantine of a trade even if
// the two name the account in different ways.
func TestQuarantineOfANamedAccount(t *testing.T) {
	t.Parallel()
	b := partnerCycle(t)
	reject := func(account, id string) func(*ingest.PageCommit) {
		return func(p *ingest.PageCommit) {
			p.Rejected = []record.Rejected{{Key: record.TradeKey(account, id), Raw: `{}`, Rule: "required_missing", Detail: "It is bad."}}
		}
	}
	b.WritePage(t, b.NewRun(record.StreamTradesOpen, syncing.ModeIncremental), trades(), reject("77", "a"))
	b.WritePage(t, b.NewRun(record.StreamTradesOpen, syncing.ModeIncremental), trades(storetest.Trade("77", "c", 0, untimed, second)))
	b.WritePage(t, b.NewRun(record.StreamAccounts, syncing.ModeBackfill), record.Batch{Accounts: []record.Account{account("1001", "77")}})
	b.WritePage(t, b.NewRun(record.StreamTradesOpen, syncing.ModeIncremental), trades(), reject("77", "b"))
	if n := b.Claim.Quarantined; n != 2 {
		t.Fatalf("%d in quarantine, want 2", n)
	}
	b.WritePage(t, b.NewRun(record.StreamTradesOpen, syncing.ModeIncremental), trades(storetest.Trade("1001", "a", 0, untimed), storetest.Trade("77", "b", 0, untimed, second)))
	if got := b.Texts(t, `SELECT key FROM quarantine`); len(got) > 0 || b.Claim.Quarantined != 0 {
		t.Errorf("%q still in quarantine, counted as %d", got, b.Claim.Quarantined)
	}
}
