package ingest_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/privacy"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
)

// TestAccountOfAnErasedTrader: a platform shows an account once with a trader who was erased, and
// then with its own again, whose it stays. An account of the erased trader stays left out, and a
// finding says so if it names somebody else.
func TestAccountOfAnErasedTrader(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	run := b.NewRun(record.StreamAccounts, syncing.ModeIncremental)
	at := time.Now().Add(-24 * time.Hour).Truncate(time.Second)
	show := func(id, trader string, balance record.Decimal) []string {
		at = at.Add(time.Minute)
		out := b.WritePage(t, run, record.Batch{Accounts: []record.Account{{ID: id, TraderID: trader, Balance: balance, UpdatedAt: at}}})
		var rules []string
		for _, f := range out.Findings {
			rules = append(rules, f.Rule)
		}
		return rules
	}
	b.WritePage(t, b.NewRun(record.StreamTraders, syncing.ModeIncremental), record.Batch{Traders: []record.Trader{
		{ID: "erased", Email: "e@example.com", UpdatedAt: at}, {ID: "living", Email: "l@example.com", UpdatedAt: at},
	}})
	show("A-1", "living", "100")
	show("A-2", "erased", "100")
	id := storetest.One[uuid.UUID](t, b.Conn, `SELECT id FROM traders WHERE external_id = 'erased' AND integration_id = $1`, b.Claim.IntegrationID)
	if err := privacy.EraseTrader(t.Context(), b.DB, b.By("admin"), id); err != nil {
		t.Fatal(err)
	}
	claim, err := syncing.ClaimOne(t.Context(), b.DB, "test-2", b.Claim.IntegrationID, storetest.Lease)
	if err != nil {
		t.Fatal(err)
	}
	b.Claim = claim
	b.Claim.Suppressing = true
	show("A-1", "erased", "200")
	for _, balance := range []record.Decimal{"300", "400"} {
		if rules := show("A-1", "living", balance); len(rules) > 0 {
			t.Errorf("findings %v of the living trader's account", rules)
		}
	}
	if rules := show("A-2", "living", "500"); !slices.Equal(rules, []string{"account_of_erased"}) {
		t.Errorf("findings %v, want that the account was the erased trader's", rules)
	}
	if rules := show("A-2", "erased", "600"); len(rules) > 0 {
		t.Errorf("findings %v of the erased trader's account", rules)
	}
	if got := b.Texts(t, `SELECT concat_ws(' ', external_id, trader_external_id, balance) FROM accounts WHERE integration_id = $1`, b.Claim.IntegrationID); !slices.Equal(got, []string{"A-1 living 400"}) {
		t.Errorf("accounts %q", got)
	}
}
