package history_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing/history"
)

var day = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

// onDay returns a time so many hours after the day began.
func onDay(hours int) *time.Time { return new(day.Add(time.Duration(hours) * time.Hour)) }

// TestFilterRuns compares what is listed, counted and read as a whole with each filter.
func TestFilterRuns(t *testing.T) {
	t.Parallel()
	b := storetest.NewOrgDB(t)
	i, other := storetest.Integration(t, b.DB, b.Org, "https://a.example"), storetest.Integration(t, b.DB, b.Org, "https://b.example")
	b.Exec(t, `INSERT INTO sync_runs (id, integration_id, cycle_id, resource, trigger, mode, status, pages, started_at)
SELECT overlay(i::text PLACING hour::text FROM 1 FOR 1)::uuid, i, i, resource, 'schedule', 'incremental', status, hour, $3::timestamptz + hour * interval '1 hour'
FROM unnest(ARRAY['trades', 'trades', 'payouts', 'trades'], ARRAY['succeeded', 'failed', 'failed', 'failed'], ARRAY[1, 2, 3, 4]) AS run (resource, status, hour), unnest(ARRAY[$1, $2]::uuid[]) AS i`,
		i.ID, other.ID, day)
	for name, test := range map[string]struct {
		filter history.RunFilter
		want   string // the hours
	}{
		"none":               {history.RunFilter{}, "4 3 2 1"},
		"resource":           {history.RunFilter{Resource: "trades"}, "4 2 1"},
		"status":             {history.RunFilter{Status: "failed"}, "4 3 2"},
		"both":               {history.RunFilter{Resource: "trades", Status: "failed"}, "4 2"},
		"from is inclusive":  {history.RunFilter{StartedFrom: onDay(2)}, "4 3 2"},
		"to is exclusive":    {history.RunFilter{StartedTo: onDay(2)}, "1"},
		"all, in one order":  {history.RunFilter{Resource: "trades", Status: "failed", StartedFrom: onDay(1), StartedTo: onDay(5), Sort: "started_at"}, "2 4"},
		"in a sorted order":  {history.RunFilter{Status: "failed", Sort: "resource"}, "3 4 2"},
		"matched by no runs": {history.RunFilter{Status: "blocked"}, ""},
	} {
		var listed, each []string
		for p := (store.Page{Number: 1, Limit: 2}); ; {
			rows, total, err := history.ListRuns(t.Context(), b.DB, b.Org, i.ID, test.filter, p)
			if err != nil || total != len(strings.Fields(test.want)) {
				t.Fatalf("%s: a total of %d, %v; want %q", name, total, err, test.want)
			}
			if len(rows) == 0 {
				break
			}
			for _, r := range rows {
				listed = append(listed, r.StartedAt.UTC().Format("3"))
			}
			p.After, p.Total = history.RunSorts().PositionIn(test.filter.Sort)(rows[len(rows)-1]), total
		}
		err := history.EachRun(t.Context(), b.DB, b.Org, i.ID, test.filter, func(r history.Run) error {
			each = append(each, r.StartedAt.UTC().Format("3"))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, got := range [][]string{listed, each} {
			if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
}

// TestFilterQuarantine compares what is listed, counted and read as a whole with each filter.
func TestFilterQuarantine(t *testing.T) {
	t.Parallel()
	b := storetest.NewOrgDB(t)
	i, other := storetest.Integration(t, b.DB, b.Org, "https://a.example"), storetest.Integration(t, b.DB, b.Org, "https://b.example")
	b.Exec(t, `INSERT INTO quarantine (integration_id, resource, key, raw, pointer, rule, detail, count, first_seen_at, last_seen_at)
SELECT i, resource, key, '{}', '', rule, '', 1, $3::timestamptz + hour * interval '1 hour', $3::timestamptz + hour * interval '2 hours'
FROM unnest(ARRAY['trades', 'trades', 'payouts'], ARRAY[E'A_1\x1fO\u03087', 'b%7', 'P-1'], ARRAY['invalid_time', 'too_long', 'too_long'], ARRAY[1, 2, 3]) AS record (resource, key, rule, hour), unnest(ARRAY[$1, $2]::uuid[]) AS i`,
		i.ID, other.ID, day)
	const a, c, p = "A_1\x1fO\u03087", "b%7", "P-1"
	for name, test := range map[string]struct {
		filter history.QuarantineFilter
		want   []string
	}{
		"none":                     {history.QuarantineFilter{}, []string{p, c, a}},
		"resource":                 {history.QuarantineFilter{Resource: "trades"}, []string{c, a}},
		"rule":                     {history.QuarantineFilter{Rule: "too_long"}, []string{p, c}},
		"a part of the key":        {history.QuarantineFilter{Search: "7"}, []string{c, a}},
		"the account and the id":   {history.QuarantineFilter{Search: "a_1/ö"}, []string{a}},
		"a percent sign":           {history.QuarantineFilter{Search: "%"}, []string{c}},
		"an underscore":            {history.QuarantineFilter{Search: "_"}, []string{a}},
		"a backslash":              {history.QuarantineFilter{Search: `\`}, nil},
		"first seen from":          {history.QuarantineFilter{FirstSeenFrom: onDay(2)}, []string{p, c}},
		"first seen to":            {history.QuarantineFilter{FirstSeenTo: onDay(2)}, []string{a}},
		"last seen from":           {history.QuarantineFilter{LastSeenFrom: onDay(4)}, []string{p, c}},
		"last seen to":             {history.QuarantineFilter{LastSeenTo: onDay(4)}, []string{a}},
		"several, by record":       {history.QuarantineFilter{FirstSeenFrom: onDay(1), LastSeenTo: onDay(7), Sort: "resource"}, []string{p, a, c}},
		"several, by record, back": {history.QuarantineFilter{FirstSeenFrom: onDay(1), LastSeenTo: onDay(7), Sort: "-resource"}, []string{c, a, p}},
	} {
		rows, total, err := history.ListQuarantine(t.Context(), b.DB, b.Org, i.ID, test.filter, store.Page{Number: 1, Limit: 9})
		if err != nil || total != len(test.want) {
			t.Fatalf("%s: a total of %d, %v; want %d", name, total, err, len(test.want))
		}
		var listed, each []string
		for _, q := range rows {
			listed = append(listed, q.Key)
		}
		err = history.EachQuarantined(t.Context(), b.DB, b.Org, i.ID, test.filter, func(q history.Quarantined) error {
			each = append(each, q.Key)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, got := range [][]string{listed, each} {
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
}

// TestFilteredRunsReads checks that a page of filtered runs is read from an index, and counted in one.
func TestFilteredRunsReads(t *testing.T) {
	t.Parallel()
	b := storetest.NewOrgDB(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	// Of a run of each of five integrations every minute, one in a thousand failed, and one in five hundred read payouts.
	b.Exec(t, `INSERT INTO sync_runs (id, integration_id, cycle_id, resource, trigger, mode, status, started_at)
SELECT gen_random_uuid(), CASE other WHEN 0 THEN $1 ELSE lpad(other::text, 32, '0')::uuid END, gen_random_uuid(), CASE WHEN n % 500 = 3 THEN 'payouts' ELSE 'trades' END, 'schedule', 'incremental',
    CASE WHEN n % 1000 = 7 THEN 'failed' ELSE 'succeeded' END, $2::timestamptz + n * interval '1 minute' FROM generate_series(1, 10000) AS n, generate_series(0, 4) AS other`, i.ID, day)
	b.Vacuum(t, "sync_runs")
	for name, test := range map[string]struct {
		filter      history.RunFilter
		page, count int // most buffers
	}{
		"failed":    {history.RunFilter{Status: "failed"}, 40, 10},
		"payouts":   {history.RunFilter{Resource: "payouts"}, 60, 10},
		"trades":    {history.RunFilter{Resource: "trades"}, 40, 250},
		"succeeded": {history.RunFilter{Status: "succeeded"}, 40, 250},
		"an hour":   {history.RunFilter{StartedFrom: onDay(100), StartedTo: onDay(101)}, 40, 10},
	} {
		page, count, err := history.RunStatements(i.ID, test.filter, store.Page{Number: 1, Limit: 25})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []struct {
			what      string
			statement history.Statement
			most      int
		}{{"a page of " + name, page, test.page}, {"the number of " + name, count, test.count}} {
			cost, err := storetest.ExplainIn(t.Context(), b.DB.Bun, s.statement.Query, s.statement.Args...)
			if err != nil {
				t.Fatal(err)
			}
			cost.CheckReads(t, s.what, s.most, 10_000)
		}
	}
}
