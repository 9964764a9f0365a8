package demo_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// saved is an integration as the stand-in of the API keeps it.
type saved struct {
	ID, BaseURL, Key, Health string
	Active                   bool
}

// check changes the health as a live check does. With DEMO_TEST_CHECK_FAILS
// live checks fail.
func (i *saved) check() map[string]any {
	passes := i.Key == platformKey && os.Getenv("DEMO_TEST_CHECK_FAILS") == ""
	i.Health = "check_failed"
	if passes {
		i.Health = "pending"
	}
	return map[string]any{"ok": passes, "steps": []any{
		map[string]any{"name": "health", "status": "passed"},
		map[string]any{"name": "traders", "status": "failed", "message": "HTTP 500.", "hint": "Look at the logs."},
	}}
}

func (i *saved) object() map[string]any {
	o := map[string]any{"id": i.ID, "kind": "custom_api", "base_url": i.BaseURL, "health_status": i.Health, "is_active": i.Active}
	if i.Health == "check_failed" {
		o["last_error"] = map[string]any{"code": "unauthorized", "message": "The key is refused.", "hint": "Set another."}
	}
	return o
}

// readSaved returns the integrations in a file, the newest first.
func readSaved(file string) (list []*saved, err error) {
	content, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return list, json.Unmarshal(content, &list)
}

func writeSaved(file string, list []*saved) error {
	content, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o600)
}

// api serves the routes that the launcher uses. A sync takes three polls; with
// DEMO_TEST_SYNC_HANGS it never ends.
type api struct {
	file  string // of the integrations, so that a restart knows them
	mu    sync.Mutex
	polls int
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.URL.Path == "/docs" {
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+apiKey {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	list, err := readSaved(a.file)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	status, answer := a.answer(r, &list)
	if err := writeSaved(a.file, list); err != nil {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		panic(http.ErrAbortHandler)
	}
}

func (a *api) answer(r *http.Request, list *[]*saved) (status int, answer any) {
	var in struct {
		Kind     string `json:"kind"`
		BaseURL  string `json:"base_url"`
		APIKey   string `json:"api_key"`
		IsActive bool   `json:"is_active"`
	}
	if r.ContentLength > 0 {
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			return http.StatusBadRequest, nil
		}
	}
	switch r.Method + " " + r.URL.Path {
	case "GET /v1/integrations":
		data := []any{}
		for _, i := range *list {
			data = append(data, i.object())
		}
		return http.StatusOK, map[string]any{"data": data}
	case "POST /v1/integrations":
		if in.APIKey != platformKey || in.Kind != "custom_api" {
			return http.StatusUnprocessableEntity, nil
		}
		i := &saved{ID: integration, BaseURL: in.BaseURL, Key: in.APIKey, Active: true}
		report := i.check()
		*list = append([]*saved{i}, *list...)
		answer := i.object()
		answer["report"] = report
		return http.StatusCreated, answer
	case "GET /v1/traders":
		return http.StatusOK, map[string]any{"data": []any{map[string]any{"last_name": "O'Neill & Co"}}}
	}
	for _, i := range *list {
		switch strings.Replace(r.Method+" "+r.URL.Path, i.ID, "ID", 1) {
		case "GET /v1/integrations/ID":
			return http.StatusOK, a.poll(i)
		case "PATCH /v1/integrations/ID":
			i.BaseURL, i.Key, i.Active = in.BaseURL, in.APIKey, in.IsActive
			i.check()
			return http.StatusOK, i.object()
		case "POST /v1/integrations/ID/sync":
			i.Health = "pending"
			return http.StatusOK, map[string]any{"queued": true}
		}
	}
	return http.StatusNotFound, nil
}

// poll answers how a sync goes.
func (a *api) poll(i *saved) map[string]any {
	o := i.object()
	if i.Health == "check_failed" || os.Getenv("DEMO_TEST_SYNC_HANGS") != "" {
		return o
	}
	a.polls++
	o["counters"] = map[string]int{"traders": min(a.polls, 3) * 100}
	o["last_success_at"] = time.Now().UTC() // of the first resource
	if a.polls >= 3 {
		o["last_sync_finished_at"] = time.Now().UTC()
	}
	return o
}

// integrations returns what the stand-in of the API keeps.
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

// TestStartAfterChanges: whatever was done to the integrations by the API,
// everything starts, with the demo's own integration.
func TestStartAfterChanges(t *testing.T) {
	t.Parallel()
	const other = "0195-other"
	for _, tc := range []struct {
		name    string
		environ string // of the second start
		change  func(own *saved) []*saved
		forget  bool // the kept id
		want    func(own saved) []saved
		id      string
		said    string
		silent  string
	}{
		{
			name:   "another key",
			change: func(own *saved) []*saved { own.Key, own.Health = "wrong", "check_failed"; return []*saved{own} },
			want:   func(own saved) []saved { return []saved{own} },
			id:     integration, said: "the integration is check_failed: repeating the live check", silent: "warning",
		},
		{
			name: "refused while it was polled, and switched off",
			change: func(own *saved) []*saved {
				own.Key, own.Health, own.Active = "wrong", "blocked", false
				return []*saved{own}
			},
			want: func(own saved) []saved { return []saved{own} },
			id:   integration, said: "the first sync landed", silent: "warning",
		},
		{
			name:   "another address",
			change: func(own *saved) []*saved { own.BaseURL = "https://other.example"; return []*saved{own} },
			want:   func(own saved) []saved { return []saved{own} },
			id:     integration, said: "the integration points at https://other.example", silent: "warning",
		},
		{
			name: "a check that fails again", environ: "DEMO_TEST_CHECK_FAILS=1",
			change: func(own *saved) []*saved { own.Health = "check_failed"; return []*saved{own} },
			want:   func(own saved) []saved { own.Health = "check_failed"; return []saved{own} },
			id:     integration, said: "warning: the integration is not polled: health check_failed, unauthorized: The key is refused. Set another.",
		},
		{
			name:   "switched off",
			change: func(own *saved) []*saved { own.Active = false; return []*saved{own} },
			want:   func(own saved) []saved { own.Active = false; return []saved{own} },
			id:     integration, said: "warning: the integration is not polled: health pending, switched off",
		},
		{
			name:   "a newer one on the platform that does not work",
			change: func(own *saved) []*saved { return []*saved{{other, own.BaseURL, "wrong", "check_failed", true}, own} },
			want:   func(own saved) []saved { return []saved{{other, own.BaseURL, "wrong", "check_failed", true}, own} },
			id:     integration, said: "the first sync landed", silent: "warning",
		},
		{
			name:   "nothing remembered, and a newer one that does not work",
			forget: true,
			change: func(own *saved) []*saved { return []*saved{{other, own.BaseURL, "wrong", "check_failed", true}, own} },
			want:   func(own saved) []saved { return []saved{{other, own.BaseURL, "wrong", "check_failed", true}, own} },
			id:     integration, said: "the first sync landed", silent: "warning",
		},
		{
			name:   "deleted",
			change: func(*saved) []*saved { return nil },
			want:   func(own saved) []saved { return []saved{own} },
			id:     integration, said: "warning: the integration that an earlier run made, " + integration + ", is gone",
		},
		{
			name:   "deleted, with another on the platform",
			change: func(own *saved) []*saved { own.ID = other; return []*saved{own} },
			want:   func(own saved) []saved { own.ID = other; return []saved{own} },
			id:     other, said: "warning: the integration that an earlier run made, " + integration + ", is gone",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			if _, err := b.stack.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := b.sup.Stop(); err != nil {
				t.Fatal(err)
			}
			own := *b.integrations(t)[0]
			changed := own
			b.setIntegrations(t, tc.change(&changed))
			kept := filepath.Join(b.stack.Dir, "integration")
			if tc.forget {
				if err := os.Remove(kept); err != nil {
					t.Fatal(err)
				}
			}

			b.supervise(t)
			b.said = nil
			b.stack.Environ = append(b.stack.Environ, tc.environ)
			if _, err := b.stack.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := []saved{}
			for _, i := range b.integrations(t) {
				got = append(got, *i)
			}
			if diff := cmp.Diff(tc.want(own), got); diff != "" {
				t.Errorf("integrations (-want +got):\n%s", diff)
			}
			if id, err := os.ReadFile(kept); err != nil || string(id) != tc.id+"\n" {
				t.Errorf("remembered %q, %v, want %s", id, err, tc.id)
			}
			said := strings.Join(b.said, "\n")
			if !strings.Contains(said, tc.said) || tc.silent != "" && strings.Contains(said, tc.silent) {
				t.Errorf("progress lacks %q, or shows %q:\n%s", tc.said, tc.silent, said)
			}
		})
	}
}

// TestStartWithoutSync: everything runs, and the summary is shown, also where
// no data arrives.
func TestStartWithoutSync(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		environ string
		want    []string
	}{
		{"the first live check fails", "DEMO_TEST_CHECK_FAILS=1", []string{
			"warning: the live check of the reference platform failed: traders: HTTP 500. Look at the logs.",
			"warning: the integration is not polled: health check_failed, unauthorized: The key is refused. Set another.",
		}},
		{"the first sync does not land", "DEMO_TEST_SYNC_HANGS=1", []string{"warning: the first sync has not succeeded: health pending"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, tc.environ)
			b.stack.SyncLimit = time.Millisecond
			summary, err := b.stack.Start(t.Context())
			if err != nil || !strings.Contains(summary, apiKey) {
				t.Fatalf("Start: %v\n%s", err, summary)
			}
			for _, line := range tc.want {
				if !slices.Contains(b.said, line) {
					t.Errorf("progress lacks %q:\n%s", line, strings.Join(b.said, "\n"))
				}
			}
		})
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
	for _, dir := range []string{"apiserver", "syncd", "contracttest/cmd/contracttest"} {
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
