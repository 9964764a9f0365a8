package demo_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/assayhq/assay/configs"
	"github.com/assayhq/assay/internal/dev/internal/receiver"
)

// The test binary stands in for the programs that the launcher starts. Linked under
// a program's name, it does what the launcher may expect of that program, and reads
// the configuration that the launcher wrote as the program would.
func TestMain(m *testing.M) {
	program, ok := map[string]func(context.Context, []string) error{
		"apiserver": apiserver, "syncd": syncd, "contracttest": contracttest,
		"receiver": func(ctx context.Context, args []string) error { return receiver.Run(ctx, args, os.Stdout) },
	}[filepath.Base(os.Args[0])]
	if !ok {
		// Under the race detector a program sleeps a second before it ends, and the
		// tests start hundreds.
		if err := os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0"); err != nil {
			panic(err)
		}
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := program(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, filepath.Base(os.Args[0])+": "+err.Error())
		os.Exit(1)
	}
}

const apiKey = "svc_live_demo"

// platform is one that the launcher starts and connects.
type platform struct {
	kind, name  string
	process     string // of its log and folder
	key         string
	integration string // id that it gets first
	kept        string // file with that id
}

func platforms() []platform {
	return []platform{
		{"custom_api", "reference platform", "platform", "platform-key", "0195-integration", "integration"},
		{"partner_platform", "partner platform", "partner", "partner-key", "0195-partner", "partner-integration"},
	}
}

// platformOf returns the platform of a kind, or one without a key.
func platformOf(kind string) platform {
	all := platforms()
	if at := slices.IndexFunc(all, func(p platform) bool { return p.kind == kind }); at >= 0 {
		return all[at]
	}
	return platform{}
}

// flagValue returns the value after a flag.
func flagValue(args []string, name string) string {
	if values := flagValues(args, name); len(values) > 0 {
		return values[0]
	}
	return ""
}

// flagValues returns the values after a flag that may be repeated.
func flagValues(args []string, name string) (values []string) {
	for i := range len(args) - 1 {
		if args[i] == name {
			values = append(values, args[i+1])
		}
	}
	return values
}

func config(args []string) (configs.Config, error) {
	c, err := configs.Load(flagValue(args, "--config"), os.Environ())
	if err != nil {
		return c, err
	}
	return c, c.Require("database.url", "keyring_file", "public_url")
}

// contracttest serves a platform. Of its faults never-ready keeps it from
// answering, and no-fault is none.
func contracttest(ctx context.Context, args []string) error {
	p := platformOf(flagValue(args, "--kind"))
	if args[0] != "serve" || p.key == "" {
		return fmt.Errorf("unknown command or kind %q", args)
	}
	dir, address, faults := flagValue(args, "--dir"), flagValue(args, "--listen"), flagValues(args, "--fault")
	if slices.Contains(faults, "no-fault") {
		return errors.New("--fault: want one of those that exist")
	}
	ca := filepath.Join(dir, "ca.pem")
	content, err := json.Marshal(map[string]string{"base_url": "https://" + address, "api_key": p.key, "ca_file": ca})
	if err != nil {
		return err
	}
	root := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte(address)})
	err = errors.Join(
		os.MkdirAll(dir, 0o700),
		os.WriteFile(ca, []byte(strings.TrimSpace(string(root))), 0o600),
		// What was asked for, for the test to see.
		os.WriteFile(filepath.Join(dir, "faults"), []byte(strings.Join(faults, "\n")), 0o600),
		os.WriteFile(filepath.Join(dir, "seed"), []byte(flagValue(args, "--seed")), 0o600),
	)
	if err == nil && !slices.Contains(faults, "never-ready") {
		err = os.WriteFile(flagValue(args, "--ready-file"), content, 0o600)
	}
	if err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

func syncd(ctx context.Context, args []string) error {
	c, err := config(args)
	if err != nil {
		return err
	}
	return serve(ctx, c.Debug.Syncd, healthy(func() bool { return true }), func() {})
}

// healthy answers a daemon's private requests.
func healthy(ready func() bool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !ready() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	return mux
}

// serve serves at an address until ctx ends. It calls listening when it listens.
func serve(ctx context.Context, address string, handler http.Handler, listening func()) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	listening()
	failed := make(chan error, 1)
	go func() {
		s := http.Server{Handler: handler, ReadHeaderTimeout: time.Second}
		failed <- s.Serve(l)
	}()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return nil
	}
}

func apiserver(ctx context.Context, args []string) error {
	// What was asked for, for the test to see.
	f, err := os.OpenFile(os.Getenv("DEMO_TEST_CALLS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	line := regexp.MustCompile(`--config \S+`).ReplaceAllString(strings.Join(args, " "), "--config F")
	if _, err := fmt.Fprintln(f, line); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if args[0] == "keyring" {
		fmt.Println("the keys")
		return nil
	}
	c, err := config(args)
	if err != nil {
		return err
	}
	switch args[0] {
	case "migrate":
		if reason := os.Getenv("DEMO_TEST_MIGRATE_FAILS"); reason != "" {
			return errors.New(reason)
		}
		return nil
	case "bootstrap":
		fmt.Printf(`{"organization_id": "o", "user_id": "u", "password": "the password", "api_key": %q}`, apiKey)
		return nil
	}
	keys, err := os.ReadFile(c.KeyringFile)
	if err != nil || string(keys) != "the keys\n" {
		return fmt.Errorf("keyring: %q %w", keys, err)
	}
	a := &api{file: os.Getenv("DEMO_TEST_CALLS") + ".integrations", roots: c.Egress.CAFile, polls: map[string]int{}}
	// It listens, and is ready, when it has been asked once.
	var listens atomic.Bool
	first, asked := make(chan struct{}), sync.Once{}
	private := healthy(func() bool {
		asked.Do(func() { close(first) })
		return listens.Load()
	})
	ended := make(chan error, 2)
	go func() { ended <- serve(ctx, c.Debug.APIServer, private, func() {}) }()
	go func() {
		select {
		case <-first:
		case <-ctx.Done():
		}
		ended <- serve(ctx, c.Listen, a, func() { listens.Store(true) })
	}()
	return <-ended
}

// saved is an integration as the stand-in of the API keeps it.
type saved struct {
	ID, Kind, BaseURL, Key, Health string
	Active                         bool
}

func (i *saved) object() map[string]any {
	o := map[string]any{"id": i.ID, "kind": i.Kind, "base_url": i.BaseURL, "health_status": i.Health, "is_active": i.Active}
	if i.Health == "check_failed" {
		o["last_error"] = map[string]any{"code": "unauthorized", "message": "The key is refused.", "hint": "Set another."}
	}
	return o
}

// told reports whether a variable of the stand-in names the integration's kind.
func (i *saved) told(variable string) bool {
	return slices.Contains(strings.Split(os.Getenv(variable), ","), i.Kind)
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

// api serves the routes that the launcher uses. A sync takes three polls, one
// with DEMO_TEST_SYNCED. Live checks of the kinds in DEMO_TEST_CHECK_FAILS fail,
// syncs of those in DEMO_TEST_SYNC_HANGS never end. Runs can be read with
// DEMO_TEST_RUNS.
type api struct {
	file  string // of the integrations, so that a restart knows them
	roots string // file of the certificates that are trusted
	mu    sync.Mutex
	polls map[string]int // by the integration's id
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
	if strings.HasPrefix(r.URL.Path, "/v1/webhooks") {
		a.webhooks(w, r)
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
		p := platformOf(in.Kind)
		if p.key == "" {
			return http.StatusUnprocessableEntity, nil
		}
		i := &saved{ID: p.integration, Kind: in.Kind, BaseURL: in.BaseURL, Key: in.APIKey, Active: true}
		report := a.check(i)
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
			a.check(i)
			return http.StatusOK, i.object()
		case "POST /v1/integrations/ID/sync":
			i.Health = "pending"
			return http.StatusOK, map[string]any{"queued": true}
		case "GET /v1/integrations/ID/runs":
			if os.Getenv("DEMO_TEST_RUNS") != "" {
				return http.StatusOK, map[string]any{"data": []any{}}
			}
		}
	}
	return http.StatusNotFound, nil
}

// check changes the health as a live check does: the platform must be trusted
// and the key its own.
func (a *api) check(i *saved) map[string]any {
	passes := a.trusts(i.BaseURL) && i.Key == platformOf(i.Kind).key && !i.told("DEMO_TEST_CHECK_FAILS")
	i.Health = "check_failed"
	if passes {
		i.Health = "pending"
	}
	return map[string]any{"ok": passes, "steps": []any{
		map[string]any{"name": "health", "status": "passed"},
		map[string]any{"name": "traders", "status": "failed", "message": "HTTP 500.", "hint": "Look at the logs."},
	}}
}

// trusts reports whether the platform's root is among the trusted ones.
func (a *api) trusts(baseURL string) bool {
	rest, err := os.ReadFile(a.roots)
	if err != nil {
		return false
	}
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return false
		}
		if "https://"+string(block.Bytes) == baseURL {
			return true
		}
	}
}

// poll answers how far a sync is.
func (a *api) poll(i *saved) map[string]any {
	o := i.object()
	if i.Health == "check_failed" || i.told("DEMO_TEST_SYNC_HANGS") {
		return o
	}
	a.polls[i.ID]++
	polls := a.polls[i.ID]
	if os.Getenv("DEMO_TEST_SYNCED") != "" {
		polls = 3
	}
	o["counters"] = map[string]int{"traders": min(polls, 3) * 100}
	o["last_success_at"] = time.Now().UTC() // of the first resource
	if polls >= 3 {
		o["last_sync_finished_at"] = time.Now().UTC()
	}
	return o
}
