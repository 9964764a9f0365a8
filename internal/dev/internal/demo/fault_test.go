package demo_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStartWithFaults: a platform that fails is shown, not taken for a failure of
// the start, and works again at the next start. The other platform works all the
// time.
func TestStartWithFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the whole demonstration")
	}
	t.Parallel()
	for i, p := range platforms() {
		t.Run(p.kind, func(t *testing.T) {
			t.Parallel()
			other := platforms()[1-i]
			b := setup(t, "DEMO_TEST_CHECK_FAILS="+p.kind)
			faults := []*[]string{&b.stack.Faults, &b.stack.PartnerFaults}[i]
			*faults = []string{"status-500,endpoint=/trades", "slow"}
			summary, err := b.stack.Start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got := []string{b.read(t, p.process+"/faults"), b.read(t, other.process+"/faults")}
			if diff := cmp.Diff([]string{"status-500,endpoint=/trades\nslow", ""}, got); diff != "" {
				t.Errorf("faults of the %s and the %s (-want +got):\n%s", p.name, other.name, diff)
			}
			for _, part := range []string{"status-500,endpoint=/trades (until", "slow (until", "/v1/integrations/" + p.integration + "'"} {
				if !strings.Contains(summary, part) {
					t.Errorf("summary lacks %q:\n%s", part, summary)
				}
			}
			said := strings.Join(b.said, "\n")
			for _, part := range []string{
				"the " + p.name + " goes wrong: slow\n", "the live check of the " + p.name + " failed: traders: HTTP 500. Look at the logs.",
				"the first sync of the " + other.name + " took ",
			} {
				if !strings.Contains(said, part) {
					t.Errorf("progress lacks %q:\n%s", part, said)
				}
			}

			*faults = nil
			summary, err = b.startAgain(t, "DEMO_TEST_CHECK_FAILS=")
			if err != nil {
				t.Fatal(err)
			}
			if got := b.read(t, p.process+"/faults"); got != "" || strings.Contains(summary, "goes wrong") {
				t.Errorf("the platform's faults are still %q:\n%s", got, summary)
			}
			if part := "the " + p.name + "'s integration is check_failed: repeating the live check"; !slices.ContainsFunc(b.said, func(s string) bool { return strings.HasPrefix(s, part) }) {
				t.Errorf("progress lacks %q", part)
			}
			b.expectArrival(t)

			// After an hour of failures the next cycle may be an hour away.
			list := b.integrations(t)
			for _, i := range list {
				i.Health = "failing"
			}
			b.setIntegrations(t, list)
			if _, err := b.startAgain(t); err != nil {
				t.Fatal(err)
			}
			for _, i := range b.integrations(t) {
				if i.Health != "pending" {
					t.Errorf("no sync was asked for: %s has health %s", i.Kind, i.Health)
				}
			}
		})
	}
}

// TestExamples: few requests are shown, among them those about the failing
// platform.
func TestExamples(t *testing.T) {
	t.Parallel()
	b := setup(t, "DEMO_TEST_RUNS=1", "DEMO_TEST_SYNCED=1")
	b.stack.Faults, b.stack.PartnerFaults = []string{"slow"}, []string{"slow"}
	summary, err := b.stack.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	examples := func(summary string) (paths []string) {
		for _, m := range regexp.MustCompile(`curl .*'http://[^/]*(/.*)'`).FindAllStringSubmatch(summary, -1) {
			paths = append(paths, m[1])
		}
		return paths
	}
	const some, partner = "/v1/traders?limit=5", "/v1/traders?limit=5&source=partner_platform"
	want := []string{some, partner, "/v1/integrations/0195-integration", "/v1/integrations/0195-partner"}
	if diff := cmp.Diff(want, examples(summary)); diff != "" {
		t.Errorf("examples with faults (-want +got):\n%s", diff)
	}
	b.stack.Faults = nil
	if summary, err = b.startAgain(t); err != nil {
		t.Fatal(err)
	}
	want = []string{some, partner, "/v1/integrations/0195-partner", "/v1/integrations/0195-partner/runs?limit=5"}
	if diff := cmp.Diff(want, examples(summary)); diff != "" {
		t.Errorf("examples with a fault of the partner platform (-want +got):\n%s", diff)
	}
	b.stack.PartnerFaults = nil
	if summary, err = b.startAgain(t); err != nil {
		t.Fatal(err)
	}
	want = []string{some, some + "&search=O%27Neill+%26+Co", partner, "/v1/integrations/0195-integration/runs?limit=5"}
	if diff := cmp.Diff(want, examples(summary)); diff != "" {
		t.Errorf("examples (-want +got):\n%s", diff)
	}
}
