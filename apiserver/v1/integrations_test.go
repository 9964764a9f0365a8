package v1_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// integrationState is the part of an Integration that the tests check.
type integrationState struct {
	ID        uuid.UUID
	Name      string
	Base_URL  string                           //nolint:revive // the wire name
	API_Key   string                           //nolint:revive // the wire name
	Interval  int                              `json:"sync_interval_seconds"`
	Active    bool                             `json:"is_active"`
	Health    string                           `json:"health_status"`
	Next      *time.Time                       `json:"next_sync_at"`
	LastError *struct{ Code, Endpoint string } `json:"last_error"`
}

// reportState is the part of a ConnectionReport that the tests check.
type reportState struct {
	OK    bool
	Steps []struct{ Name, Status, Code string }
}

// fail makes the platform answer every request for the path with the status.
func (p *platform) fail(path string, status int) {
	p.setGate(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasPrefix(r.URL.Path, path) {
			return false
		}
		w.WriteHeader(status)
		return true
	})
}

func (b *testAPI) state(t *testing.T, id uuid.UUID) integrationState {
	t.Helper()
	return decodeInto[integrationState](t, b.send(t, "GET", "/v1/integrations/"+id.String(), b.key, nil).want(t, http.StatusOK))
}

// noIntegrations is the list of integrations when there are none.
const noIntegrations = `{"data":[],"meta":{"page":1,"limit":10000,"total":0,"next_cursor":null}}`

func TestIntegrationFromCreationToRemoval(t *testing.T) {
	t.Parallel()
	b := setup(t)
	created := b.send(t, "POST", "/v1/integrations", b.key, b.newIntegration()).want(t, http.StatusCreated)
	b.golden(t, "integration_created", created)
	id := decodeInto[integrationState](t, created).ID
	path := "/v1/integrations/" + id.String()
	if got := created.header.Get("Location"); got != "https://assay.example"+path {
		t.Errorf("Location %q", got)
	}
	if strings.Contains(created.body, storetest.PlatformKey) {
		t.Error("the platform's key is answered")
	}
	b.golden(t, "integration", b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK))
	b.golden(t, "integrations", b.send(t, "GET", "/v1/integrations", b.key, nil).want(t, http.StatusOK))
	b.golden(t, "integrations_of_nobody", b.send(t, "GET", "/v1/integrations", b.other, nil).want(t, http.StatusOK))
	b.golden(t, "report", b.send(t, "POST", path+"/test", b.key, nil).want(t, http.StatusOK))
	b.golden(t, "integration_patched", b.send(t, "PATCH", path, b.key, `{"name": "Ours", "sync_interval_seconds": 3600}`).want(t, http.StatusOK))
	b.golden(t, "schedule", b.send(t, "GET", path+"/schedule", b.key, nil).want(t, http.StatusOK))
	for _, list := range []string{"runs", "quarantine", "findings"} {
		b.golden(t, "empty_page", b.send(t, "GET", path+"/"+list, b.key, nil).want(t, http.StatusOK))
	}

	r := b.send(t, "DELETE", path, b.key, nil).want(t, http.StatusNoContent)
	if r.body != "" {
		t.Errorf("204 with a body: %s", r.body)
	}
	b.send(t, "GET", path, b.key, nil).wantProblem(t, http.StatusNotFound, "not_found")
	b.send(t, "DELETE", path, b.key, nil).wantProblem(t, http.StatusNotFound, "not_found")
	if left := b.send(t, "GET", "/v1/integrations", b.key, nil); left.body != noIntegrations {
		t.Errorf("the list still holds %s", left.body)
	}
}

func TestEgress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.golden(t, "egress", b.send(t, "GET", "/v1/integrations/egress", b.key, nil).want(t, http.StatusOK))
}

func TestCreateWithAFailingPlatform(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.platform.fail("/trades", http.StatusForbidden)
	r := b.send(t, "POST", "/v1/integrations", b.key, b.newIntegration()).want(t, http.StatusCreated)
	b.golden(t, "integration_created_failing", r)
	state := b.state(t, decodeInto[integrationState](t, r).ID)
	if state.Health != "check_failed" || state.Next != nil || state.LastError == nil || state.LastError.Code != "forbidden" {
		t.Errorf("saved as %+v", state)
	}
	// It is not polled, so a sync cannot be requested.
	if r := b.send(t, "POST", "/v1/integrations/"+state.ID.String()+"/sync", b.key, nil).want(t, http.StatusOK); r.body != `{"queued":false,"reason":"check_failed"}` {
		t.Errorf("asking for a sync answers %s", r.body)
	}
	// The platform is repaired and tested: polling begins.
	b.platform.setGate(nil)
	report := decodeInto[reportState](t, b.send(t, "POST", "/v1/integrations/"+state.ID.String()+"/test", b.key, "{}").want(t, http.StatusOK))
	if state = b.state(t, state.ID); !report.OK || state.Health != "pending" || state.Next == nil || state.LastError != nil {
		t.Errorf("after the test %+v", state)
	}
}

func TestCreateDefaultsAndValues(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tests := []struct {
		name string
		more map[string]any
		want integrationState
	}{
		{"defaults", nil, integrationState{Name: "Custom API", Interval: 300}},
		{"nulls", map[string]any{"name": nil, "sync_interval_seconds": nil, "account_scope": nil}, integrationState{Name: "Custom API", Interval: 300}},
		{"lowest", map[string]any{"name": "x", "sync_interval_seconds": 60}, integrationState{Name: "x", Interval: 60}},
		{"highest", map[string]any{"name": strings.Repeat("ä", 100), "sync_interval_seconds": 3600}, integrationState{Name: strings.Repeat("ä", 100), Interval: 3600}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body := b.newIntegration()
			maps.Copy(body, tt.more)
			got := decodeInto[integrationState](t, b.send(t, "POST", "/v1/integrations", b.key, body).want(t, http.StatusCreated))
			tt.want.ID, tt.want.Next = got.ID, got.Next
			tt.want.Base_URL, tt.want.API_Key = b.platformURL, "****ab12"
			tt.want.Active, tt.want.Health = true, "pending"
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("integration (-want +got):\n%s", diff)
			}
			b.send(t, "DELETE", "/v1/integrations/"+got.ID.String(), b.key, nil).want(t, http.StatusNoContent)
		})
	}
}

// bodyFaults are faults of members that create, its test and PATCH have in common.
var bodyFaults = []struct {
	name string
	set  map[string]any
	want []string
}{
	{"wrong types", map[string]any{"base_url": 1, "api_key": true, "name": 1, "sync_interval_seconds": "300", "account_scope": "all"}, []string{
		"#/base_url wrong_type", "#/api_key wrong_type", "#/name wrong_type", "#/account_scope wrong_type", "#/sync_interval_seconds wrong_type",
	}},
	{"not https", map[string]any{"base_url": "http://platform.example.com"}, []string{"#/base_url url_not_https"}},
	{"trailing slash", map[string]any{"base_url": "https://platform.example.com/"}, []string{"#/base_url invalid_url"}},
	{"userinfo", map[string]any{"base_url": "https://me:secret@platform.example.com"}, []string{"#/base_url invalid_url"}},
	{"query", map[string]any{"base_url": "https://platform.example.com?x=1"}, []string{"#/base_url invalid_url"}},
	{"fragment", map[string]any{"base_url": "https://platform.example.com#x"}, []string{"#/base_url invalid_url"}},
	{"no URL", map[string]any{"base_url": "platform"}, []string{"#/base_url invalid_url"}},
	{"empty URL", map[string]any{"base_url": ""}, []string{"#/base_url invalid_url"}},
	{"private address", map[string]any{"base_url": "https://10.0.0.1"}, []string{"#/base_url url_not_public"}},
	{"metadata address", map[string]any{"base_url": "https://169.254.169.254"}, []string{"#/base_url url_not_public"}},
	{"private address in IPv6", map[string]any{"base_url": "https://[::ffff:10.0.0.1]"}, []string{"#/base_url url_not_public"}},
	{"long URL", map[string]any{"base_url": "https://platform.example.com/" + strings.Repeat("x", 2048)}, []string{"#/base_url too_long"}},
	{"empty key", map[string]any{"api_key": ""}, []string{"#/api_key required"}},
	{"long key", map[string]any{"api_key": strings.Repeat("k", 4097)}, []string{"#/api_key too_long"}},
	{"key with a space", map[string]any{"api_key": "a b"}, []string{"#/api_key invalid_format"}},
	{"key with a line break", map[string]any{"api_key": "a\r\nX-Evil: 1"}, []string{"#/api_key invalid_format"}},
	{"key beyond ASCII", map[string]any{"api_key": "schlüssel"}, []string{"#/api_key invalid_format"}},
	{"preview", map[string]any{"api_key": "****ab12"}, []string{"#/api_key invalid_format"}},
	{"preview of a short key", map[string]any{"api_key": "****"}, []string{"#/api_key invalid_format"}},
	{"empty name", map[string]any{"name": ""}, []string{"#/name invalid_format"}},
	{"blank name", map[string]any{"name": "  "}, []string{"#/name invalid_format"}},
	{"invisible name", map[string]any{"name": "\u200b \u2800\u3164"}, []string{"#/name invalid_format"}},
	{"long name", map[string]any{"name": strings.Repeat("ä", 101)}, []string{"#/name too_long"}},
	{"NUL in the name", map[string]any{"name": "a\x00b"}, []string{"#/name invalid_format"}},
	{"line break in the name", map[string]any{"name": "a\nb"}, []string{"#/name invalid_format"}},
	{"interval below", map[string]any{"sync_interval_seconds": 59}, []string{"#/sync_interval_seconds out_of_range"}},
	{"interval above", map[string]any{"sync_interval_seconds": 3601}, []string{"#/sync_interval_seconds out_of_range"}},
	{"interval in parts", map[string]any{"sync_interval_seconds": 60.5}, []string{"#/sync_interval_seconds invalid_format"}},
	{"scope of another kind", map[string]any{"account_scope": map[string]any{"platforms": []string{"mt5"}}}, []string{"#/account_scope not_allowed_for_kind"}},
	{"unknown members", map[string]any{"secret": "x"}, []string{"#/secret unknown_field"}},
	{"health is not settable", map[string]any{"health_status": "healthy"}, []string{"#/health_status unknown_field"}},
}

func TestCreateFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	type test struct {
		name string
		set  map[string]any
		want []string
	}
	tests := []test{
		{"all required", map[string]any{"kind": nil, "base_url": nil, "api_key": nil}, []string{"#/kind required", "#/base_url required", "#/api_key required"}},
		{"unknown kind", map[string]any{"kind": "mt5"}, []string{"#/kind invalid_format"}},
		{"kind of another type", map[string]any{"kind": []string{}}, []string{"#/kind wrong_type"}},
		{"is_active is for PATCH", map[string]any{"is_active": true}, []string{"#/is_active unknown_field"}},
	}
	for _, shared := range bodyFaults {
		tests = append(tests, test(shared))
	}
	for _, path := range []string{"/v1/integrations", "/v1/integrations/test"} {
		for _, tt := range tests {
			t.Run(path+" "+tt.name, func(t *testing.T) {
				body := b.newIntegration()
				maps.Copy(body, tt.set)
				r := b.send(t, "POST", path, b.key, body)
				p := r.wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
				if diff := cmp.Diff(tt.want, p.faults()); diff != "" {
					t.Errorf("faults (-want +got):\n%s", diff)
				}
			})
		}
	}
	if list := b.send(t, "GET", "/v1/integrations", b.key, nil); list.body != noIntegrations {
		t.Errorf("something was saved: %s", list.body)
	}
	if n := b.platform.requests(); n != 0 {
		t.Errorf("%d requests reached the platform", n)
	}
}

// TestKindWithoutAConnector checks that the other faults of a body are reported as well.
func TestKindWithoutAConnector(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.kinds, b.registry = []record.Kind{record.CustomAPI}, prometheus.NewRegistry()
	b.startAPI(t, b.db)
	tests := []struct {
		name string
		set  map[string]any
		want []string
	}{
		{"alone", nil, []string{"#/kind not_allowed_for_kind"}},
		{"its scope is looked at", map[string]any{"account_scope": map[string]any{"plan_category_ids": []any{1, "2"}, "x": 1}}, []string{
			"#/kind not_allowed_for_kind", "#/account_scope/plan_category_ids/1 wrong_type", "#/account_scope/x unknown_field",
		}},
	}
	for _, path := range []string{"/v1/integrations", "/v1/integrations/test"} {
		for _, tt := range tests {
			t.Run(path+" "+tt.name, func(t *testing.T) {
				body := b.newIntegration()
				body["kind"] = "partner_platform"
				maps.Copy(body, tt.set)
				p := b.send(t, "POST", path, b.key, body).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
				if diff := cmp.Diff(tt.want, p.faults()); diff != "" {
					t.Errorf("faults (-want +got):\n%s", diff)
				}
			})
		}
	}
	if n := b.platform.requests(); n != 0 {
		t.Errorf("%d requests reached the platform", n)
	}
}

func TestBodiesThatAreNoJSON(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.create(t)
	routes := []struct{ method, path string }{
		{"POST", "/v1/integrations"}, {"POST", "/v1/integrations/test"}, {"PATCH", "/v1/integrations/" + id.String()},
	}
	tests := []struct {
		name   string
		body   string
		status int
		code   string
	}{
		{"empty", "", 400, "invalid_json"},
		{"CSV", "a,b\n1,2\n", 400, "invalid_json"},
		{"NUL bytes", "\x00\x00", 400, "invalid_json"},
		{"invalid UTF-8", "{\"name\": \"\xff\"}", 400, "invalid_json"},
		{"lone surrogate", `{"name": "\udc00"}`, 400, "invalid_json"},
		{"duplicate member", `{"name": "a", "name": "b"}`, 400, "invalid_json"},
		{"deep", strings.Repeat(`{"a":`, 5000), 400, "invalid_json"},
		{"huge number", `{"sync_interval_seconds": 1e400, "kind": "custom_api"}`, 422, "validation_failed"},
		{"array", `[1]`, 422, "validation_failed"},
		{"too large", `{"name": "` + strings.Repeat("x", 1<<20) + `"}`, 413, "payload_too_large"},
	}
	for _, route := range routes {
		for _, tt := range tests {
			t.Run(route.method+" "+route.path+" "+tt.name, func(t *testing.T) {
				b.send(t, route.method, route.path, b.key, tt.body).wantProblem(t, tt.status, tt.code)
			})
		}
	}
	for _, path := range []string{"/test", "/sync"} {
		b.send(t, "POST", "/v1/integrations/"+id.String()+path, b.key, `{"x": 1}`).wantProblem(t, 422, "validation_failed")
		b.send(t, "POST", "/v1/integrations/"+id.String()+path, b.key, `{`).wantProblem(t, 400, "invalid_json")
	}
}

func TestUnsavedTestSavesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body := b.newIntegration()
	body["api_key"] = "wrong-key-of-the-platform"
	r := b.send(t, "POST", "/v1/integrations/test", b.key, body).want(t, http.StatusOK)
	if report := decodeInto[reportState](t, r); report.OK || report.Steps[0].Code != "unauthorized" {
		t.Errorf("report %s", r.body)
	}
	b.golden(t, "report_unauthorized", r)
	if list := b.send(t, "GET", "/v1/integrations", b.key, nil); list.body != noIntegrations {
		t.Errorf("something was saved: %s", list.body)
	}
	const want = `# HELP assay_apiserver_live_checks_total Live checks that ran to the end.
# TYPE assay_apiserver_live_checks_total counter
assay_apiserver_live_checks_total{kind="custom_api",ok="false"} 1
`
	if err := testutil.GatherAndCompare(b.registry, strings.NewReader(want), "assay_apiserver_live_checks_total"); err != nil {
		t.Error(err)
	}
}

// TestWhatWasDoneTookTime checks durations with a nearby platform, which answers in less than a
// millisecond: they must not look as if nothing had been measured.
func TestWhatWasDoneTookTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.platform.fail("/trades", http.StatusForbidden)
	report := decodeInto[struct {
		Duration int `json:"duration_ms"`
		Steps    []struct {
			Name, Status string
			Latency      *int `json:"latency_ms"`
		}
	}](t, b.send(t, "POST", "/v1/integrations/test", b.key, b.newIntegration()).want(t, http.StatusOK))
	if report.Duration < 1 {
		t.Errorf("the check took %d ms", report.Duration)
	}
	for _, step := range report.Steps {
		if skipped := step.Status == "skipped"; skipped != (step.Latency == nil) || !skipped && *step.Latency < 1 {
			t.Errorf("step %s, which %s, has latency %v", step.Name, step.Status, step.Latency)
		}
	}
}

func TestPatch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.create(t)
	path := "/v1/integrations/" + id.String()
	before := b.state(t, id)
	change := func(fn func(*integrationState)) integrationState {
		s := before
		fn(&s)
		return s
	}
	tests := []struct {
		name    string
		body    string
		want    integrationState
		checked bool // a live check was made
	}{
		{"nothing", `{}`, before, false},
		{"name", `{"name": "Ours"}`, change(func(s *integrationState) { s.Name = "Ours" }), false},
		{"null puts the name back", `{"name": null}`, before, false},
		{"interval", `{"sync_interval_seconds": 60}`, change(func(s *integrationState) { s.Interval = 60 }), false},
		{"null puts the interval back", `{"sync_interval_seconds": null}`, before, false},
		{"scope null is none", `{"account_scope": null}`, before, true},
		{"off", `{"is_active": false}`, change(func(s *integrationState) { s.Active = false }), false},
		{"on", `{"is_active": true}`, before, true},
		{"base URL", fmt.Sprintf(`{"base_url": %q}`, b.platformURL), before, true},
		{"key", fmt.Sprintf(`{"api_key": %q}`, storetest.PlatformKey), before, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			asked := b.platform.requests()
			got := decodeInto[integrationState](t, b.send(t, "PATCH", path, b.key, tt.body).want(t, http.StatusOK))
			polled := got.Active
			if polled != (got.Next != nil) {
				t.Errorf("next_sync_at %v of an integration that is active: %v", got.Next, got.Active)
			}
			got.Next = tt.want.Next
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("integration (-want +got):\n%s", diff)
			}
			if checked := b.platform.requests() > asked; checked != tt.checked {
				t.Errorf("live check made: %v, want %v", checked, tt.checked)
			}
		})
	}
}

func TestPatchFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.create(t)
	path := "/v1/integrations/" + id.String()
	before := b.send(t, "GET", path, b.key, nil).body
	type test struct {
		name string
		set  map[string]any
		want []string
	}
	tests := []test{
		{"nulls", map[string]any{"base_url": nil, "api_key": nil, "is_active": nil}, []string{"#/base_url wrong_type", "#/api_key wrong_type", "#/is_active wrong_type"}},
		{"is_active", map[string]any{"is_active": "yes"}, []string{"#/is_active wrong_type"}},
		{"kind cannot be changed", map[string]any{"kind": "custom_api"}, []string{"#/kind unknown_field"}},
	}
	for _, shared := range bodyFaults {
		tests = append(tests, test(shared))
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := b.send(t, "PATCH", path, b.key, tt.set).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
			if diff := cmp.Diff(tt.want, p.faults()); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
	if after := b.send(t, "GET", path, b.key, nil).body; after != before {
		t.Errorf("a refused PATCH changed something:\n%s\n%s", before, after)
	}
}

func TestPatchThatFailsItsCheckKeepsTheValuesAndStopsPolling(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.create(t)
	got := decodeInto[integrationState](t, b.send(t, "PATCH", "/v1/integrations/"+id.String(), b.key, `{"api_key": "another-key-cd34"}`).want(t, http.StatusOK))
	if got.API_Key != "****cd34" || got.Health != "check_failed" || got.Next != nil || got.LastError == nil || got.LastError.Code != "unauthorized" {
		t.Errorf("got %+v", got)
	}
	got = decodeInto[integrationState](t, b.send(t, "PATCH", "/v1/integrations/"+id.String(), b.key,
		fmt.Sprintf(`{"api_key": %q}`, storetest.PlatformKey)).want(t, http.StatusOK))
	if got.Health != "pending" || got.Next == nil || got.LastError != nil {
		t.Errorf("after the key was mended %+v", got)
	}
}

func TestTestOfASavedIntegration(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.create(t)
	path := "/v1/integrations/" + id.String()
	// A server that fails for a while does not stop polling.
	b.platform.fail("/accounts", http.StatusNotFound)
	b.send(t, "POST", path+"/test", b.key, nil).want(t, http.StatusOK)
	if s := b.state(t, id); s.Health != "pending" || s.Next == nil || s.LastError == nil || s.LastError.Code != "not_found" {
		t.Errorf("after 404: %+v", s)
	}
	// A refused key does, whichever step reveals it.
	b.platform.setGate(func(w http.ResponseWriter, r *http.Request) bool {
		status := map[string]int{"/accounts": http.StatusNotFound, "/trades": http.StatusForbidden}[r.URL.Path]
		if status != 0 {
			w.WriteHeader(status)
		}
		return status != 0
	})
	b.send(t, "POST", path+"/test", b.key, nil).want(t, http.StatusOK)
	if s := b.state(t, id); s.Health != "blocked" || s.Next != nil || s.LastError == nil || s.LastError.Code != "forbidden" {
		t.Errorf("after 403: %+v", s)
	}
	b.platform.setGate(nil)
	b.send(t, "POST", path+"/test", b.key, nil).want(t, http.StatusOK)
	b.platform.fail("/", http.StatusUnauthorized)
	b.send(t, "POST", path+"/test", b.key, nil).want(t, http.StatusOK)
	if s := b.state(t, id); s.Health != "blocked" || s.Next != nil {
		t.Errorf("after 401: %+v", s)
	}
	if r := b.send(t, "POST", path+"/sync", b.key, nil).want(t, http.StatusOK); r.body != `{"queued":false,"reason":"blocked"}` {
		t.Errorf("asking for a sync answers %s", r.body)
	}
	b.platform.setGate(nil)
	b.send(t, "POST", path+"/test", b.key, nil).want(t, http.StatusOK)
	if s := b.state(t, id); s.Health != "pending" || s.Next == nil || s.LastError != nil {
		t.Errorf("mended: %+v", s)
	}
}

func TestSync(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	id := b.create(t)
	path := "/v1/integrations/" + id.String()
	conn := storetest.Conn(t, b.databaseURL)
	_, err := conn.Exec(t.Context(), `UPDATE sync_state SET claimable_at = now() + interval '5 min', slot_at = now() + interval '5 min', wait_reason = NULL`)
	check(t, err)
	for i, want := range []string{`{"queued":true,"reason":null}`, `{"queued":false,"reason":"already_queued"}`} {
		if r := b.send(t, "POST", path+"/sync", b.key, nil).want(t, http.StatusOK); r.body != want {
			t.Errorf("call %d answers %s, want %s", i+1, r.body, want)
		}
	}
	b.send(t, "PATCH", path, b.key, `{"is_active": false}`).want(t, http.StatusOK)
	if r := b.send(t, "POST", path+"/sync", b.key, `{}`).want(t, http.StatusOK); r.body != `{"queued":false,"reason":"inactive"}` {
		t.Errorf("switched off: %s", r.body)
	}
	b.send(t, "PATCH", path, b.key, `{"is_active": true, "api_key": "wrong"}`).want(t, http.StatusOK)
	if r := b.send(t, "POST", path+"/sync", b.key, nil).want(t, http.StatusOK); r.body != `{"queued":false,"reason":"check_failed"}` {
		t.Errorf("after a live check that failed: %s", r.body)
	}
}

// hang makes the platform delay its responses until release is called. reached receives a value
// when a request has arrived.
func (p *platform) hang() (reached <-chan struct{}, release func()) {
	came, let := make(chan struct{}, 100), make(chan struct{})
	p.setGate(func(_ http.ResponseWriter, r *http.Request) bool {
		came <- struct{}{}
		select {
		case <-let:
		case <-r.Context().Done():
		}
		return false
	})
	return came, func() { close(let) }
}

func TestStoppingBreaksLiveChecksOff(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.create(t)
	before := b.send(t, "GET", "/v1/integrations/"+id.String(), b.key, nil).body
	reached, release := b.platform.hang()
	defer release()
	calls := []struct {
		method, path string
		body         any
	}{
		{"POST", "/v1/integrations", b.secondIntegration()},
		{"POST", "/v1/integrations/test", b.newIntegration()},
		{"PATCH", "/v1/integrations/" + id.String(), `{"is_active": true}`},
	}
	replies := make(chan reply, len(calls))
	for _, call := range calls {
		go func() { replies <- b.send(t, call.method, call.path, b.key, call.body) }()
	}
	for range calls {
		<-reached
	}
	b.stop()
	for range calls {
		r := <-replies
		r.wantProblem(t, http.StatusServiceUnavailable, "service_unavailable")
		if r.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	// Everything else is served while the process stops, and shows that the calls can be sent
	// again: they have changed nothing.
	list := decodeInto[struct{ Data []integrationState }](t, b.send(t, "GET", "/v1/integrations", b.key, nil).want(t, http.StatusOK))
	if len(list.Data) != 1 {
		t.Errorf("%d integrations, want 1", len(list.Data))
	}
	if after := b.send(t, "GET", "/v1/integrations/"+id.String(), b.key, nil).body; after != before {
		t.Errorf("the PATCH changed something:\n%s\n%s", before, after)
	}
	// No further check is started.
	b.send(t, "POST", "/v1/integrations/test", b.key, b.newIntegration()).wantProblem(t, http.StatusServiceUnavailable, "service_unavailable")
}

func TestLiveChecksAreBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	reached, release := b.platform.hang()
	const bound = 4 // half of the API's
	replies := make(chan reply, bound+1)
	for range bound {
		go func() { replies <- b.send(t, "POST", "/v1/integrations/test", b.key, b.newIntegration()) }()
	}
	for range bound {
		<-reached
	}
	b.send(t, "POST", "/v1/integrations/test", b.key, b.newIntegration()).wantProblem(t, http.StatusServiceUnavailable, "service_unavailable")
	// The other half is for other organizations.
	go func() { replies <- b.send(t, "POST", "/v1/integrations/test", b.other, b.newIntegration()) }()
	<-reached
	release()
	for range bound + 1 {
		(<-replies).want(t, http.StatusOK)
	}
	b.platform.setGate(nil)
	b.send(t, "POST", "/v1/integrations/test", b.key, b.newIntegration()).want(t, http.StatusOK)
}

func TestLiveChecksMayTakeLongerThanRequestsToArrive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.readTimeout = 200 * time.Millisecond
	b.registry = prometheus.NewRegistry()
	b.startAPI(t, b.db)
	b.platform.setGate(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/health" {
			<-time.After(2 * b.readTimeout)
		}
		return false
	})
	r := b.send(t, "POST", "/v1/integrations/test", b.key, b.newIntegration()).want(t, http.StatusOK)
	if report := decodeInto[reportState](t, r); !report.OK {
		t.Errorf("report %s", r.body)
	}
}

func TestCreateOutlivesItsClient(t *testing.T) {
	t.Parallel()
	b := setup(t)
	reached, release := b.platform.hang()
	ctx, cancel := context.WithCancel(t.Context())
	body := fmt.Sprintf(`{"kind": "custom_api", "base_url": %q, "api_key": %q}`, b.platformURL, storetest.PlatformKey)
	req, err := http.NewRequestWithContext(ctx, "POST", b.server.URL+"/v1/integrations", strings.NewReader(body))
	check(t, err)
	req.Header.Set("Authorization", "Bearer "+b.key)
	req.Header.Set("Content-Type", "application/json")
	go func() {
		<-reached
		cancel()
		release()
	}()
	if res, err := b.server.Client().Do(req); err == nil {
		_ = res.Body.Close()
		t.Error("an answer came to a cancelled request")
	}
	b.server.Close() // waits for the handler
	list, err := integrations.List(t.Context(), b.db, b.org.ID)
	if err != nil || len(list) != 1 || list[0].HealthStatus != syncing.HealthPending {
		t.Errorf("saved: %+v, %v", list, err)
	}
}

func TestKeyThatCannotBeOpenedIsMendedByANewOne(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	id := b.create(t)
	_, err := storetest.Conn(t, b.databaseURL).Exec(t.Context(), `UPDATE integrations SET api_key = '\x00'`)
	check(t, err)
	path := "/v1/integrations/" + id.String()
	b.send(t, "POST", path+"/test", b.key, nil).wantProblem(t, http.StatusInternalServerError, "internal_error")
	b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK)
	b.send(t, "PATCH", path, b.key, map[string]any{"api_key": storetest.PlatformKey}).want(t, http.StatusOK)
	b.send(t, "POST", path+"/test", b.key, nil).want(t, http.StatusOK)
}

func TestKeyThatTheKeyringLacks(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	id := b.create(t)
	_, err := storetest.Conn(t, b.databaseURL).Exec(t.Context(), `UPDATE integrations SET api_key = $1`, append(seal.Prefix("key-of-2024"), make([]byte, 200)...))
	check(t, err)
	path := "/v1/integrations/" + id.String()
	for _, r := range []reply{
		b.send(t, "POST", path+"/test", b.key, nil),
		b.send(t, "PATCH", path, b.key, map[string]any{"base_url": b.platformURL + "/v2"}),
	} {
		r.wantProblem(t, http.StatusServiceUnavailable, "service_unavailable")
		if !strings.Contains(r.body, "keyring_file") || strings.Contains(r.body, "key-of-2024") || r.header.Get("Retry-After") == "" {
			t.Errorf("the response does not say what the operator must do: %v %s", r.header, r.body)
		}
	}
	b.send(t, "PATCH", path, b.key, map[string]any{"api_key": storetest.PlatformKey}).want(t, http.StatusOK)
	b.send(t, "POST", path+"/test", b.key, nil).want(t, http.StatusOK)
	b.server.Close()
	if n := strings.Count(b.log.String(), "key-of-2024"); n != 2 {
		t.Errorf("%d lines of the log name the key, want one for each refusal", n)
	}
}

func TestSecretsStayInside(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.create(t)
	path := "/v1/integrations/" + id.String()
	for _, r := range []reply{
		b.send(t, "POST", "/v1/integrations/test", b.key, b.newIntegration()),
		b.send(t, "GET", path, b.key, nil), b.send(t, "POST", path+"/test", b.key, nil), b.send(t, "GET", path+"/schedule", b.key, nil),
		b.send(t, "PATCH", path, b.key, map[string]any{"api_key": storetest.PlatformKey, "name": 7}),
	} {
		if strings.Contains(r.body, storetest.PlatformKey) || strings.Contains(r.body, b.key) {
			t.Errorf("a secret is answered: %s", r.body)
		}
	}
	b.server.Close()
	if log := b.log.String(); strings.Contains(log, storetest.PlatformKey) || strings.Contains(log, b.key) {
		t.Error("a secret was logged")
	}
	config, err := integrations.ReadConfig(t.Context(), b.db, b.org.ID, id)
	if err != nil || config.APIKey != seal.NewSecret(storetest.PlatformKey) {
		t.Errorf("the saved key is another one: %v", err)
	}
}
