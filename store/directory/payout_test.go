package directory_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/keyset"
	"github.com/assayhq/assay/store/storetest"
)

func TestPayouts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	at := func(minutes int) time.Time { return opened.Add(time.Duration(minutes) * time.Minute) }
	one := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	storetest.Records(t, b.URL, one, record.Batch{
		Traders:  []record.Trader{{ID: "t", FirstName: "Zoe", LastName: "Miller", Email: "zoe@example.com"}},
		Accounts: []record.Account{{ID: "a", TraderID: "t"}},
		Payouts: []record.Payout{
			{ID: "p1", TraderID: "t", AccountID: "a", Status: "paid", Amount: "90.50", Currency: "USD", RequestedAt: at(1)},
			{ID: "p2", TraderID: "not arrived", Status: "pending", Amount: "100", RequestedAt: at(2)},
			{ID: "p3", Status: "pending"},
		},
	})
	two := storetest.Integration(t, b.DB, b.Org, "https://b.example")
	storetest.Records(t, b.URL, two, record.Batch{
		Traders: []record.Trader{{ID: "t"}},
		Payouts: []record.Payout{{ID: "p4", TraderID: "t", Status: "pending", Amount: "-1", RequestedAt: at(3)}},
	})
	other := storetest.Organization(t, b.DB).ID
	storetest.Records(t, b.URL, storetest.Integration(t, b.DB, other, "https://a.example"), record.Batch{Payouts: []record.Payout{{ID: "foreign", RequestedAt: at(9)}}})

	traders, _, err := directory.ListTraders(t.Context(), b.DB, b.Org, directory.TraderFilter{Search: "zoe"}, store.Page{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	zoe := traders[0].ID
	for name, c := range map[string]struct {
		filter directory.PayoutFilter
		want   string
	}{
		"all":             {directory.PayoutFilter{}, "p4 p2 p1 p3"},
		"first requested": {directory.PayoutFilter{Sort: "requested_at"}, "p1 p2 p4 p3"},
		"highest":         {directory.PayoutFilter{Sort: "-amount"}, "p2 p1 p4 p3"},
		"lowest":          {directory.PayoutFilter{Sort: "amount"}, "p4 p1 p2 p3"},
		"a status":        {directory.PayoutFilter{Status: "pending"}, "p4 p2 p3"},
		"a trader":        {directory.PayoutFilter{TraderID: &zoe}, "p1"},
		"a time":          {directory.PayoutFilter{From: new(at(2)), To: new(at(3))}, "p2"},
		"no text":         {directory.PayoutFilter{Status: "\x00"}, ""},
	} {
		var got []string
		for p := (store.Page{Limit: 1}); ; {
			page, total, err := directory.ListPayouts(t.Context(), b.DB, b.Org, c.filter, p)
			if err != nil {
				t.Fatal(err)
			}
			if len(page) == 0 {
				break
			}
			if want := len(strings.Fields(c.want)); total != want {
				t.Errorf("%s: total %d, want %d", name, total, want)
			}
			got = append(got, page[0].ExternalID)
			p.After, p.Total = c.filter.Sort.PositionOf(page[0]), total
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}

	list, _, err := directory.ListPayouts(t.Context(), b.DB, b.Org, directory.PayoutFilter{TraderID: &zoe}, store.Page{Limit: 5})
	if err != nil {
		t.Fatal(err)
	}
	want := directory.ListedPayout{
		Payout: directory.Payout{
			ID: list[0].ID, ExternalID: "p1", AccountID: list[0].AccountID, AccountExternalID: new("a"), Status: new("paid"), Amount: new(record.Decimal("90.5")),
			Currency: new("USD"), RequestedAt: new(at(1)),
		},
		TraderID: &zoe, TraderName: new("Zoe Miller"), TraderEmail: new("zoe@example.com"), TraderKey: new("zoe miller"),
	}
	if diff := cmp.Diff(want, list[0]); diff != "" || list[0].AccountID == nil {
		t.Errorf("payout (-want +got):\n%s", diff)
	}
	if _, _, err := directory.ListPayouts(t.Context(), b.DB, b.Org, directory.PayoutFilter{Sort: "amount"}, store.Page{Limit: 1, After: keyset.PositionOf("1); --", zoe)}); !errors.Is(err, keyset.ErrInvalid) {
		t.Errorf("a position with text for an amount: %v, want keyset.ErrInvalid", err)
	}
}
