package directory_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/privacy"
	"github.com/assayhq/assay/store/storetest"
)

// listDuplicates lists what ListDuplicates returns of a trader as "name: reasons", with marks for those
// that cannot be merged or were dismissed.
func (b orgDB) listDuplicates(t *testing.T, id uuid.UUID) (list []string, tooCommon []directory.DuplicateReason) {
	t.Helper()
	d, err := directory.ListDuplicates(t.Context(), b.DB, b.Org, id)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range d.List {
		text := fmt.Sprintf("%s: %v", store.Deref(one.FullName), one.Reasons)
		if !one.Mergeable {
			text += " synced"
		}
		if one.DismissedAt != nil {
			text += " dismissed by " + *one.DismissedBy
		}
		list = append(list, text)
	}
	return list, d.TooCommon
}

// synced writes traders of the cycle's platform, and returns their ids by name.
func (b *cycle) synced(t *testing.T, traders ...record.Trader) map[string]uuid.UUID {
	t.Helper()
	for i := range traders {
		traders[i].UpdatedAt = day
	}
	b.arrive(t, record.Batch{Traders: traders})
	ids := make(map[string]uuid.UUID)
	for _, tr := range traders {
		ids[tr.ID] = storetest.One[uuid.UUID](t, b.Conn, `SELECT id FROM traders WHERE external_id = $1 AND integration_id IS NOT NULL`, tr.ID)
	}
	return ids
}

func TestDuplicateReasons(t *testing.T) {
	t.Parallel()
	s := setupCycle(t)
	b := s.orgDB()
	ids := s.synced(
		t,
		record.Trader{ID: "ada", FirstName: "Ada", LastName: "King", Email: "ada@x.test", Country: "GB", Phone: "+44 (20) 7946-0018", Metadata: `{"last_login_ip":"198.51.100.7"}`},
		record.Trader{ID: "email", FirstName: "Email", Email: "ADA@x.test"},
		record.Trader{ID: "name", FirstName: "ADA", LastName: "king", Country: "gb"},
		record.Trader{ID: "abroad", FirstName: "Ada", LastName: "King", Country: "DE"},
		record.Trader{ID: "nowhere", FirstName: "Ada", LastName: "King"},
		record.Trader{ID: "phone", FirstName: "Phone", Phone: "0044 20 79460018"},
		record.Trader{ID: "short", FirstName: "Short", Phone: "18"},
		record.Trader{ID: "ip", FirstName: "Neighbor", Metadata: `{"last_login_ip":"198.51.100.7"}`},
		record.Trader{ID: "no ip", FirstName: "Offline", Metadata: `{"last_login_ip":""}`},
	)
	b.CreateTrader(t, directory.NewTrader{FullName: "By Hand", ExternalID: new("ada")})
	b.patch(t, ids["name"], directory.TraderPatch{Status: new("archived")})
	other := storetest.Organization(t, b.DB)
	if _, err := directory.CreateTrader(t.Context(), b.DB, store.SystemChange(other.ID), directory.NewTrader{FullName: "Ada King", Email: new("ada@x.test"), Country: new("GB")}); err != nil {
		t.Fatal(err)
	}
	got, common := b.listDuplicates(t, ids["ada"])
	want := []string{
		"Email: [email] synced",
		"By Hand: [external_id]",
		"Phone: [phone] synced",
		"ADA king: [name_and_country] synced",
		"Neighbor: [login_ip] synced",
	}
	if diff := cmp.Diff(want, got); diff != "" || len(common) > 0 {
		t.Errorf("of Ada (-want +got), too common %v:\n%s", common, diff)
	}
	// Each of them has Ada as a duplicate for the same reason.
	for _, id := range []string{"email", "name", "phone", "ip"} {
		list, _ := b.listDuplicates(t, ids[id])
		if len(list) != 1 || !strings.HasPrefix(list[0], "Ada King: ") {
			t.Errorf("of %s: %v", id, list)
		}
	}
	for _, id := range []string{"abroad", "nowhere", "short", "no ip"} {
		if list, _ := b.listDuplicates(t, ids[id]); len(list) > 0 {
			t.Errorf("of %s: %v", id, list)
		}
	}
	if _, err := directory.ListDuplicates(t.Context(), b.DB, other.ID, ids["ada"]); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("of another organization's trader: %v", err)
	}
}

// TestSharedByMany checks that what many share is no reason, and that few rows are read then.
func TestSharedByMany(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ada := b.CreateTrader(t, directory.NewTrader{FullName: "Ada King", Country: new("GB"), Phone: new("+44 20 7946 0018")})
	b.Exec(t, `INSERT INTO traders (id, organization_id, source, full_name, country, phone)
SELECT gen_random_uuid(), $1, 'manual', 'Ada King', CASE WHEN n <= 20 THEN 'GB' ELSE 'DE' END, CASE WHEN n <= 20 THEN '442079460018' END FROM generate_series(1, 199) AS n`, b.Org)
	list, common := b.listDuplicates(t, ada.ID)
	if len(list) != 20 || len(common) > 0 {
		t.Errorf("%d duplicates, too common %v; want 20 of 199 namesakes", len(list), common)
	}
	b.Exec(t, `INSERT INTO traders (id, organization_id, source, full_name, country, phone) VALUES (gen_random_uuid(), $1, 'manual', 'Ada King', 'DE', '442079460018')`, b.Org)
	list, common = b.listDuplicates(t, ada.ID)
	if want := []directory.DuplicateReason{"phone", "name_and_country"}; len(list) > 0 || !slices.Equal(common, want) {
		t.Errorf("%d duplicates, too common %v; want none, and %v", len(list), common, want)
	}
}

// TestDuplicatesByIndex checks that no reason is found by reading the table.
func TestDuplicatesByIndex(t *testing.T) {
	t.Parallel()
	s := setupCycle(t)
	b := s.orgDB()
	b.Exec(t, `INSERT INTO traders (id, organization_id, integration_id, source, status, external_id, full_name, email, country, phone, metadata)
SELECT gen_random_uuid(), $1, CASE WHEN n % 100 > 0 THEN $2::uuid END, 'manual', CASE WHEN n % 10 = 0 THEN 'archived' ELSE 'active' END, 'T-' || n, 'Trader ' || n, n || '@x.test', 'DE', '+49 30 ' || n, jsonb_build_object('last_login_ip', '198.51.' || n) FROM generate_series(1, 20000) AS n`,
		b.Org, s.Claim.IntegrationID)
	b.Vacuum(t, "traders")
	one := storetest.One[uuid.UUID](t, b.Conn, `SELECT id FROM traders WHERE external_id = 'T-700'`)
	for _, reason := range directory.DuplicateReasons() {
		s := directory.SharingStatement(b.Org, one, reason)
		cost, err := storetest.ExplainIn(t.Context(), b.DB.Bun, s.Query, s.Args...)
		if err != nil {
			t.Fatal(err)
		}
		cost.CheckReads(t, string(reason), 30, 10)
	}
}

func TestMergeTraders(t *testing.T) {
	t.Parallel()
	platform := record.Trader{ID: "t1", FirstName: "Ada", LastName: "King", Email: "ada@x.test", Country: "GB", Tags: []string{"eu"}}
	for _, c := range []struct {
		name      string
		survivor  string // the name of the trader that keeps the id
		gone      string
		want      directory.Trader
		overrides []string
	}{
		{
			"a trader made by hand into a synced one", "synced", "hand",
			directory.Trader{FullName: new("A. King"), Email: new("a.king@x.test"), ExternalID: new("crm-1"), Country: new("GB"), Phone: new("1234567"), Tags: []string{"eu", "vip"}, Status: "under_review"},
			[]string{"full_name", "email", "external_id", "phone", "tags"},
		},
		{
			"a synced trader into one made by hand", "hand", "synced",
			directory.Trader{FullName: new("A. King"), Email: new("a.king@x.test"), ExternalID: new("crm-1"), Country: new("GB"), Phone: new("1234567"), Tags: []string{"eu", "vip"}, Status: "under_review"},
			[]string{"full_name", "email", "external_id", "phone", "tags"},
		},
		{
			"two made by hand", "hand", "third",
			directory.Trader{FullName: new("A. King"), Email: new("a.king@x.test"), ExternalID: new("crm-1"), Country: new("FR"), Phone: new("1234567"), Tags: []string{"vip", "new"}, Status: "under_review"},
			nil,
		},
		{
			"the other two made by hand", "third", "hand",
			directory.Trader{FullName: new("Adele"), Email: new("a.king@x.test"), ExternalID: new("crm-1"), Country: new("FR"), Phone: new("1234567"), Tags: []string{"new", "vip"}, Status: "under_review"},
			nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := setupCycle(t)
			b := s.orgDB()
			ids := s.synced(t, platform)
			ids["synced"] = ids["t1"]
			ids["hand"] = b.CreateTrader(t, directory.NewTrader{FullName: "A. King", Email: new("a.king@x.test"), ExternalID: new("crm-1"), Phone: new("1234567"), Tags: []string{"vip"}}).ID
			ids["third"] = b.CreateTrader(t, directory.NewTrader{FullName: "Adele", Country: new("FR"), Tags: []string{"new"}}).ID
			b.patch(t, ids["hand"], directory.TraderPatch{Status: new("under_review")})
			for _, id := range []uuid.UUID{ids[c.survivor], ids[c.gone]} {
				if _, err := directory.AddNote(t.Context(), b.DB, b.By("desk"), id, "note"); err != nil {
					t.Fatal(err)
				}
			}
			interview := storetest.Interview(t, b.DB, b.Org, storetest.NewInterview("A. King", "other@x.test")).ID
			b.Exec(t, `UPDATE interviews SET trader_id = $2 WHERE id = $1`, interview, ids[c.gone])
			got, err := directory.MergeTraders(t.Context(), b.DB, b.By("desk"), ids[c.survivor], ids[c.gone])
			if err != nil {
				t.Fatal(err)
			}
			shown := directory.Trader{FullName: got.FullName, Email: got.Email, ExternalID: got.ExternalID, Country: got.Country, Phone: got.Phone, Tags: got.Tags, Status: got.Status}
			if diff := cmp.Diff(c.want, shown); diff != "" || got.ID != ids[c.survivor] || !slices.Equal(got.Overrides, c.overrides) {
				t.Errorf("%s with the overrides %v (-want +got):\n%s", got.ID, got.Overrides, diff)
			}
			if _, err := directory.ReadProfile(t.Context(), b.DB, b.Org, ids[c.gone]); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("the other trader: %v", err)
			}
			d, err := directory.ReadTrader(t.Context(), b.DB, b.Org, ids[c.survivor])
			if err != nil || len(d.Notes) != 2 || len(d.Interviews) != 1 || d.Interviews[0].ID != interview {
				t.Errorf("%d notes, interviews %+v, %v", len(d.Notes), d.Interviews, err)
			}
			s.checkNextSync(t, platform, c.gone == "synced" || c.survivor == "synced", ids[c.survivor])
		})
	}
}

// checkNextSync sends the platform's trader again, changed, and checks that the platform still has one
// row: that of the id if the platform's trader was merged.
func (b *cycle) checkNextSync(t *testing.T, tr record.Trader, merged bool, id uuid.UUID) {
	t.Helper()
	b.CheckCounters(t)
	tr.KYCStatus, tr.UpdatedAt = "approved", day.Add(1)
	b.arrive(t, record.Batch{Traders: []record.Trader{tr}})
	rows := b.Texts(t, `SELECT id || ' ' || kyc_status FROM traders WHERE integration_id IS NOT NULL`)
	if len(rows) != 1 || merged && rows[0] != id.String()+" approved" {
		t.Errorf("after the next sync: %q, want %s", rows, id)
	}
	b.CheckCounters(t)
}

func TestMergeRefused(t *testing.T) {
	t.Parallel()
	s := setupCycle(t)
	b := s.orgDB()
	ids := s.synced(t, record.Trader{ID: "t1", Email: "ada@x.test"}, record.Trader{ID: "t2", Email: "ada@x.test"})
	second := storetest.Integration(t, b.DB, b.Org, "https://second.example")
	storetest.Records(t, s.Conn.Config().ConnString(), second, trader("u1", "ada@x.test", 0))
	elsewhere := storetest.One[uuid.UUID](t, b.Conn, `SELECT id FROM traders WHERE external_id = 'u1'`)
	hand := b.CreateTrader(t, directory.NewTrader{FullName: "Ada"}).ID
	foreign, err := directory.CreateTrader(t.Context(), b.DB, store.SystemChange(storetest.Organization(t, b.DB).ID), directory.NewTrader{FullName: "Ada"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name       string
		into, from uuid.UUID
		want       error
	}{
		{"itself", hand, hand, directory.ErrSameTrader},
		{"two of one platform", ids["t1"], ids["t2"], directory.ErrBothSynced},
		{"two of two platforms with one email", ids["t1"], elsewhere, directory.ErrBothSynced},
		{"another organization's", hand, foreign.ID, store.ErrNotFound},
		{"into another organization's", foreign.ID, hand, store.ErrNotFound},
		{"nobody", hand, uuid.New(), store.ErrNotFound},
	} {
		if _, err := directory.MergeTraders(t.Context(), b.DB, b.By("desk"), c.into, c.from); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		dismissed := directory.DismissDuplicate(t.Context(), b.DB, b.By("desk"), c.into, c.from)
		want := c.want
		if errors.Is(want, directory.ErrBothSynced) {
			want = nil // two traders of platforms may well be two people
		}
		if !errors.Is(dismissed, want) {
			t.Errorf("%s, dismissed: %v", c.name, dismissed)
		}
	}
	if n := storetest.One[int](t, b.Conn, `SELECT count(*) FROM traders`); n != 5 {
		t.Errorf("%d traders, want 5", n)
	}
}

func TestStatusAfterMerge(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, c := range []struct{ stays, goes, want string }{
		{"active", "under_review", "under_review"},
		{"under_review", "active", "under_review"},
		{"under_review", "restricted", "restricted"},
		{"restricted", "archived", "restricted"},
		{"archived", "restricted", "restricted"},
		{"archived", "active", "active"},
		{"active", "archived", "active"},
		{"archived", "archived", "archived"},
	} {
		stays, goes := b.CreateTrader(t, directory.NewTrader{FullName: "A"}).ID, b.CreateTrader(t, directory.NewTrader{FullName: "B"}).ID
		b.patch(t, stays, directory.TraderPatch{Status: &c.stays})
		b.patch(t, goes, directory.TraderPatch{Status: &c.goes})
		if got, err := directory.MergeTraders(t.Context(), b.DB, b.By("desk"), stays, goes); err != nil || got.Status != c.want {
			t.Errorf("%s takes in %s: %s, %v; want %s", c.stays, c.goes, got.Status, err, c.want)
		}
	}
}

// TestCrossingMerges merges two traders into each other at the same moment, again and again: one merge
// wins, and the other does not find its trader.
func TestCrossingMerges(t *testing.T) {
	t.Parallel()
	s := setupCycle(t)
	b := s.orgDB()
	for n := range 20 {
		key := fmt.Sprintf("t%d", n)
		synced := s.synced(t, record.Trader{ID: key})[key]
		hand := b.CreateTrader(t, directory.NewTrader{FullName: "Ada"}).ID
		var wg sync.WaitGroup
		errs := make([]error, 3)
		for i, pair := range [][2]uuid.UUID{{synced, hand}, {hand, synced}} {
			wg.Go(func() {
				_, errs[i] = directory.MergeTraders(context.Background(), b.DB, b.By("desk"), pair[0], pair[1])
			})
		}
		wg.Go(func() { _, errs[2] = directory.AddNote(context.Background(), b.DB, b.By("desk"), hand, "note") })
		wg.Wait()
		if (errs[0] == nil) == (errs[1] == nil) || !errors.Is(errors.Join(errs[:2]...), store.ErrNotFound) {
			t.Errorf("%d: %v", n, errs)
		}
		if errs[2] != nil && !errors.Is(errs[2], store.ErrNotFound) {
			t.Errorf("%d: a note meanwhile: %v", n, errs[2])
		}
	}
	if got := storetest.One[int](t, b.Conn, `SELECT count(*) FROM traders`); got != 20 {
		t.Errorf("%d traders, want 20", got)
	}
	if got := storetest.One[int](t, b.Conn, `SELECT count(*) FROM trader_notes WHERE trader_id NOT IN (SELECT id FROM traders)`); got != 0 {
		t.Errorf("%d notes of nobody", got)
	}
	s.CheckCounters(t)
}

// TestDismissedDuplicates checks that what a person has said is remembered: in the list, by pages that
// would merge the two, and when one of them is merged with a third.
func TestDismissedDuplicates(t *testing.T) {
	t.Parallel()
	s := setupCycle(t)
	b := s.orgDB()
	hand := b.CreateTrader(t, directory.NewTrader{FullName: "Hand", Email: new("ada@x.test"), ExternalID: new("crm-1")}).ID
	synced := s.synced(t, record.Trader{ID: "t1", FirstName: "Synced", Email: "ada@x.test"})["t1"] // not merged: another external id
	third := b.CreateTrader(t, directory.NewTrader{FullName: "Third"}).ID
	for range 2 {
		if err := directory.DismissDuplicate(t.Context(), b.DB, b.By("desk"), synced, hand); err != nil {
			t.Fatal(err)
		}
	}
	want := func(id uuid.UUID, want ...string) {
		t.Helper()
		if got, _ := b.listDuplicates(t, id); !slices.Equal(got, want) {
			t.Errorf("duplicates %q, want %q", got, want)
		}
	}
	want(synced, "Hand: [email] dismissed by desk")
	want(hand, "Synced: [email] dismissed by desk")
	// Without the external id, a change or a page would merge the two.
	b.patch(t, hand, directory.TraderPatch{ExternalID: new(*string)})
	s.arrive(t, trader("t1", "Ada@x.test", 5))
	want(hand, "Synced: [email] dismissed by desk")
	// The third trader is the one made by hand, and so not the synced one either.
	if _, err := directory.MergeTraders(t.Context(), b.DB, b.By("desk"), third, hand); err != nil {
		t.Fatal(err)
	}
	s.arrive(t, trader("t1", "ada@x.test", 6))
	want(third, "Synced: [email] dismissed by desk")
	if got := b.Texts(t, `SELECT action FROM audit_log WHERE action LIKE 'trader.duplicate%' OR action = 'trader.merged' ORDER BY number`); !slices.Equal(got, []string{"trader.duplicate_dismissed", "trader.merged"}) {
		t.Errorf("audit log %v", got)
	}
	for range 2 {
		if err := directory.RestoreDuplicate(t.Context(), b.DB, b.By("desk"), third, synced); err != nil {
			t.Fatal(err)
		}
	}
	want(third, "Synced: [email]")
	if err := directory.DismissDuplicate(t.Context(), b.DB, b.By("desk"), third, synced); err != nil {
		t.Fatal(err)
	}
	if _, err := directory.MergeTraders(t.Context(), b.DB, b.By("desk"), third, synced); err != nil {
		t.Errorf("merged after all: %v", err)
	}
	if n := storetest.One[int](t, b.Conn, `SELECT count(*) FROM distinct_traders`); n != 0 {
		t.Errorf("%d pairs are left", n)
	}
}

func TestDismissalsOfErasedTraders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.CreateTrader(t, directory.NewTrader{FullName: "A"}).ID, b.CreateTrader(t, directory.NewTrader{FullName: "B"}).ID
	if err := directory.DismissDuplicate(t.Context(), b.DB, b.By("desk"), one, two); err != nil {
		t.Fatal(err)
	}
	if err := privacy.EraseTrader(t.Context(), b.DB, b.By("desk"), two); err != nil {
		t.Fatal(err)
	}
	if n := storetest.One[int](t, b.Conn, `SELECT count(*) FROM distinct_traders`); n != 0 {
		t.Errorf("%d pairs are left", n)
	}
}
