package demo_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// integrations returns the integrations of the stand-in of the API.
func (b *bench) integrations(t *testing.T) []*saved {
	t.Helper()
	list, err := readSaved(b.calls + ".integrations")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func (b *bench) setIntegrations(t *testing.T, list []*saved) {
	t.Helper()
	if err := writeSaved(b.calls+".integrations", list); err != nil {
		t.Fatal(err)
	}
}

const otherID = "0195-other"

// changes are possible changes of an integration by the API. PLATFORM and ID mean
// the platform's name and the id of its first integration.
func changes() []change {
	onPlatform := func(own *saved) *saved {
		return &saved{otherID, own.Kind, own.BaseURL, "wrong", "check_failed", true}
	}
	otherKind := func(own *saved) *saved {
		for _, p := range platforms() {
			if p.kind != own.Kind {
				return &saved{otherID, p.kind, own.BaseURL, p.key, "pending", true}
			}
		}
		return nil
	}
	return []change{
		{
			name:   "another key",
			change: func(own *saved) []*saved { own.Key, own.Health = "wrong", "check_failed"; return []*saved{own} },
			want:   func(own saved) []saved { return []saved{own} },
			said:   "the PLATFORM's integration is check_failed: repeating the live check", silent: "warning",
		},
		{
			name: "refused while it was polled, and switched off",
			change: func(own *saved) []*saved {
				own.Key, own.Health, own.Active = "wrong", "blocked", false
				return []*saved{own}
			},
			want: func(own saved) []saved { return []saved{own} },
			said: "the PLATFORM's integration is blocked: repeating the live check", silent: "warning",
		},
		{
			name:   "another address",
			change: func(own *saved) []*saved { own.BaseURL = "https://other.example"; return []*saved{own} },
			want:   func(own saved) []saved { return []saved{own} },
			said:   "the PLATFORM's integration points at https://other.example: pointing it at the platform", silent: "warning",
		},
		{
			name: "a check that fails again", checkFails: true,
			change: func(own *saved) []*saved { own.Health = "check_failed"; return []*saved{own} },
			want:   func(own saved) []saved { own.Health = "check_failed"; return []saved{own} },
			said:   "warning: the PLATFORM's integration is not polled: health check_failed, unauthorized: The key is refused. Set another.",
		},
		{
			name:   "switched off",
			change: func(own *saved) []*saved { own.Active = false; return []*saved{own} },
			want:   func(own saved) []saved { own.Active = false; return []saved{own} },
			said:   "warning: the PLATFORM's integration is not polled: health pending, switched off",
		},
		{
			name:   "a newer one on the platform that does not work",
			change: func(own *saved) []*saved { return []*saved{onPlatform(own), own} },
			want:   func(own saved) []saved { return []saved{*onPlatform(&own), own} },
			silent: "warning",
		},
		{
			name:   "nothing remembered, and a newer one that does not work",
			forget: true,
			change: func(own *saved) []*saved { return []*saved{onPlatform(own), own} },
			want:   func(own saved) []saved { return []saved{*onPlatform(&own), own} },
			silent: "warning",
		},
		{
			name:   "nothing remembered, and an older one of the other kind at the address",
			forget: true,
			change: func(own *saved) []*saved { return []*saved{own, otherKind(own)} },
			want:   func(own saved) []saved { return []saved{own, *otherKind(&own)} },
			silent: "warning",
		},
		{
			name:   "deleted",
			change: func(*saved) []*saved { return nil },
			want:   func(own saved) []saved { return []saved{own} },
			said:   "warning: the PLATFORM's integration that an earlier run made, ID, is gone",
		},
		{
			name:   "deleted, with another on the platform",
			change: func(own *saved) []*saved { own.ID = otherID; return []*saved{own} },
			want:   func(own saved) []saved { own.ID = otherID; return []saved{own} },
			other:  true, said: "warning: the PLATFORM's integration that an earlier run made, ID, is gone",
		},
	}
}

type change struct {
	name       string
	checkFails bool                      // at the second start
	change     func(own *saved) []*saved // what is there instead of it
	forget     bool                      // the kept id
	want       func(own saved) []saved   // at the end
	other      bool                      // otherID is the demo's at the end
	said       string
	silent     string
}

// TestStartAfterChanges: whatever was changed in the integrations by the API,
// everything starts, with the demo's own integration. The other platform's
// integration does not change.
func TestStartAfterChanges(t *testing.T) {
	t.Parallel()
	for _, p := range platforms() {
		for _, tc := range changes() {
			t.Run(p.kind+"/"+tc.name, func(t *testing.T) {
				t.Parallel()
				testChange(t, p, tc)
			})
		}
	}
}

func testChange(t *testing.T, p platform, tc change) {
	t.Helper()
	b := setup(t, "DEMO_TEST_SYNCED=1")
	if _, err := b.stack.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	list := b.integrations(t)
	at := slices.IndexFunc(list, func(i *saved) bool { return i.Kind == p.kind })
	own, rest := *list[at], list[1-at]
	changed := own
	b.setIntegrations(t, append(tc.change(&changed), rest))
	kept := filepath.Join(b.stack.Dir, p.kept)
	if tc.forget {
		if err := os.Remove(kept); err != nil {
			t.Fatal(err)
		}
	}

	var environ []string
	if tc.checkFails {
		environ = []string{"DEMO_TEST_CHECK_FAILS=" + p.kind}
	}
	if _, err := b.startAgain(t, environ...); err != nil {
		t.Fatal(err)
	}
	got := []saved{}
	for _, i := range b.integrations(t) {
		got = append(got, *i)
	}
	if diff := cmp.Diff(append(tc.want(own), *rest), got); diff != "" {
		t.Errorf("integrations (-want +got):\n%s", diff)
	}
	id := p.integration
	if tc.other {
		id = otherID
	}
	if got := b.read(t, p.kept); got != id+"\n" {
		t.Errorf("remembered %q, want %s", got, id)
	}
	said := strings.Join(b.said, "\n")
	part := strings.NewReplacer("PLATFORM", p.name, "ID", p.integration).Replace(tc.said)
	if !strings.Contains(said, part) || tc.silent != "" && strings.Contains(said, tc.silent) {
		t.Errorf("progress lacks %q, or shows %q:\n%s", part, tc.silent, said)
	}
}

// TestStartWithoutSync: everything runs and the summary is shown, even if no data
// arrives from one platform. The other's data arrives.
func TestStartWithoutSync(t *testing.T) {
	t.Parallel()
	for i, p := range platforms() {
		for _, tc := range []struct {
			name     string
			variable string
			want     []string
		}{
			{"the first live check fails", "DEMO_TEST_CHECK_FAILS", []string{
				"warning: the live check of the " + p.name + " failed: traders: HTTP 500. Look at the logs.",
				"warning: the " + p.name + "'s integration is not polled: health check_failed, unauthorized: The key is refused. Set another.",
			}},
			{"the first sync does not land", "DEMO_TEST_SYNC_HANGS", []string{"warning: the first sync of the " + p.name + " has not succeeded: health pending"}},
		} {
			t.Run(p.kind+"/"+tc.name, func(t *testing.T) {
				t.Parallel()
				b := setup(t, tc.variable+"="+p.kind)
				b.stack.SyncLimit = 2 * time.Second
				summary, err := b.stack.Start(t.Context())
				if err != nil || !strings.Contains(summary, apiKey) {
					t.Fatalf("Start: %v\n%s", err, summary)
				}
				for _, line := range append(tc.want, "read from the "+platforms()[1-i].name+" so far: 200 traders, 0 accounts, 0 trades, 0 payouts") {
					if !slices.Contains(b.said, line) {
						t.Errorf("progress lacks %q:\n%s", line, strings.Join(b.said, "\n"))
					}
				}
			})
		}
	}
}

// TestBuildHint: only a first build is said to take long.
func TestBuildHint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.stack.Prebuilt = false
	b.stack.DatabaseURL = "postgres://127.0.0.1:1/none" // ends the start after the build
	if err := os.RemoveAll(filepath.Join(b.stack.Root, "bin")); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"go.mod": "module example.org/m\n\ngo 1.26\n"}
	for _, dir := range []string{"apiserver", "syncd", "cmd/contracttest", "internal/dev/receiver"} {
		files[dir+"/main.go"] = "package main\n\nfunc main() {}\n"
	}
	for name, content := range files {
		path := filepath.Join(b.stack.Root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []string{"building (the first time takes a few minutes)", "building"} {
		b.said = nil
		_, err := b.stack.Start(t.Context())
		if err == nil || !strings.Contains(err.Error(), "database of ASSAY_DATABASE_URL") || b.said[0] != want {
			t.Errorf("start %d: %v; it says %s, want %q", i, err, fmt.Sprint(b.said), want)
		}
	}
}
