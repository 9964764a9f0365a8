package v1_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/record"
)

// TestHistoryFilters lists and exports the runs and the quarantine of an integration with each filter.
func TestHistoryFilters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := b.connectPlatform(t, record.Batch{})
	b.exec(t, `INSERT INTO sync_runs (id, integration_id, cycle_id, resource, trigger, mode, status, started_at)
SELECT gen_random_uuid(), $1, gen_random_uuid(), resource, 'schedule', 'incremental', status, timestamptz '2026-01-02' + hour * interval '1 hour'
FROM unnest(ARRAY['trades', 'trades', 'payouts'], ARRAY['succeeded', 'failed', 'failed'], ARRAY[1, 2, 3]) AS run (resource, status, hour)`, i.ID)
	b.exec(t, `INSERT INTO quarantine (integration_id, resource, key, raw, pointer, rule, detail, count, first_seen_at, last_seen_at)
SELECT $1, resource, key, '{}', '', rule, '', 1, timestamptz '2026-01-02' + hour * interval '1 hour', timestamptz '2026-01-03' + hour * interval '1 hour'
FROM unnest(ARRAY['trades', 'trades', 'payouts'], ARRAY[E'A-1\x1f7', 'B-7', 'P'], ARRAY['invalid_time', 'too_long', 'too_long'], ARRAY[1, 2, 3]) AS record (resource, key, rule, hour)`, i.ID)
	path := "/v1/integrations/" + i.ID.String()
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"/runs?resource=trades", []string{"2026-01-02T02:00:00Z", "2026-01-02T01:00:00Z"}},
		{"/runs?status=failed", []string{"2026-01-02T03:00:00Z", "2026-01-02T02:00:00Z"}},
		{"/runs?resource=trades&status=failed&sort=started_at", []string{"2026-01-02T02:00:00Z"}},
		{"/runs?started_from=2026-01-02T02:00:00Z&started_to=2026-01-02T03:00:00Z", []string{"2026-01-02T02:00:00Z"}},
		{"/runs?status=blocked", nil},
		{"/quarantine?resource=trades", []string{"B-7", "A-1/7"}},
		{"/quarantine?rule=too_long&sort=resource", []string{"P", "B-7"}},
		{"/quarantine?search=+a-1/7+", []string{"A-1/7"}},
		{"/quarantine?first_seen_from=2026-01-02T03:00:00%2B01:00&search=7", []string{"B-7"}},
		{"/quarantine?first_seen_to=2026-01-02T02:00:00Z", []string{"A-1/7"}},
		{"/quarantine?last_seen_from=2026-01-03T02:00:00Z&sort=last_seen_at", []string{"B-7", "P"}},
		{"/quarantine?last_seen_to=2026-01-03T03:00:00Z&resource=trades&rule=other", nil},
	} {
		query, want := c.query, c.want
		list, filter, _ := strings.Cut(query, "?")
		page, _ := b.readPage(t, path+query, "limit=100")
		if page.Meta.Total != len(want) || len(page.Data) != len(want) {
			t.Errorf("%s: %d items of %d, want %d", query, len(page.Data), page.Meta.Total, len(want))
		}
		column := map[string]string{"/runs": "started_at", "/quarantine": "key"}[list]
		var exported []string
		for n, row := range b.send(t, "GET", path+list+"/export?"+filter, b.key, nil).want(t, http.StatusOK).parseTable(t) {
			exported = append(exported, row[column])
			if n < len(page.Data) && !strings.Contains(string(page.Data[n]), `"`+row[column]+`"`) {
				t.Errorf("%s: item %d is %s, and row %v in the export", query, n, page.Data[n], row)
			}
		}
		if diff := cmp.Diff(want, exported); diff != "" {
			t.Errorf("%s exports (-want +got):\n%s", query, diff)
		}
	}
	log := b.send(t, "GET", "/v1/audit?action=organization.list_exported", b.key, nil).want(t, http.StatusOK).body
	if entry := `"after":{"filters":["resource","status"],"integration_id":"` + i.ID.String() + `","list":"runs"}`; !strings.Contains(log, entry) {
		t.Errorf("the audit log lacks %s: %s", entry, log)
	}
}

// TestHistoryFilterFaults sends values that no run or quarantined record can have.
func TestHistoryFilterFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/v1/integrations/" + b.connectPlatform(t, record.Batch{}).ID.String()
	for query, want := range map[string][]string{
		"/runs?resource=users":   {"resource invalid_format"},
		"/runs?status=ended":     {"status invalid_format"},
		"/runs?started_from=now": {"started_from invalid_format"},
		"/runs?started_from=2026-01-03T00:00:00Z&started_to=2026-01-02T00:00:00Z": {"started_to out_of_range"},
		"/runs?rule=too_long":                            {"rule unknown_field"},
		"/quarantine?resource=trade&sort=key":            {"resource invalid_format", "sort invalid_format"},
		"/quarantine?rule=" + strings.Repeat("x", 101):   {"rule too_long"},
		"/quarantine?search=%07":                         {"search invalid_format"},
		"/quarantine?search=" + strings.Repeat("x", 201): {"search too_long"},
		"/quarantine?first_seen_from=2026-01-03T00:00:00Z&first_seen_to=2026-01-02T00:00:00Z": {"first_seen_to out_of_range"},
		"/quarantine?last_seen_from=2026-01-03T00:00:00Z&last_seen_to=2026-01-02T00:00:00Z":   {"last_seen_to out_of_range"},
		"/quarantine?status=failed": {"status unknown_field"},
	} {
		list, filter, _ := strings.Cut(query, "?")
		for _, list := range []string{list, list + "/export"} {
			got := b.send(t, "GET", path+list+"?"+filter, b.key, nil).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed").faults()
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s?%s (-want +got):\n%s", list, filter, diff)
			}
		}
	}
}
