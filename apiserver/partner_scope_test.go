package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/internal/simulator/wire"
	"github.com/assayhq/assay/store/storetest"
)

// TestPartnerScope narrows the scope of a partner's accounts and payouts, lets the platform
// continue, and widens the scope again.
func TestPartnerScope(t *testing.T) {
	t.Parallel()
	d := newPartnerCustomer(t, partner.Options{
		Firm:    firm.Options{Seed: 21, Traders: 12, AccountsPerTrader: 2, Trades: 250, Payouts: 30, Start: worldStart, Weekends: true},
		Dialect: partner.Seeded,
	})
	d.connectPlatform(t, nil)
	d.runSync(t)
	before := d.expectDirectory()
	if diff := cmp.Diff(before, d.readDirectory(t)); diff != "" {
		t.Fatalf("the platform's records and the API's (-want +got):\n%s", diff)
	}

	// Two accounts are created, one within the following scope. The records of the other changed
	// long ago, as if they had only been out of sight.
	scope := map[string]any{"plan_category_ids": []int{11, 12}, "platforms": []string{"mt5", "ctrader"}}
	within, outside := d.addAccount("9900000000", "12", "mt5"), d.addAccount("9910000000", "13", "mt5")
	changed := d.patchScope(t, map[string]any{"account_scope": scope})
	if diff := cmp.Diff(`map[plan_category_ids:[11 12] platforms:[mt5 ctrader]]`, fmt.Sprint(changed["account_scope"])); diff != "" {
		t.Errorf("scope (-want +got):\n%s", diff)
	}
	const narrow = " plan_category_ids=11,12 platforms=mt5,ctrader"
	wantRequests(t, "live check with the narrow scope", d.partner.takeExchanges(), []string{
		"prop-accounts page=1", "customers page=1", "prop-accounts page=1" + narrow, "trades/closed page=1", "payouts page=1" + narrow,
	})
	wantRequests(t, "narrow", d.runSync(t), changedScope(narrow))
	all, got := d.expectDirectory(), d.readDirectory(t)
	for id := range before.Accounts {
		if diff := cmp.Diff(before.Accounts[id], got.Accounts[id]); diff != "" {
			t.Errorf("account %s, which was there before (-want +got):\n%s", id, diff)
		}
	}
	for id := range before.Payouts {
		if diff := cmp.Diff(before.Payouts[id], got.Payouts[id]); diff != "" {
			t.Errorf("payout %s, which was there before (-want +got):\n%s", id, diff)
		}
	}
	d.wantOutOfSight(t, all, got, within, outside)
	// The next cycle requests changes, still within the scope.
	wantRequests(t, "narrow, once more", d.runSync(t), []string{
		"customers page=1 updated_gte sort_by=customerNr sort_order=asc", "prop-accounts page=1 updated_gte sort_by=accountNr sort_order=asc" + narrow,
		"trades/open page=1 sort_by=ticket sort_order=asc", "trades/closed page=1 sort_by=closeDate sort_order=desc", "payouts page=1 updated_gte" + narrow,
	})

	changed = d.patchScope(t, map[string]any{"account_scope": nil})
	if changed["account_scope"] != nil || changed["health_status"] != "healthy" {
		t.Errorf("widened to %v, health %v", changed["account_scope"], changed["health_status"])
	}
	wantRequests(t, "wide", d.runSync(t), changedScope(""))
	if diff := cmp.Diff(all, d.readDirectory(t)); diff != "" {
		t.Errorf("the platform's records and the API's after all (-want +got):\n%s", diff)
	}
	if left := d.countWaiting(t, outside); left != 0 {
		t.Errorf("%d trades still name the account by its second id", left)
	}
}

// patchScope changes the integration.
func (d *partnerCustomer) patchScope(t *testing.T, body map[string]any) map[string]any {
	t.Helper()
	d.partner.takeExchanges()
	return d.callAPI(t, http.MethodPatch, d.integrationPath(), body, http.StatusOK)
}

// changedScope returns the requests of the first cycle with another scope: accounts and payouts
// are read from the beginning, and the rest continues.
func changedScope(scope string) []string {
	return []string{
		"customers page=1 updated_gte sort_by=customerNr sort_order=asc", "prop-accounts page=1 sort_by=accountNr sort_order=asc" + scope,
		"trades/open page=1 sort_by=ticket sort_order=asc", "trades/closed page=1 sort_by=closeDate sort_order=desc", "payouts page=1" + scope,
	}
}

// wantRequests compares requests, ignoring limits and the time in updated_gte.
func wantRequests(t *testing.T, when string, requests []exchange, want []string) {
	t.Helper()
	var got []string
	for _, x := range requests {
		line := string(x.list)
		for _, name := range []string{"page", "updated_gte", "sort_by", "sort_order", "plan_category_ids", "platforms"} {
			switch {
			case !x.query.Has(name):
			case name == "updated_gte":
				line += " " + name
			default:
				line += " " + name + "=" + x.query.Get(name)
			}
		}
		got = append(got, line)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: requests (-want +got):\n%s", when, diff)
	}
}

// addAccount adds an account with a second id, a payout, and open and closed trades, some of
// which refer to the account by its second id. Everything changed a month ago, except that the
// trades ended later. Numbers count up from the given one.
func (d *partnerCustomer) addAccount(number, category, platform string) partner.Account {
	var owner string
	for c := range d.partner.AllCustomers() {
		owner = c.CustomerID
	}
	now := d.partner.Now()
	old := now.AddDate(0, -1, 0)
	var account partner.Account
	for i := 0; ; i++ {
		nr := number[:len(number)-2] + fmt.Sprintf("%02d", i)
		account = d.partner.PutAccount(partner.Account{
			AccountNr: nr, AccountID: "88" + nr, CustomerID: owner, UpdatedAt: old, CreatedAt: old, Login: nr, Platform: platform, Currency: "EUR",
			Plan: "Rapid 50k", PlanCategoryID: category, PlanCategoryName: "Rapid", Phase: "funded", Status: "active", FundedAt: old,
			InitialBalance: wire.NewDecimal(5000000, 2), CurrentBalance: wire.NewDecimal(5000001, 2), CurrentEquity: wire.NewDecimal(4999999, 2),
		})
		if account.AccountID == "88"+nr {
			break
		}
		d.partner.Delete(partner.Accounts, nr) // its spelling has no field for a second id
	}
	for i := range 24 {
		trade := openTrade(account.AccountNr, fmt.Sprintf("%s%02d", account.AccountNr, i), now)
		if i%2 == 0 {
			trade.CloseDate, trade.ClosePrice = now.Add(-time.Minute), trade.OpenPrice
		}
		d.partner.PutTrade(trade)
	}
	d.partner.PutPayout(partner.Payout{
		PayoutID: "pay-" + account.AccountNr, CustomerID: owner, AccountNr: account.AccountNr, UpdatedAt: old, ShareAmount: wire.NewDecimal(801, 1),
		RequestAmount: wire.NewDecimal(100, 0), ProfitSplit: wire.NewDecimal(80, 0), Currency: "EUR", Status: "paid", RequestedAt: old, ApprovedAt: old,
	})
	return account
}

// wantOutOfSight compares the directory with the platform's records: everything must be there
// except what belongs to the account outside of the scope, whose trades wait.
func (d *partnerCustomer) wantOutOfSight(t *testing.T, all, got directory, within, outside partner.Account) {
	t.Helper()
	if _, ok := got.Accounts[within.AccountNr]; !ok {
		t.Error("the account within the scope has not arrived")
	}
	lacks := func(name string, all, got map[string]map[string]any) {
		for id := range all {
			_, there := got[id]
			if want := !strings.Contains(id, outside.AccountNr); there != want {
				t.Errorf("%s %s is there: %v, want %v", name, id, there, want)
			}
		}
	}
	lacks("account", all.Accounts, got.Accounts)
	lacks("payout", all.Payouts, got.Payouts)
	lacks("trade", all.Trades, got.Trades)
	if diff := cmp.Diff(len(all.Trades), d.countStored(t, `SELECT count(*) FROM trades`)); diff != "" {
		t.Errorf("trades are not narrowed by the scope, stored (-want +got):\n%s", diff)
	}
	if d.countWaiting(t, outside) == 0 {
		t.Error("no trade names the account by its second id: the test shows nothing of it")
	}
	if d.countWaiting(t, within) != 0 {
		t.Error("trades of the account within the scope wait for it")
	}
}

// countWaiting counts the stored trades that refer to the account by its second id.
func (d *partnerCustomer) countWaiting(t *testing.T, a partner.Account) int {
	t.Helper()
	return d.countStored(t, `SELECT count(*) FROM trades WHERE account_external_id = $1`, a.AccountID)
}

// countStored runs a query that returns a whole number.
func (d *partnerCustomer) countStored(t *testing.T, query string, args ...any) (n int) {
	t.Helper()
	check(t, storetest.Conn(t, d.databaseURL).QueryRow(t.Context(), query, args...).Scan(&n))
	return n
}
