package reference_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/platformtest"
	"github.com/assayhq/assay/internal/simulator/reference"
)

// shows are the checks of the faults of single routes, by name: each must prove that the fault
// does what its description says. p has the fault on, sound is the same platform without it.
var shows = map[string]shower{
	"payouts-404": func(t *testing.T, p, _ *reference.Platform) {
		if got := [2]int{platformtest.Get(t, p, "/payouts").StatusCode, platformtest.Get(t, p, "/trades").StatusCode}; got != [2]int{404, 200} {
			t.Errorf("statuses %v", got)
		}
	},
	"health-not-ok": func(t *testing.T, p, _ *reference.Platform) {
		if got := platformtest.ReadBody(t, platformtest.Get(t, p, "/health")); got != `{"status":"degraded"}` {
			t.Error(got)
		}
	},
	"expired-cursor": func(t *testing.T, p, _ *reference.Platform) {
		first := getPage(t, p, "/trades", nil)
		if r := platformtest.Get(t, p, "/trades?cursor="+*first.NextCursor); r.StatusCode != 400 || !strings.Contains(platformtest.ReadBody(t, r), "invalid_cursor") {
			t.Errorf("status %d", r.StatusCode)
		}
	},
	"clock-skew": func(t *testing.T, p, sound *reference.Platform) {
		date, err := http.ParseTime(platformtest.Get(t, p, "/trades").Header.Get("Date"))
		if ahead := time.Until(date); err != nil || ahead < 59*time.Minute || ahead > 61*time.Minute {
			t.Errorf("Date %s, %v", date, err)
		}
		want, got := walk(t, sound, "/trades", 500, nil), walk(t, p, "/trades", 500, nil)
		for i := range want {
			if shift := headOf(t, got[i]).UpdatedAt.Sub(headOf(t, want[i]).UpdatedAt); shift != time.Hour {
				t.Fatalf("updated_at is shifted by %s", shift)
			}
		}
		since := headOf(t, got[len(got)-50]).UpdatedAt.Format(time.RFC3339Nano)
		if diff := cmp.Diff(got[len(got)-50:], walk(t, p, "/trades", 500, url.Values{"updated_since": {since}})); diff != "" {
			t.Errorf("updated_since does not follow the skewed clock:\n%s", diff)
		}
	},
}

// isCommon returns whether a fault is one that any platform can have, which package fault tests.
func isCommon(name string) bool {
	common := fault.Describe(slices.Concat(fault.Status[int, int](), fault.Connection[int, int](), fault.Body[int, int]()))
	return slices.ContainsFunc(common, func(f fault.Info) bool { return f.Name == name })
}

func TestEveryFaultShowsWhatItSays(t *testing.T) {
	t.Parallel()
	for _, info := range reference.Faults() {
		if isCommon(info.Name) {
			continue
		}
		t.Run(info.Name, func(t *testing.T) {
			t.Parallel()
			show := shows[info.Name]
			if show == nil {
				show = showsInLists[info.Name]
			}
			if show == nil {
				show = showsHabits[info.Name]
			}
			if show == nil || info.Description == "" {
				t.Fatalf("no test shows this fault, or it has no description: %q", info.Description)
			}
			p, sound := newPlatform(t, small(31)), newPlatform(t, small(31))
			if err := p.SetFault(info.Name, fault.Options{}); err != nil {
				t.Fatal(err)
			}
			show(t, p, sound)
			p.ClearFaults()
			for _, path := range []string{"/trades?limit=3", "/health"} {
				if diff := cmp.Diff(platformtest.ReadBody(t, platformtest.Get(t, sound, path)), platformtest.ReadBody(t, platformtest.Get(t, p, path))); diff != "" {
					t.Errorf("%s after the fault (-sound +cleared):\n%s", path, diff)
				}
			}
		})
	}
}
