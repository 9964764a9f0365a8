package clients_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/test/deploytest"
)

// api is an apiserver that runs.
type api struct {
	config string // path of apiserver's configuration file
	// syncdConfig is that of syncd, which has a database user of its own.
	syncdConfig string
	database    string // its URL
	debug       string // syncd's private listener
	url         string
	key         string           // holds every scope
	narrow      string           // key of another organization, which may read traders
	issuer      string           // URL of the OpenID Connect provider; empty: none
	synced      *httptest.Server // platforms that can be connected
	connected   *httptest.Server
}

// startAPI starts apiserver on a database of its own.
func startAPI(t *testing.T) api {
	t.Helper()
	a := api{synced: newPlatform(t), connected: newPlatform(t)}
	a.configure(t)
	a.key, a.narrow = a.bootstrap(t, "Alpha Capital"), a.bootstrap(t, "Beta Capital", "--scopes", "traders:read")
	start(t, "apiserver", a.url+"/v1/openapi.json", exec.Command(program(t, "apiserver"), "--config", a.config))
	return a
}

// sync connects a platform, has syncd read it, and returns the integration's id.
func (a *api) sync(t *testing.T) string {
	t.Helper()
	id := a.connect(t, a.synced.URL)
	a.read(t, id)
	return id
}

// read has syncd read the platform of the integration.
func (a *api) read(t *testing.T, integration string) {
	t.Helper()
	out, err := exec.Command(program(t, "syncd"), "run-once", "--config", a.syncdConfig, "--integration", integration).CombinedOutput()
	if err != nil {
		t.Fatalf("syncd run-once: %v\n%s", err, out)
	}
}

// deliver starts a syncd that delivers webhooks and does not poll.
func (a *api) deliver(t *testing.T) {
	t.Helper()
	a.works(t, "SYNC", "MEDIA", "REPORT") // what the tests claim themselves is left to them
}

// works starts a syncd without the workers that are named.
func (a *api) works(t *testing.T, without ...string) {
	t.Helper()
	cmd := exec.Command(program(t, "syncd"), "--config", a.syncdConfig)
	cmd.Env = os.Environ()
	for _, worker := range without {
		cmd.Env = append(cmd.Env, "ASSAY_WORKERS_"+worker+"=0")
	}
	start(t, "syncd", "http://"+a.debug+"/healthz", cmd)
}

// newPlatform is a platform to connect. One of its records is no use.
func newPlatform(t *testing.T) *httptest.Server {
	t.Helper()
	platform, err := reference.New(reference.Options{Key: storetest.PlatformKey, Firm: firm.Options{Seed: 1, Traders: 60, AccountsPerTrader: 1, Trades: 300, Payouts: 40}})
	check(t, err)
	platform.PutRaw("traders", "broken", platform.Now(), `{"id": "broken", "email": "no address", "registered_at": "yesterday"}`)
	check(t, platform.SetFault("clock-skew", fault.Options{Delay: 10 * time.Minute}))
	server := httptest.NewUnstartedServer(platform)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// configure writes the configuration.
func (a *api) configure(t *testing.T) {
	t.Helper()
	var roots bytes.Buffer
	for _, p := range []*httptest.Server{a.synced, a.connected} {
		check(t, pem.Encode(&roots, &pem.Block{Type: "CERTIFICATE", Bytes: p.Certificate().Raw}))
	}
	a.database = storetest.URL(t)
	d := deploytest.New(t, deploytest.Options{
		Database: a.database, Roots: roots.Bytes(),
		Sync: fmt.Sprintf("audit: %q", time.Now().UTC().Add(12*time.Hour).Format("15:04")), // while no test runs
	})
	a.url, a.debug, a.config, a.syncdConfig = d.URL, d.Debug["syncd"], d.Path("apiserver.yaml"), d.Path("syncd.yaml")
}

// bootstrap makes an organization and returns its key.
func (a *api) bootstrap(t *testing.T, name string, more ...string) string {
	t.Helper()
	args := append([]string{"bootstrap", "--config", a.config, "--organization", name, "--email", "owner@example.com"}, more...)
	out, err := exec.Command(program(t, "apiserver"), args...).Output()
	check(t, err)
	var made struct {
		APIKey string `json:"api_key"`
	}
	check(t, json.Unmarshal(out, &made))
	return made.APIKey
}

// connect makes an integration with the platform and returns its id.
func (a *api) connect(t *testing.T, platform string) string {
	t.Helper()
	body := fmt.Sprintf(`{"kind": "custom_api", "base_url": %q, "api_key": %q}`, platform, storetest.PlatformKey)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.url+"/v1/integrations", strings.NewReader(body))
	check(t, err)
	req.Header.Set("Authorization", "Bearer "+a.key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	check(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	check(t, err)
	var made struct{ ID string }
	if check(t, json.Unmarshal(text, &made)); res.StatusCode != http.StatusCreated {
		t.Fatalf("create integration: %d %s", res.StatusCode, text)
	}
	return made.ID
}

// start starts a program that serves, waits until it answers at the URL, and
// ends it with the test.
func start(t *testing.T, name, url string, cmd *exec.Cmd) {
	t.Helper()
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	check(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		<-ended
		if t.Failed() {
			t.Logf("%s:\n%s", name, &log)
		}
	})
	storetest.Within(t, patience, name+" answers", func() bool {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%s ended before it answered: %v", name, err)
		default:
		}
		return answers(t.Context(), url)
	})
}

func answers(ctx context.Context, url string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return true
}
