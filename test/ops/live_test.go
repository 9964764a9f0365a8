package ops_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/test/deploytest"
)

// patience is for what is looked at once a minute, on a busy machine.
const patience = 5 * time.Minute

// TestDashboardsAndAlerts has Prometheus scrape both daemons while there is traffic of each kind:
// every expression of the dashboards has data, every metric is documented, and alerts fire in
// incidents that are staged for them. It takes long because the rules of Prometheus need minutes of
// traffic, of which each second counts for more.
func TestDashboardsAndAlerts(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	p := scrape(t, s)
	stopAPI := s.start("apiserver")
	stopSync := s.start("syncd")
	s.setFault(s.platform, "upper-case-enum", 1) // which is a finding
	working, late, refused := s.connect("Working", s.platform), s.connect("Late", s.broken), s.connect("Refused", s.refusing)
	endpoint := s.made("/v1/webhooks", fmt.Sprintf(`{"url": %q, "events": ["*"]}`, s.receiver.URL))
	s.traffic(working, endpoint)
	storetest.Submitted(t, s.db, s.org, storetest.NewInterview("Ada", "ada@desk.test"))

	t.Log("incidents of single integrations")
	s.await("all are healthy", `SELECT count(*) = 3 FROM integrations WHERE health_status = 'healthy'`)
	p.awaitSample(t, `sum(assay:integrations:count{health="healthy"}) == 3`) // alerts compare with what was before
	s.setFault(s.refusing, "status-401", 1)
	s.setFault(s.broken, "status-500", 1)
	s.post("/v1/integrations/" + refused + "/sync")
	s.post("/v1/integrations/" + working + "/audit")
	s.await("one is blocked", `SELECT count(*) = 1 FROM integrations WHERE health_status = 'blocked'`)
	s.await("the audit is over", `SELECT count(*) > 0 FROM sync_audits WHERE finished_at IS NOT NULL AND status = 'succeeded'`)
	s.exec(`UPDATE sync_state SET last_success_at = now() - interval '1 day' WHERE integration_id = $1`, late)
	s.exec(`UPDATE sync_completeness SET ratio = 0.9 WHERE resource = 'trades'`)
	s.exec(`INSERT INTO removals (id, organization_id, interview_id, prefix, whole, due_at, created_at)
VALUES (gen_random_uuid(), $1, gen_random_uuid(), 'interviews/none/', false, now() + interval '1 day', now() - interval '2 days')`, s.org)
	s.exec(`UPDATE interview_steps SET status = 'queued', token = token + 1, leased_until = NULL, job_at = now() + interval '1 day', outage_since = now() WHERE step = 'media'`)
	s.exec(`UPDATE interview_steps SET status = 'running', token = token + 1, leased_until = now() - interval '1 second', job_at = now(), attempts = 100 WHERE step = 'activity'`)
	for _, alert := range []string{"AssayIntegrationsBlocked", "AssayFreshnessBurnsFast", "AssayFreshnessBurnsSlowly", "AssayAuditIncomplete", "AssayErasureLate", "AssayInterviewStepsInOutage", "AssayInterviewStepsFail"} {
		p.await(t, alert, true)
	}

	t.Log("requests fail")
	s.exec(`ALTER TABLE traders RENAME TO traders_away`)
	p.await(t, "AssayAvailabilityBurnsFast", true)
	p.await(t, "AssayAvailabilityBurnsSlowly", true)
	s.awaitDashboards(p)
	s.exec(`ALTER TABLE traders_away RENAME TO traders`)
	s.checkMetrics(p)
	s.checkNative("syncd", "assay_syncd_run_duration_seconds", "assay_syncd_request_duration_seconds", "assay_syncd_schedule_lag_seconds", "assay_syncd_page_write_seconds", "assay_job_duration_seconds", "assay_webhook_delivery_latency_seconds")
	s.checkNative("apiserver", "assay_apiserver_request_duration_seconds", "assay_apiserver_read_duration_seconds")

	t.Log("claims fail")
	s.exec(`ALTER TABLE sync_state RENAME TO sync_state_away`)
	p.await(t, "AssayClaimsFail", true)
	s.exec(`ALTER TABLE sync_state_away RENAME TO sync_state`)

	t.Log("syncd stops, and comes back with another keyring, and without deliveries")
	p.await(t, "AssaySyncdDown", false)
	stopSync()
	p.await(t, "AssaySyncdDown", true)
	s.Write(t, "other.json", strings.Replace(storetest.KeyringText, `"test"`, `"other"`, 2))
	stopSync = s.start("syncd", "ASSAY_KEYRING_FILE="+s.Path("other.json"), "ASSAY_WORKERS_DELIVER=0")
	p.await(t, "AssaySyncdDown", false)
	p.await(t, "AssayKeyringKeyUnknown", true)
	storetest.Within(t, patience, "a webhook waits for ten minutes", func() bool {
		tag, err := s.conn.Exec(t.Context(), `UPDATE webhook_states SET job_at = now() - interval '10 minutes' WHERE job_at <= now()`)
		return err == nil && tag.RowsAffected() > 0
	})
	p.await(t, "AssayJobsWait", true)
	stopSync()

	t.Log("apiserver stops")
	p.await(t, "AssayApiserverDown", false)
	stopAPI()
	p.await(t, "AssayApiserverDown", true)
}

// traffic calls the API in the ways in which it is called, until the test ends.
func (s *stack) traffic(integration, endpoint string) {
	s.setFault(s.platform, "status-500", 0.03)
	s.setFault(s.platform, "status-429", 0.03)
	round := func(n int) {
		s.call(http.MethodGet, "/v1/traders?limit=5", "")
		s.call(http.MethodGet, "/v1/integrations/"+integration, "")
		s.call(http.MethodGet, "/v1/nothing", "")
		s.call(http.MethodGet, "/v1/traders", "", "Authorization", "Bearer svc_live_nobody")
		s.call(http.MethodPost, "/v1/integrations/"+integration+"/sync", "", "Idempotency-Key", fmt.Sprintf(`"%d"`, n/2))
		s.call(http.MethodPost, "/v1/traders", fmt.Sprintf(`{"full_name": "Zoe %d"}`, n))
		if n%5 == 0 {
			s.call(http.MethodPost, "/v1/integrations/"+integration+"/test", "")
			s.call(http.MethodPost, "/v1/webhooks/"+endpoint+"/test", "")
			s.call(http.MethodPost, "/session", `{"email": "`+deploytest.Owner+`", "password": "wrong"}`)
		}
	}
	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for n := 0; ; n++ {
			round(n)
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	})
	s.t.Cleanup(func() {
		close(done)
		group.Wait()
	})
}

// setFault makes a platform go wrong, for a share of the requests.
func (s *stack) setFault(p *reference.Server, name string, probability float64) {
	s.t.Helper()
	if err := p.SetFault(name, fault.Options{Probability: probability}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stack) post(path string) {
	s.t.Helper()
	if status, answer := s.call(http.MethodPost, path, ""); status/100 != 2 {
		s.t.Fatalf("POST %s: %d %s", path, status, answer)
	}
}

// await waits until the query's one value is true.
func (s *stack) await(what, query string) {
	s.t.Helper()
	storetest.Within(s.t, patience, what, func() bool {
		var ok bool
		return s.conn.QueryRow(s.t.Context(), query).Scan(&ok) == nil && ok
	})
}

// dashboard is what Grafana reads, as far as it matters here.
type dashboard struct {
	UID        string
	Title      string
	Templating struct {
		List []struct {
			Name, Type, Definition string
			Multi, IncludeAll      bool
			Datasource             struct{ UID string }
		}
	}
	Panels []struct {
		ID          int
		Title       string
		Description string
		Links       []struct{ Title, URL string }
		Datasource  struct{ UID string }
		GridPos     struct{ X, Y, W, H int }
		Targets     []struct {
			RefID        string
			Expr         string
			LegendFormat string
			Exemplar     bool
			Datasource   struct{ UID string }
		}
	}
}

// dashboards reads all of them by the name of their file.
func dashboards(t *testing.T) map[string]dashboard {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "configs", "grafana", "dashboards", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no dashboards: %v", err)
	}
	all := make(map[string]dashboard)
	for _, file := range files {
		var d dashboard
		if err := json.Unmarshal(read(t, "configs", "grafana", "dashboards", filepath.Base(file)), &d); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all[filepath.Base(file)] = d
	}
	return all
}

// listedValues is a variable's query.
var listedValues = regexp.MustCompile(`^label_values\((.+), (\w+)\)$`)

// chooseAll returns what Grafana writes for a dashboard's variables when all values are chosen.
func (p *server) chooseAll(t *testing.T, d dashboard) *strings.Replacer {
	t.Helper()
	values := []string{"$__rate_interval", "5m"}
	for _, v := range d.Templating.List[1:] {
		var all []string
		query := listedValues.FindStringSubmatch(strings.NewReplacer(values...).Replace(v.Definition))
		if query == nil {
			t.Fatalf("the variable %s lists %q", v.Name, v.Definition)
		}
		if err := p.ask("/api/v1/label/"+query[2]+"/values", url.Values{"match[]": {query[1]}}, &all); err != nil || len(all) != 2 {
			t.Fatalf("the variable %s has the values %v, want those of two processes: %v", v.Name, all, err)
		}
		values = append(values, "$"+v.Name, strings.Join(all, "|"))
	}
	return strings.NewReplacer(values...)
}

// awaitDashboards waits until every expression of the dashboards has data.
func (s *stack) awaitDashboards(p *server) {
	s.t.Helper()
	expressions := make(map[string]string) // panels by expression
	for file, d := range dashboards(s.t) {
		chosen := p.chooseAll(s.t, d)
		for _, panel := range d.Panels {
			for _, target := range panel.Targets {
				expressions[chosen.Replace(target.Expr)] = file + ", " + panel.Title
			}
		}
	}
	s.t.Logf("%d expressions", len(expressions))
	deadline := time.Now().Add(patience)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		for expression := range maps.Clone(expressions) {
			switch list, err := p.query(expression); {
			case err != nil:
				s.t.Errorf("%s: %v\n%s", expressions[expression], err, expression)
				delete(expressions, expression)
			case len(list) > 0:
				delete(expressions, expression)
			}
		}
		if len(expressions) == 0 {
			return
		}
		if time.Now().After(deadline) {
			for expression, panel := range expressions {
				s.t.Errorf("%s has no data: %s", panel, expression)
			}
			return
		}
		select {
		case <-tick.C:
		case <-s.t.Context().Done():
			return
		}
	}
}

// ownMetric is how the names of assay's metrics begin.
var ownMetric = regexp.MustCompile(`^assay_`)

// documentedMetric is a row of the table of metrics.
var documentedMetric = regexp.MustCompile("(?m)^\\| `([a-z_]+)(?:\\{([a-z_,]*)\\})?` \\| (\\w+) \\|")

// checkMetrics holds what Prometheus has scraped against the table of metrics:
// names, labels and types.
func (s *stack) checkMetrics(p *server) {
	s.t.Helper()
	want := make(map[string]string)
	for _, m := range documentedMetric.FindAllStringSubmatch(string(read(s.t, "docs", "reference", "metrics.md")), -1) {
		labels := strings.Split(m[2], ",")
		slices.Sort(labels)
		want[m[1]] = m[3] + " " + strings.Join(labels, ",")
	}
	types := make(map[string][]struct{ Type string })
	var series []map[string]string
	if err := p.ask("/api/v1/metadata", nil, &types); err != nil {
		s.t.Fatal(err)
	}
	if err := p.ask("/api/v1/series", url.Values{"match[]": {`{job=~"assay-(syncd|apiserver)"}`}}, &series); err != nil {
		s.t.Fatal(err)
	}
	got := make(map[string]string)
	for _, labels := range series {
		name := labels["__name__"]
		family := name
		for _, suffix := range []string{"_bucket", "_count", "_sum"} {
			if base := strings.TrimSuffix(name, suffix); len(types[base]) > 0 {
				family = base
			}
		}
		kind := types[family]
		if len(kind) == 0 {
			kind = types[strings.TrimSuffix(family, "_total")] // as OpenMetrics names a counter
		}
		if !ownMetric.MatchString(family) || len(kind) == 0 { // recorded by a rule
			continue
		}
		for _, added := range []string{"__name__", "job", "instance", "le"} {
			delete(labels, added)
		}
		got[family] = cmp.Or(kind[0].Type, "?") + " " + strings.Join(slices.Sorted(maps.Keys(labels)), ",")
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		s.t.Errorf("metrics of docs/reference/metrics.md against those that are served (-want +got):\n%s", diff)
	}
	for _, name := range []string{"go_goroutines", "go_gc_duration_seconds", "process_cpu_seconds_total", "process_resident_memory_bytes"} {
		if list, err := p.query(name + `{job=~"assay-(syncd|apiserver)"}`); err != nil || len(list) < 2 {
			s.t.Errorf("%s: %d series, %v; want that of each process", name, len(list), err)
		}
	}
}
