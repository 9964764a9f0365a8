package ops_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-jsonnet"
)

// beside is a program of somebody who has another mixin, whose parts must stay.
const beside = `local all = {
  grafanaDashboards+:: { 'other.json': {} },
  prometheusAlerts+:: { groups+: [{ name: 'other' }] },
  prometheusRules+:: { groups+: [{ name: 'other' }] },
} + import 'mixin.libsonnet';
{ dashboards: all.grafanaDashboards, rules: all.prometheusRules.groups, alerts: all.prometheusAlerts.groups }`

// TestMixin: the mixin has each dashboard as it is, and all groups of rules, beside those of another mixin.
func TestMixin(t *testing.T) {
	t.Parallel()
	machine := jsonnet.MakeVM()
	machine.Importer(&jsonnet.FileImporter{JPaths: []string{filepath.Join(root, "configs")}})
	text, err := machine.EvaluateAnonymousSnippet("beside.jsonnet", beside)
	if err != nil {
		t.Fatal(err)
	}
	var mixin struct {
		Dashboards    map[string]any
		Rules, Alerts []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(text), &mixin); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"other.json": map[string]any{}}
	for file := range dashboards(t) {
		var dashboard any
		if err := json.Unmarshal(read(t, "configs", "grafana", "dashboards", file), &dashboard); err != nil {
			t.Fatal(err)
		}
		want["assay-"+file] = dashboard
	}
	if diff := cmp.Diff(want, mixin.Dashboards); diff != "" {
		t.Errorf("dashboards (-want +got):\n%s", diff)
	}
	for part, got := range map[string][]struct{ Name string }{"recording.yml": mixin.Rules, "alerts.yml": mixin.Alerts} {
		var file ruleFile
		readYAML(t, &file, "configs", "prometheus", part)
		if len(got) != 1+len(file.Groups) || got[0].Name != "other" || !strings.HasPrefix(got[1].Name, "assay-") {
			t.Errorf("of %s it has the groups %v", part, got)
		}
	}
}
