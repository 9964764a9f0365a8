package v1_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/storetest"
)

func TestIntegrationAudit(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	id := b.create(t)
	path := "/v1/integrations/" + id.String()
	if r := b.send(t, "GET", path+"/audit", b.key, nil).want(t, http.StatusOK); r.body != `{"open":null,"last":null}` {
		t.Errorf("before any: %s", r.body)
	}
	conn := storetest.Conn(t, b.databaseURL)
	_, err := conn.Exec(t.Context(), `UPDATE sync_state SET claimable_at = now() + interval '5 min', slot_at = now() + interval '5 min', wait_reason = NULL`)
	check(t, err)
	type audit struct {
		ID        uuid.UUID       `json:"id"`
		Trigger   string          `json:"trigger"`
		Status    string          `json:"status"`
		Resources json.RawMessage `json:"resources"`
	}
	var first, again audit
	check(t, json.Unmarshal([]byte(b.send(t, "POST", path+"/audit", b.key, nil).want(t, http.StatusAccepted).body), &first))
	if first.Trigger != "manual" || first.Status != "queued" || string(first.Resources) != "[]" {
		t.Errorf("asked for: %+v", first)
	}
	check(t, json.Unmarshal([]byte(b.send(t, "POST", path+"/audit", b.key, `{}`).want(t, http.StatusAccepted).body), &again))
	if again.ID != first.ID {
		t.Errorf("asked for again: another audit %s beside %s", again.ID, first.ID)
	}
	var due bool
	check(t, conn.QueryRow(t.Context(), `SELECT claimable_at <= now() AND manual FROM sync_state`).Scan(&due))
	if !due {
		t.Error("the integration is not due")
	}
	_, err = conn.Exec(t.Context(), `UPDATE sync_audits SET status = 'succeeded', started_at = now(), finished_at = now(), resources = $1::jsonb`, `[{"resource":"traders",
"status":"succeeded","complete":true,"note":null,"seen":3,"judged":3,"absent":1,"stale":0,"unshown":1,"missing":1,"ratio":0.75,"repaired_ids":["a"],"missing_ids":["b"],
"error":null,"started_at":"2026-01-02T03:04:05Z","finished_at":"2026-01-02T03:04:06Z"}]`)
	check(t, err)
	var found struct {
		Open *audit `json:"open"`
		Last struct {
			Status    string `json:"status"`
			Resources []struct {
				Ratio    float64  `json:"completeness_ratio"`
				Repaired []string `json:"repaired_ids"`
				Missing  []string `json:"missing_ids"`
			} `json:"resources"`
		} `json:"last"`
	}
	check(t, json.Unmarshal([]byte(b.send(t, "GET", path+"/audit", b.key, nil).want(t, http.StatusOK).body), &found))
	if found.Open != nil || found.Last.Status != "succeeded" || len(found.Last.Resources) != 1 || found.Last.Resources[0].Ratio != 0.75 ||
		found.Last.Resources[0].Repaired[0] != "a" || found.Last.Resources[0].Missing[0] != "b" {
		t.Errorf("over: %+v", found)
	}
	b.send(t, "PATCH", path, b.key, `{"is_active": false}`).want(t, http.StatusOK)
	refused := func(reason string) {
		t.Helper()
		if r := b.send(t, "POST", path+"/audit", b.key, nil).want(t, http.StatusOK); r.body != `{"queued":false,"reason":"`+reason+`"}` {
			t.Errorf("an integration that is %s: %s", reason, r.body)
		}
		if r := b.send(t, "GET", path+"/audit", b.key, nil).want(t, http.StatusOK); !strings.Contains(r.body, `"open":null`) {
			t.Errorf("an integration that is %s has an audit: %s", reason, r.body)
		}
	}
	refused("inactive")
	for _, health := range []string{"blocked", "check_failed"} {
		_, err = conn.Exec(t.Context(), `UPDATE integrations SET is_active = true, health_status = $1`, health)
		check(t, err)
		refused(health)
	}
	b.send(t, "POST", "/v1/integrations/"+uuid.NewString()+"/audit", b.key, nil).wantProblem(t, http.StatusNotFound, "not_found")
}

// TestReadingInProgress checks that the schedule and the audit show the progress of reading a
// list, if it is known.
func TestReadingInProgress(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	path := "/v1/integrations/" + b.create(t).String()
	conn := storetest.Conn(t, b.databaseURL)
	const run = `{"id": "01a20706-858b-79e0-8495-60851dbf1044", "stream": "traders", "mode": "backfill", "started_at": "2026-01-11T00:00:00Z", "pages": 4, "seen": 400,
"read_from": "2026-01-11T00:00:00Z", "saved_at": "2026-01-11T00:00:40Z", "first_at": "2026-01-01T00:00:00Z", "last_at": "2026-01-06T00:00:00Z",
"base_at": "2026-01-11T00:00:00Z", "base": 0.1}`
	const told = `"pages":4,"records_seen":400,"records_expected":null,"progress":0.5,"started_at":"2026-01-11T00:00:00Z","estimated_end_at":"2026-01-11T00:01:30Z"}`
	schedule := func() string { return b.send(t, "GET", path+"/schedule", b.key, nil).want(t, http.StatusOK).body }
	_, err := conn.Exec(t.Context(), `UPDATE sync_state SET run = $1::jsonb`, run)
	check(t, err)
	if got := schedule(); !strings.Contains(got, `"stream":"traders","watermark":null,"backfilling":true`) || !strings.Contains(got, `"reading":{`+told) {
		t.Errorf("while it is read: %s", got)
	}
	_, err = conn.Exec(t.Context(), `UPDATE sync_state SET run = $1::jsonb || '{"list_read": 400, "list_total": 1600}'`, run)
	check(t, err)
	if got := schedule(); !strings.Contains(got, `"records_expected":1600,"progress":0.25`) {
		t.Errorf("of a list whose length is told: %s", got)
	}
	_, err = conn.Exec(t.Context(), `UPDATE sync_state SET run = NULL`)
	check(t, err)
	if got := schedule(); strings.Contains(got, `"pages"`) {
		t.Errorf("afterwards: %s", got)
	}
	b.send(t, "POST", path+"/audit", b.key, nil).want(t, http.StatusAccepted)
	_, err = conn.Exec(t.Context(), `UPDATE sync_audits SET status = 'running', started_at = now(), sweep = jsonb_build_object('run', $1::jsonb)`, run)
	check(t, err)
	if got := b.send(t, "GET", path+"/audit", b.key, nil).want(t, http.StatusOK).body; !strings.Contains(got, `"current":{"resource":"traders",`+told) {
		t.Errorf("the audit: %s", got)
	}
}
