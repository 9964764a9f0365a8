package ops_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/encoding/protodelim"
)

// selectedMetric is a metric in an expression, with its selector.
var selectedMetric = regexp.MustCompile(`\b(ALERTS|up|assay[a-z0-9_:]+|(?:process|go)_\w+)\b(\{[^}]*\})?`)

// timedMetric is the histogram that an expression takes a quantile of.
var timedMetric = regexp.MustCompile(`histogram_quantile\(.+?\b(assay_\w+)_bucket`)

// largestMetric is a metric of which an expression takes the largest value of all installations.
var largestMetric = regexp.MustCompile(`^max(?: by \([a-z_, ]+\))? ?\((assay\w+)`)

// TestDashboardFiles checks what Grafana rejects or shows wrongly: duplicate ids,
// panels that overlap, and panels that do not use the dashboard's variables. Without that of
// the data source a dashboard works only where the data source has a certain id, and without
// those of job and instance it adds up installations that share a Prometheus.
func TestDashboardFiles(t *testing.T) {
	t.Parallel()
	var sources struct{ Datasources []struct{ UID string } }
	var providers struct {
		Providers []struct{ Options struct{ Path string } }
	}
	if err := errors.Join(
		yaml.Unmarshal(read(t, "configs", "grafana", "provisioning", "datasources", "assay.yaml"), &sources),
		yaml.Unmarshal(read(t, "configs", "grafana", "provisioning", "dashboards", "assay.yaml"), &providers),
	); err != nil || len(sources.Datasources) != 1 || len(providers.Providers) != 1 {
		t.Fatalf("provisioning of %d sources and %d folders: %v", len(sources.Datasources), len(providers.Providers), err)
	}
	if path := providers.Providers[0].Options.Path; !strings.Contains(string(read(t, "docs", "guides", "operations.md")), "`"+path+"`") {
		t.Errorf("the guide does not say that dashboards go to %s", path)
	}
	const source = "${datasource}"
	taken := make(map[string]string)
	for file, d := range dashboards(t) {
		if other, ok := taken[d.UID]; ok || d.UID == "" || d.Title == "" {
			t.Errorf("%s has the id %q and the title %q, as has %s", file, d.UID, d.Title, other)
		}
		taken[d.UID] = file
		if v := d.Templating.List; len(v) == 0 || v[0].Name != "datasource" || v[0].Type != "datasource" {
			t.Errorf("%s has no variable for the data source: %v", file, v)
		}
		var variables []string
		for _, v := range d.Templating.List {
			variables = append(variables, v.Name)
			if v.Type == "query" && (!v.Multi || !v.IncludeAll || v.Datasource.UID != source) {
				t.Errorf("%s: of the variable %s one value alone can be chosen, or it asks %q", file, v.Name, v.Datasource.UID)
			}
		}
		if diff := cmp.Diff([]string{"datasource", "job", "instance"}, variables); diff != "" {
			t.Errorf("variables of %s (-want +got):\n%s", file, diff)
		}
		ids, cells := make(map[int]bool), make(map[[2]int]bool)
		for _, p := range d.Panels {
			if ids[p.ID] || p.Title == "" || p.Description == "" || len(p.Targets) == 0 || p.Datasource.UID != source {
				t.Errorf("%s: panel %d, %q, described as %q, asks %q %d things", file, p.ID, p.Title, p.Description, p.Datasource.UID, len(p.Targets))
			}
			ids[p.ID] = true
			for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
				for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
					if cells[[2]int{x, y}] || x >= 24 {
						t.Fatalf("%s: %q lies upon another panel, or outside", file, p.Title)
					}
					cells[[2]int{x, y}] = true
				}
			}
			for _, target := range p.Targets {
				if target.Datasource.UID != source || target.LegendFormat == "" {
					t.Errorf("%s: %q asks %q, with the legend %q", file, p.Title, target.Datasource.UID, target.LegendFormat)
				}
				if shown := timedMetric.FindStringSubmatch(target.Expr); target.Exemplar != (shown != nil && slices.Contains(timed, shown[1])) {
					t.Errorf("%s: %q shows exemplars: %t", file, p.Title, target.Exemplar)
				}
				if largest := largestMetric.FindStringSubmatch(target.Expr); largest != nil && !strings.HasSuffix(largest[1], "_seconds") {
					t.Errorf("%s: %q shows the largest of the installations that are chosen, not their sum: %s", file, p.Title, target.Expr)
				}
				for _, selected := range selectedMetric.FindAllStringSubmatch(target.Expr, -1) {
					ofAll := selected[1] == "ALERTS" || strings.HasPrefix(selected[1], "assay:slo_errors:") || selected[1] == "assay:integrations:count"
					if !strings.Contains(selected[2], `job=~"$job"`) || !ofAll && !strings.Contains(selected[2], `instance=~"$instance"`) {
						t.Errorf("%s: %q reads %s of other installations or processes than those that are chosen: %s", file, p.Title, selected[1], target.Expr)
					}
				}
			}
		}
	}
}

// TestPanelsHaveRunbooks: what panels link to are sections of the runbooks, and each section
// can be reached from a panel.
func TestPanelsHaveRunbooks(t *testing.T) {
	t.Parallel()
	sections := make(map[string]bool)
	for _, m := range heading.FindAllStringSubmatch(string(read(t, "docs", "runbooks.md")), -1) {
		sections["Runbook: "+m[1]] = false
	}
	for file, d := range dashboards(t) {
		for _, p := range d.Panels {
			for _, l := range p.Links {
				if _, ok := sections[l.Title]; !ok || l.URL != runbooks+strings.ToLower(strings.TrimPrefix(l.Title, "Runbook: ")) {
					t.Errorf("%s: %q links %q to %s, which is not that section of the runbooks", file, p.Title, l.Title, l.URL)
				}
				sections[l.Title] = true
			}
		}
	}
	for section, linked := range sections {
		if !linked {
			t.Errorf("no panel links to %q", section)
		}
	}
}

// checkNative asks a daemon for its metrics as Prometheus does that wants native
// histograms: durations are served both ways.
func (s *stack) checkNative(daemon string, names ...string) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, "http://"+s.Debug[daemon]+"/metrics", http.NoBody)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Accept", "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	histograms := make(map[string]*dto.Histogram)
	for from := bufio.NewReader(bytes.NewReader(body)); ; {
		var family dto.MetricFamily
		err := protodelim.UnmarshalFrom(from, &family)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			s.t.Fatal(err)
		}
		for _, m := range family.Metric {
			if m.Histogram.GetSampleCount() > 0 {
				histograms[family.GetName()] = m.Histogram
			}
		}
	}
	for _, name := range names {
		h := histograms[name]
		if h == nil || len(h.PositiveSpan) == 0 || len(h.Bucket) == 0 {
			s.t.Errorf("%s serves %s as %v, want buckets of both kinds", daemon, name, h)
		}
	}
}
