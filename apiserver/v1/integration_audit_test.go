package v1_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/storetest"
)

func TestIntegrationAudit(t *testing.T) {
	t.Parallel()
	b := setup(t)
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
	b.send(t, "POST", path+"/audit", b.key, nil).wantProblem(t, http.StatusConflict, "integration_inactive")
	_, err = conn.Exec(t.Context(), `UPDATE integrations SET is_active = true, health_status = 'blocked'`)
	check(t, err)
	b.send(t, "POST", path+"/audit", b.key, nil).wantProblem(t, http.StatusConflict, "integration_blocked")
}
