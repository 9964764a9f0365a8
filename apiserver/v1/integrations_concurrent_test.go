package v1_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/storetest"
)

const (
	wrongKey = `{"api_key": "another-key-cd34"}`
	goodKey  = `{"api_key": "` + storetest.PlatformKey + `"}`
)

// during sends the request and calls meanwhile once its live check has begun. The check continues
// when meanwhile has returned.
func (b *testAPI) during(t *testing.T, method, path string, body any, meanwhile func()) reply {
	t.Helper()
	reached, release := b.platform.hang()
	replies := make(chan reply, 1)
	go func() { replies <- b.send(t, method, path, b.key, body) }()
	<-reached
	b.platform.setGate(nil) // a request that has already arrived still waits
	meanwhile()
	release()
	return <-replies
}

// TestTestCrossedByPatch checks that if a PATCH replaces the settings during the live check of
// POST /{id}/test, the report is returned and the integration stays as the PATCH left it.
func TestTestCrossedByPatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		first string // PATCH before the test; empty if there is none
		patch string // during the test
		ok    bool   // expected report of the test
		want  string // health
	}{
		{"the old key passes after a new one failed", "", wrongKey, true, "check_failed"},
		{"the old key is refused after a new one passed", wrongKey, goodKey, false, "pending"},
		{"a test of what is switched off meanwhile", wrongKey, `{"is_active": false}`, false, "check_failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			id := b.create(t)
			path := "/v1/integrations/" + id.String()
			if tt.first != "" {
				b.send(t, "PATCH", path, b.key, tt.first).want(t, http.StatusOK)
			}
			var before string
			r := b.during(t, "POST", path+"/test", nil, func() {
				b.send(t, "PATCH", path, b.key, tt.patch).want(t, http.StatusOK)
				before = b.send(t, "GET", path, b.key, nil).body
			})
			if report := decodeInto[reportState](t, r.want(t, http.StatusOK)); report.OK != tt.ok {
				t.Errorf("report %s, want ok %v", r.body, tt.ok)
			}
			after := b.send(t, "GET", path, b.key, nil)
			if after.body != before {
				t.Errorf("the test changed what the PATCH had left:\n%s\n%s", before, after.body)
			}
			if s := decodeInto[integrationState](t, after); s.Health != tt.want {
				t.Errorf("health %s, want %s", s.Health, tt.want)
			}
		})
	}
}

// TestPatchCrossedByPatch checks that a PATCH saves nothing and can be sent again if another one
// has replaced the settings that its live check used.
func TestPatchCrossedByPatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		body  string
		other string // sent during the live check of body
		want  int
	}{
		{"two keys", wrongKey, goodKey, http.StatusConflict},
		{"key and switch", goodKey, `{"is_active": false}`, http.StatusConflict},
		{"key and name", goodKey, `{"name": "Other"}`, http.StatusOK},
		{"key and interval", goodKey, `{"sync_interval_seconds": 60}`, http.StatusOK},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			path := "/v1/integrations/" + b.create(t).String()
			var before string
			r := b.during(t, "PATCH", path, tt.body, func() {
				b.send(t, "PATCH", path, b.key, tt.other).want(t, http.StatusOK)
				before = b.send(t, "GET", path, b.key, nil).body
			})
			if tt.want == http.StatusOK {
				r.want(t, http.StatusOK)
				return
			}
			r.wantProblem(t, http.StatusConflict, "conflict")
			if !strings.Contains(r.body, "while the live check of this request ran") {
				t.Errorf("the detail does not say what happened: %s", r.body)
			}
			if after := b.send(t, "GET", path, b.key, nil).body; after != before {
				t.Errorf("the refused PATCH changed something:\n%s\n%s", before, after)
			}
			b.send(t, "PATCH", path, b.key, tt.body).want(t, http.StatusOK)
		})
	}
}

// TestDeathBetweenSettingsAndCheck makes the database refuse to store the result of the live
// check, as if the process had died before. The settings must not be saved either.
func TestDeathBetweenSettingsAndCheck(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	path := "/v1/integrations/" + b.create(t).String()
	before := b.send(t, "GET", path, b.key, nil).body
	conn := storetest.Conn(t, b.databaseURL)
	for _, statement := range []string{
		`CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''died''; END'`,
		`CREATE TRIGGER die BEFORE INSERT ON integration_transitions FOR EACH ROW WHEN (NEW.reason ~ 'live check (on|did)|live check passed') EXECUTE FUNCTION die()`,
	} {
		_, err := conn.Exec(t.Context(), statement)
		check(t, err)
	}
	b.send(t, "PATCH", path, b.key, wrongKey).wantProblem(t, http.StatusInternalServerError, "internal_error")
	other := b.newIntegration()
	other["api_key"] = "another-key-cd34"
	for _, body := range []map[string]any{b.secondIntegration(), other} {
		b.send(t, "POST", "/v1/integrations", b.key, body).wantProblem(t, http.StatusInternalServerError, "internal_error")
	}
	if list := b.send(t, "GET", "/v1/integrations", b.key, nil).body; list != fmt.Sprintf(`{"data":[%s],"meta":{"page":1,"limit":10000,"total":1,"next_cursor":null}}`, before) {
		t.Errorf("the integrations are %s, want %s alone", list, before)
	}
}

// TestSwitchingOffEndsRuns checks that no run stays unfinished in the history of an integration
// that is switched off.
func TestSwitchingOffEndsRuns(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.create(t)
	path := "/v1/integrations/" + id.String()
	conn := storetest.Conn(t, b.databaseURL)
	run := uuid.New()
	for _, statement := range []string{
		`INSERT INTO sync_runs (id, integration_id, cycle_id, resource, trigger, mode, status, started_at) VALUES ($2, $1, $2, 'trades', 'backfill', 'backfill', 'running', now())`,
		`UPDATE sync_state SET owner = 'syncd-1', claimable_at = now() + interval '15 s', cycle_id = $2, cycle_trigger = 'schedule', cycle_started_at = now(),
			run = jsonb_build_object('id', $2::uuid, 'stream', 'trades', 'listed', true, 'cursor', 'x') WHERE integration_id = $1`,
	} {
		_, err := conn.Exec(t.Context(), statement, id, run)
		check(t, err)
	}
	b.send(t, "PATCH", path, b.key, `{"is_active": false}`).want(t, http.StatusOK)
	runs := decodeInto[struct {
		Data []struct {
			Status   string
			Finished *string `json:"finished_at"`
		}
	}](t, b.send(t, "GET", path+"/runs", b.key, nil).want(t, http.StatusOK))
	if len(runs.Data) != 1 || runs.Data[0].Status != "interrupted" || runs.Data[0].Finished == nil {
		t.Errorf("runs %+v, want one that was interrupted", runs.Data)
	}
}
