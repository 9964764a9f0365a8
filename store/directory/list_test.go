package directory_test

import (
	"bytes"
	cmp2 "cmp"
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/sample"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing/integrations"
)

func TestTraders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	storetest.Traders(t, b.URL, i, record.Trader{ID: "1"}, record.Trader{ID: "2"}, record.Trader{
		ID: "3", UpdatedAt: opened, Email: "Ann@Example.com", FirstName: "Ann", LastName: "Øre", Country: "NO", Phone: "+47 1",
		RegisteredAt: opened.Add(-time.Hour), KYCStatus: "verified", Tags: []string{"vip", `a "b", {c}`}, Metadata: `{"big": 18446744073709551617}`, Unrecognized: `{"kyc_status": "x"}`,
	})
	other := storetest.Organization(t, b.DB).ID
	storetest.Records(t, b.URL, storetest.Integration(t, b.DB, other, "https://a.example"), record.Batch{Traders: []record.Trader{{ID: "foreign"}}})

	list, total, err := directory.ListTraders(t.Context(), b.DB, b.Org, directory.TraderFilter{}, store.Page{Number: 1, Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	if total != 3 || len(list) != 2 {
		t.Fatalf("%d of %d traders, want 2 of 3", len(list), total)
	}
	want := directory.Trader{
		ID: list[0].ID, Source: "custom_api", IntegrationID: &i.ID, ExternalID: new("3"), FirstName: new("Ann"), LastName: new("Øre"),
		FullName: new("Ann Øre"), Email: new("Ann@Example.com"), Country: new("NO"), Phone: new("+47 1"), KYCStatus: new("verified"), Status: "active",
		Tags: []string{"vip", `a "b", {c}`}, RegisteredAt: new(opened.Add(-time.Hour)), Metadata: json.RawMessage(`{"big": 18446744073709551617}`), Unrecognized: json.RawMessage(`{"kyc_status": "x"}`),
		PlatformUpdatedAt: &opened, Overrides: []string{}, CreatedAt: list[0].CreatedAt, UpdatedAt: list[0].UpdatedAt,
	}
	if diff := cmp.Diff(want, list[0]); diff != "" {
		t.Errorf("trader (-want +got):\n%s", diff)
	}
	bare := directory.Trader{
		ID: list[1].ID, Source: "custom_api", IntegrationID: &i.ID, ExternalID: new("2"), Status: "active", Tags: []string{}, Overrides: []string{},
		CreatedAt: list[1].CreatedAt, UpdatedAt: list[1].UpdatedAt,
	}
	if diff := cmp.Diff(bare, list[1]); diff != "" {
		t.Errorf("trader of whom only the id is known (-want +got):\n%s", diff)
	}

	for _, p := range []struct {
		page store.Page
		want []string
	}{
		{store.Page{Number: 2, Limit: 2}, []string{"1"}},
		{store.Page{Number: 3, Limit: 2}, []string{}},
		{store.Page{Number: 1 << 62, Limit: 100}, []string{}},
		{store.Page{Number: 0, Limit: 1}, []string{"3"}},
	} {
		if ids, total := b.names(t, directory.TraderFilter{}, p.page); total != 3 || !cmp.Equal(p.want, ids) {
			t.Errorf("page %+v: %v of %d, want %v of 3", p.page, ids, total, p.want)
		}
	}
}

func TestTradersCount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	storetest.Traders(t, b.URL, i, record.Trader{ID: "1"}, record.Trader{ID: "2"}, record.Trader{ID: "3"})
	b.Exec(t, `INSERT INTO traders (id, organization_id, source, external_id, full_name, created_at) VALUES ($1, $2, 'manual', 'm', 'By Hand', now() + interval '1 day')`, uuid.New(), b.Org)
	b.Exec(t, `UPDATE traders SET status = 'archived' WHERE external_id = '2'`)

	all := store.Page{Number: 1, Limit: 10}
	ids, total := b.names(t, directory.TraderFilter{}, all)
	if diff := cmp.Diff([]string{"m", "3", "1"}, ids); diff != "" || total != 3 {
		t.Errorf("total %d; without the archived (-want +got):\n%s", total, diff)
	}
	if err := integrations.Delete(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, nil); err != nil {
		t.Fatal(err)
	}
	if ids, total := b.names(t, directory.TraderFilter{}, all); total != 3 || len(ids) != 3 {
		t.Errorf("after deleting the integration: %v of %d, want all", ids, total)
	}
	traders, _, err := directory.ListTraders(t.Context(), b.DB, b.Org, directory.TraderFilter{}, all)
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range traders {
		if tr.IntegrationID != nil {
			t.Errorf("trader %s names the deleted integration", *tr.ExternalID)
		}
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	storetest.Traders(t, b.URL, i,
		record.Trader{ID: "T_1", FirstName: "Anna", LastName: "Maria Øre", Email: "anna@firm.example"},
		record.Trader{ID: "T-1", FirstName: "Bob", LastName: "100% O'Neill", Email: "BOB@FIRM.EXAMPLE"},
		record.Trader{ID: `back\slash`},
	)
	other := storetest.Organization(t, b.DB).ID
	storetest.Records(t, b.URL, storetest.Integration(t, b.DB, other, "https://a.example"), record.Batch{Traders: []record.Trader{{ID: "x", FirstName: "Anna"}}})
	for _, c := range []struct {
		search string
		want   []string
	}{
		{"anna", []string{"T_1"}},
		{"NA MARIA", []string{"T_1"}},
		{"øRE", []string{"T_1"}},
		{"firm.example", []string{"T-1", "T_1"}},
		{"bob@f", []string{"T-1"}},
		{"t_1", []string{"T_1"}},
		{"%", []string{"T-1"}},
		{"100%", []string{"T-1"}},
		{"_", []string{"T_1"}},
		{`\`, []string{`back\slash`}},
		{`k\S`, []string{`back\slash`}},
		{"o'neill", []string{"T-1"}},
		{"?", []string{}},
		{"?0", []string{}},
		{"anna\x00", []string{}},
		{"\xff", []string{}},
		{strings.Repeat("x", 10_000), []string{}},
	} {
		if ids, total := b.names(t, directory.TraderFilter{Search: c.search}, store.Page{Number: 1, Limit: 10}); !cmp.Equal(c.want, ids) || total != len(c.want) {
			t.Errorf("search for %.20q: %v of %d, want %v", c.search, ids, total, c.want)
		}
	}
}

// TestUncountedTraders reads pages without counting: they have the same traders, and a total that
// says whether more follow.
func TestUncountedTraders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	b.seedDirectory(t, i, 5000)
	for _, tt := range []struct {
		name   string
		search string
		number int
		total  int
	}{
		{"first page of many", "t", 1, 26},
		{"later page of many", "t", 3, 76},
		{"last page of many", "t", 200, 5000},
		{"past the end of many", "t", 201, 5000},
		{"few", "trader.4999@", 1, 1},
		{"none", "nobody", 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, p := directory.TraderFilter{Search: tt.search}, store.Page{Number: tt.number, Limit: 25}
			want, exact := b.names(t, f, p)
			p.Uncounted = true
			got, total := b.names(t, f, p)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("other traders than counted (-counted +uncounted):\n%s", diff)
			}
			if total != tt.total || total > exact {
				t.Errorf("total is %d of %d, want %d", total, exact, tt.total)
			}
		})
	}
}

// seedDirectory creates n synced traders, the newest first.
func (b orgDB) seedDirectory(t *testing.T, i integrations.Integration, n int) {
	t.Helper()
	// Vacuum considers a row visible to all only after its commit has been written to disk.
	b.Exec(t, `SET synchronous_commit = on`)
	for _, statement := range []string{
		`INSERT INTO traders (id, organization_id, integration_id, source, external_id, full_name, email, country, kyc_status, tags, created_at)
SELECT gen_random_uuid(), $1, $2, 'custom_api', 'ext-' || n, CASE WHEN n BETWEEN 2001 AND 28000 THEN 'Middle ' ELSE 'Trader ' END || chr(65 + n % 26), 'trader.' || n || '@example.com',
    (ARRAY['DE', 'NO'])[1 + n % 2], (ARRAY['verified', 'pending', 'failed'])[1 + n % 3],
    CASE WHEN n % 4 = 0 THEN ARRAY['common'] WHEN n % 5000 = 1 THEN ARRAY['rare'] ELSE '{}' END, now() - n * interval '1 second'
FROM generate_series(1, $3::int) AS n`,
		`UPDATE sync_state SET traders = traders + $3 WHERE integration_id = $2 AND organization_id = $1`,
	} {
		b.Exec(t, statement, b.Org, i.ID, n)
	}
	b.Vacuum(t, "traders")
}

// moveArrivals moves the new traders into the index over all filters.
func (b orgDB) moveArrivals(t *testing.T) {
	t.Helper()
	if _, err := directory.MoveArrivals(t.Context(), b.DB); err != nil {
		t.Fatal(err)
	}
}

// TestDirectoryReads checks that lists of a large directory read its indexes, and few rows if few
// match.
func TestDirectoryReads(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a directory of 30,000 traders")
	}
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	const all = 30_000
	b.seedDirectory(t, i, all)
	// A statement that reads the whole table also reads what others have in it.
	b.Exec(t, `INSERT INTO traders (id, organization_id, source, metadata) SELECT gen_random_uuid(), gen_random_uuid(), 'manual', jsonb_build_object('note', repeat('x', 1700)) FROM generate_series(1, 10000)`)
	b.Vacuum(t, "traders")
	b.moveArrivals(t)
	b.Vacuum(t, "directory_filters")
	for _, c := range []struct {
		name  string
		f     directory.TraderFilter
		total int
		last  string // external id of the oldest hit; not checked if empty
	}{
		{"a rare text", directory.TraderFilter{Search: "ext-2999"}, 11, "ext-29999"},
		{"a common text", directory.TraderFilter{Search: "EXAMPLE"}, all, "ext-30000"},
		{"a text that only the middle has", directory.TraderFilter{Search: "middle"}, 26_000, "ext-28000"},
		{"one character", directory.TraderFilter{Search: "-"}, all, "ext-30000"},
		{"a rare text without a trigram", directory.TraderFilter{Search: "7\\9"}, 0, ""},
		{"a rare text of separators", directory.TraderFilter{Search: "r.7@"}, 1, ""},
		{"country", directory.TraderFilter{Country: "no"}, all / 2, "ext-29999"},
		{"country and kyc", directory.TraderFilter{Country: "De", KYCStatus: "failed"}, all / 6, ""},
		{"a common tag", directory.TraderFilter{Tag: "common"}, all / 4, "ext-30000"},
		{"a rare tag", directory.TraderFilter{Tag: "rare"}, 6, "ext-25001"},
		{"a rare tag and a text", directory.TraderFilter{Tag: "rare", Search: "ext-2"}, 2, ""},
		{"source", directory.TraderFilter{Source: "custom_api"}, all, "ext-30000"},
		{"another source", directory.TraderFilter{Source: "partner_platform"}, 0, ""},
		{"status", directory.TraderFilter{Statuses: []string{"restricted", "under_review"}}, 0, ""},
		{"archived", directory.TraderFilter{Statuses: []string{"archived"}}, 0, ""},
		{"all statuses", directory.TraderFilter{Statuses: directory.TraderStatuses(), Country: "NO"}, all / 2, "ext-29999"},
	} {
		t.Run(c.name, func(t *testing.T) {
			last := store.Page{Number: max(1, (c.total+24)/25), Limit: 25}
			ids, total := b.names(t, c.f, last)
			if total != c.total {
				t.Errorf("%d traders match, want %d", total, c.total)
			}
			if c.last != "" && (len(ids) == 0 || ids[len(ids)-1] != c.last) {
				t.Errorf("last page %v, want it to end with %s", ids, c.last)
			}
			err := directory.ExplainListing(t.Context(), b.DB, b.Org, c.f, c.total, store.Page{Number: 1, Limit: 25}, func(ctx context.Context, tx bun.IDB, name string, s directory.Statement) error {
				cost, err := storetest.ExplainIn(ctx, tx, s.Query, s.Args...)
				blocks, rows := mostRead(name, c.f, c.total, all)
				cost.CheckReads(t, name, blocks, rows)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// mostRead returns how many blocks and rows a statement of a list of up to 25 may read, if total of
// all traders match the filter. An index of the directory has some 20 blocks for a thousand traders.
// It lacks tags, for which the rows themselves are read.
func mostRead(statement string, f directory.TraderFilter, total, all int) (blocks, rows int) {
	blocks, rows = 25*all/1000, all
	switch {
	case statement == "sample":
		blocks, rows = 5*25, 4000
	case statement == "walk" && total*10 > all && len(f.Statuses) == 0: // 25 are soon met, also behind 2,000 who do not match
		return 100, 2500
	case statement == "gather along the directory":
		blocks = 2 * blocks // the hits are also sorted
	case statement == "gather" && total < 100:
		return 300, 2 * total
	case statement == "gather":
		return 3 * blocks, total
	}
	if f.Tag != "" {
		blocks = 15 * blocks
	}
	return blocks, rows
}

// TestFiltersAtRandom compares pages of lists with a naive filter over every trader.
func TestFiltersAtRandom(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	b.seedDirectory(t, i, 5000)
	b.Exec(t, `UPDATE traders SET status = 'archived' WHERE external_id LIKE '%3'`)
	b.Exec(t, `CREATE TEMP TABLE later AS WITH gone AS (DELETE FROM directory_arrivals WHERE id % 2 = 0 RETURNING *) SELECT * FROM gone`)
	b.moveArrivals(t)
	b.Exec(t, `INSERT INTO directory_arrivals OVERRIDING SYSTEM VALUE SELECT * FROM later`) // so that half of the traders are in the index
	b.Exec(t, `UPDATE traders SET override_full_name = 'Zoë O''Neill', override_country = 'se', override_tags = '{own}' WHERE external_id LIKE '%77'`)
	var all []directory.Trader
	for n := 1; ; n++ {
		page, _, err := directory.ListTraders(t.Context(), b.DB, b.Org, directory.TraderFilter{Statuses: directory.TraderStatuses()}, store.Page{Number: n, Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		all = append(all, page...)
	}
	if len(all) != 5000 {
		t.Fatalf("%d traders", len(all))
	}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for range sample.Cases(make([]struct{}, 150), 40) {
		f := directory.TraderFilter{
			Search:      pick(r, "", "", "r a", "7", "-1", "R.12", "trader.4", "zoë o'", "middle", "nobody", "e", "\\", "%", "_", "ext-77", "@exam"),
			Source:      pick(r, "", "", "", "custom_api", "manual"),
			Country:     pick(r, "", "", "de", "NO", "SE", "XX"),
			KYCStatus:   pick(r, "", "", "verified", "Verified"),
			Tag:         pick(r, "", "", "", "common", "own", "rare"),
			Statuses:    pick(r, nil, nil, []string{"active"}, []string{"archived"}, []string{"archived", "active"}, []string{"restricted"}),
			CreatedFrom: pick(r, nil, nil, nil, &all[r.IntN(len(all))].CreatedAt),
			Sort:        pick(r, append(directory.TraderSorts(), "")...),
		}
		var want []uuid.UUID
		for _, tr := range sortTraders(all, f.Sort) {
			if matchesFilter(f, tr) {
				want = append(want, tr.ID)
			}
		}
		p := store.Page{Limit: 1 + r.IntN(60)}
		p.Number = 1 + r.IntN(2+len(want)/p.Limit)
		list, total, err := directory.ListTraders(t.Context(), b.DB, b.Org, f, p)
		if err != nil {
			t.Fatalf("seed %d: %+v: %v", seed, f, err)
		}
		from := min((p.Number-1)*p.Limit, len(want))
		window := want[from:min(from+p.Limit, len(want))]
		got := []uuid.UUID(nil)
		for _, tr := range list {
			got = append(got, tr.ID)
		}
		if total != len(want) || !slices.Equal(window, got) {
			t.Errorf("seed %d: %+v, page %+v: %d of %d, want %d of %d:\n%s", seed, f, p, len(got), total, len(window), len(want), cmp.Diff(window, got))
		}
		if len(window) > 0 {
			checkPageAfter(t, b, f, store.Page{Number: p.Number, Limit: 1 + r.IntN(60), Total: total}, list[r.IntN(len(list))], want)
		}
		every := []uuid.UUID(nil)
		err = directory.EachTrader(t.Context(), b.DB, b.Org, f, func(tr directory.Trader) error {
			every = append(every, tr.ID)
			return nil
		})
		if err != nil || !slices.Equal(want, every) {
			t.Errorf("seed %d: %+v: each of %d, want %d, %v", seed, f, len(every), len(want), err)
		}
	}
}

// checkPageAfter checks the page that begins after a trader, out of all that match the filter.
func checkPageAfter(t *testing.T, b orgDB, f directory.TraderFilter, p store.Page, before directory.Trader, all []uuid.UUID) {
	t.Helper()
	p.After = f.Sort.PositionOf(before)
	rest := all[slices.Index(all, before.ID)+1:]
	list, total, err := directory.ListTraders(t.Context(), b.DB, b.Org, f, p)
	var got []uuid.UUID
	for _, tr := range list {
		got = append(got, tr.ID)
	}
	if want := rest[:min(p.Limit, len(rest))]; err != nil || total != len(all) || !slices.Equal(want, got) {
		t.Errorf("%+v, page %+v: %d of %d, want %d of %d, %v", f, p, len(got), total, len(want), len(all), err)
	}
}

// sortTraders returns traders, which are the newest first, in the order.
func sortTraders(newest []directory.Trader, s directory.TraderSort) []directory.Trader {
	list := slices.Clone(newest)
	switch s {
	case "created_at":
		slices.Reverse(list)
	case "name", "-name":
		slices.SortFunc(list, func(a, b directory.Trader) int {
			return cmp2.Or(strings.Compare(strings.ToLower(*a.FullName), strings.ToLower(*b.FullName)), bytes.Compare(a.ID[:], b.ID[:]))
		})
		if s == "-name" {
			slices.Reverse(list)
		}
	}
	return list
}

// matchesFilter reports whether a trader matches the filter.
func matchesFilter(f directory.TraderFilter, tr directory.Trader) bool {
	text := strings.ToLower(*tr.FullName + "\n" + *tr.Email + "\n" + *tr.ExternalID)
	if f.CreatedFrom != nil && tr.CreatedAt.Before(*f.CreatedFrom) {
		return false
	}
	statuses := f.Statuses
	if statuses == nil {
		statuses = []string{"active", "under_review", "restricted"}
	}
	return strings.Contains(text, strings.ToLower(f.Search)) && (f.Source == "" || f.Source == tr.Source) &&
		(f.Country == "" || strings.EqualFold(f.Country, *tr.Country)) && (f.KYCStatus == "" || f.KYCStatus == *tr.KYCStatus) &&
		(f.Tag == "" || slices.Contains(tr.Tags, f.Tag)) && slices.Contains(statuses, tr.Status)
}
