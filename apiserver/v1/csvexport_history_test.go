package v1_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/record"
)

func TestExportRunsAndQuarantine(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := b.connectPlatform(t, record.Batch{})
	b.exec(t, `INSERT INTO sync_runs (id, integration_id, cycle_id, resource, trigger, mode, status, pages, requests, records_seen, records_inserted, records_updated,
    records_unchanged, records_quarantined, throttled_ms, repeats, error, started_at)
SELECT gen_random_uuid(), $1, gen_random_uuid(), 'traders', 'schedule', 'incremental', status, 1, 2, 9007199254740993, 10, 5, 14, 1, 0, 0,
    CASE status WHEN 'failed' THEN jsonb '{"code": "http_error", "message": "=1+1"}' END, '2026-01-02' FROM unnest(ARRAY['succeeded', 'failed']) AS status`, i.ID)
	b.exec(t, `INSERT INTO quarantine (integration_id, resource, key, raw, pointer, rule, detail, count, first_seen_at, last_seen_at)
SELECT $1, 'trades', key, '{}', '/side', 'unknown_enum_value', '@SUM(1)', 3, '2026-01-02', '2026-01-03' FROM unnest(ARRAY['-1', E'A-1\x1fb']) AS key`, i.ID)
	path := "/v1/integrations/" + i.ID.String()

	var got []string
	for _, row := range b.send(t, "GET", path+"/runs/export?sort=status", b.key, nil).want(t, http.StatusOK).parseTable(t) {
		got = append(got, strings.Join([]string{row["status"], row["records_seen"], row["records_upserted"], row["started_at"], row["finished_at"], row["error_code"], row["error_message"]}, " "))
	}
	want := []string{"failed 9007199254740993 15 2026-01-02T00:00:00Z  http_error '=1+1", "succeeded 9007199254740993 15 2026-01-02T00:00:00Z   "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}

	got = nil
	for _, row := range b.send(t, "GET", path+"/quarantine/export?sort=-rule", b.key, nil).want(t, http.StatusOK).parseTable(t) {
		got = append(got, strings.Join([]string{row["resource"], row["key"], row["rule"], row["detail"], row["count"], row["last_seen_at"]}, " "))
	}
	want = []string{"trades A-1/b unknown_enum_value '@SUM(1) 3 2026-01-03T00:00:00Z", "trades '-1 unknown_enum_value '@SUM(1) 3 2026-01-03T00:00:00Z"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("quarantine (-want +got):\n%s", diff)
	}

	b.exec(t, `INSERT INTO sync_runs (id, integration_id, cycle_id, resource, trigger, mode, status, pages, requests, records_seen, records_inserted, records_updated,
    records_unchanged, records_quarantined, throttled_ms, repeats, started_at)
SELECT gen_random_uuid(), $1, gen_random_uuid(), resource, 'schedule', 'incremental', 'succeeded', 1, 2, 9, 4, 5, 0, 0, 0, 0, now() - age * interval '1 hour'
FROM unnest(ARRAY['trades', 'trades', 'trades', 'payouts'], ARRAY[1, 23, 25, 1]) AS run (resource, age)`, i.ID)
	if body := b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK).body; !strings.Contains(body, `"new_trades":8}`) {
		t.Errorf("two runs of the last 24 hours added 4 trades each, and the integration is %s", body)
	}

	log := b.send(t, "GET", "/v1/audit?action=organization.list_exported", b.key, nil).want(t, http.StatusOK).body
	for _, list := range []string{"runs", "quarantine"} {
		if entry := `"after":{"filters":[],"integration_id":"` + i.ID.String() + `","list":"` + list + `"}`; !strings.Contains(log, entry) {
			t.Errorf("the audit log lacks %s: %s", entry, log)
		}
	}
	b.send(t, "GET", path+"/runs/export?sort=records_seen", b.key, nil).want(t, http.StatusUnprocessableEntity)
	for _, list := range []string{"/runs", "/quarantine"} {
		b.send(t, "GET", "/v1/integrations/01a21680-97e6-7054-9418-b8df2e463d69"+list+"/export", b.key, nil).want(t, http.StatusNotFound)
	}
}

func TestExportDeliveries(t *testing.T) {
	t.Parallel()
	b := setup(t)
	h := b.newHook(t, "trader.*")
	for _, name := range []string{"Zoe Miller", "Ann Lee"} {
		b.send(t, "POST", "/v1/traders", b.key, map[string]any{"full_name": name}).want(t, http.StatusCreated)
	}
	b.exec(t, `INSERT INTO webhook_attempts (delivery_id, number, trigger, started_at, latency_ms, http_status, error_code, response_body, truncated)
SELECT id, n, 'schedule', timestamptz '2026-01-02' + n * interval '1 second', 84, 500, 'http_error', 'x', false
FROM (SELECT id FROM webhook_deliveries WHERE endpoint_id = $1 ORDER BY sequence LIMIT 1) AS d, generate_series(1, 2) AS n`, h.ID)
	path := "/v1/webhooks/" + h.ID.String() + "/deliveries/export"
	rows := b.send(t, "GET", path+"?event=trader.created&sort=created_at", b.key, nil).want(t, http.StatusOK).parseTable(t)
	var got []string
	for _, row := range rows {
		got = append(got, strings.Join([]string{row["event_type"], row["sequence"], row["status"], row["last_attempt_at"], row["last_http_status"], row["last_error_code"]}, " "))
	}
	want := []string{"trader.created 1 pending 2026-01-02T00:00:02Z 500 http_error", "trader.created 2 pending   "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("deliveries (-want +got):\n%s", diff)
	}
	if rows := b.send(t, "GET", path+"?status=failed", b.key, nil).want(t, http.StatusOK).parseTable(t); len(rows) != 0 {
		t.Errorf("%d deliveries that failed, want none", len(rows))
	}
	b.send(t, "GET", "/v1/webhooks/01a21680-97e6-7054-9418-b8df2e463d69/deliveries/export", b.key, nil).want(t, http.StatusNotFound)
}

func TestExportAudit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.send(t, "POST", "/v1/api-keys", b.key, map[string]any{"name": "=1+1", "scopes": []string{"traders:read"}}).want(t, http.StatusCreated)
	rows := b.send(t, "GET", "/v1/audit/export?action=api_key.created&sort=-number", b.key, nil).want(t, http.StatusOK).parseTable(t)
	if len(rows) == 0 {
		t.Fatal("no entries")
	}
	if row := rows[0]; row["action"] != "api_key.created" || !strings.Contains(row["after"], `"'=1+1"`) || len(row["hash"]) != 64 {
		t.Errorf("entry %v", row)
	}
	all := b.send(t, "GET", "/v1/audit/export?sort=number", b.key, nil).want(t, http.StatusOK).parseTable(t)
	if all[0]["number"] != "1" {
		t.Errorf("the first entry is number %s", all[0]["number"])
	}
}
