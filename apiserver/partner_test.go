package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/store/storetest"
)

// syncd returns the path of the other daemon, which is built once. This daemon serves what it
// writes.
var syncd func() (path string, err error)

// buildProgram builds a daemon into the folder.
func buildProgram(dir, name string) (string, error) {
	// go test runs this package again when these folders have changed, because the test reads them.
	for _, folder := range []string{"configs", "connectors", "internal", "store", "syncd"} {
		if err := filepath.WalkDir(filepath.Join("..", folder), func(_ string, _ fs.DirEntry, err error) error { return err }); err != nil {
			return "", err
		}
	}
	path := filepath.Join(dir, name)
	out, err := exec.Command("go", "build", "-o", path, "github.com/assayhq/assay/"+name).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, out)
	}
	return path, nil
}

// partnerCustomer is a customer with a partner platform: both daemons on their own database and, once it is
// connected, an integration between them and the simulator.
type partnerCustomer struct {
	*daemon
	partner     *partnerPlatform
	databaseURL string
	key         string   // API key that holds every scope
	id          string   // id of the integration
	quarantined []string // expected content of the quarantine, as "resource key rule pointer"
}

// worldStart is the time at which the platforms' worlds stand still, so that they are the same in
// each run.
var worldStart = time.Date(2026, 3, 4, 15, 0, 0, 0, time.UTC)

// partnerPlatform is the simulator behind a server that records requests and responses.
type partnerPlatform struct {
	*partner.Platform
	*httptest.Server
	mu        sync.Mutex
	exchanges []exchange
}

// exchange is a request for a page of a list, and its response.
type exchange struct {
	list  partner.List
	query url.Values
	body  []byte
}

func (p *partnerPlatform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := httptest.NewRecorder()
	p.Platform.ServeHTTP(answer, r)
	p.mu.Lock()
	p.exchanges = append(p.exchanges, exchange{partner.List(strings.TrimPrefix(r.URL.Path, "/v1/")), r.URL.Query(), answer.Body.Bytes()})
	p.mu.Unlock()
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// takeExchanges returns the exchanges since the last call.
func (p *partnerPlatform) takeExchanges() []exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.exchanges
	p.exchanges = nil
	return list
}

// newPartnerCustomer starts a simulator and apiserver.
func newPartnerCustomer(t *testing.T, o partner.Options) *partnerCustomer {
	t.Helper()
	o.Key = storetest.PlatformKey
	platform, err := partner.New(o)
	check(t, err)
	p := &partnerPlatform{Platform: platform}
	p.Server = httptest.NewUnstartedServer(p)
	p.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	p.StartTLS()
	t.Cleanup(p.Close)
	caFile := filepath.Join(t.TempDir(), "ca.pem")
	check(t, os.WriteFile(caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.Certificate().Raw}), 0o600))
	d := &partnerCustomer{partner: p, databaseURL: storetest.URL(t)}
	s := newSite(t, d.databaseURL, fmt.Sprintf("egress: {allow_cidrs: [127.0.0.0/8], ca_file: %q}", caFile), "sync: {requests_per_second: 0}")
	d.key = bootstrapOf(t, s, "Alpha Capital").APIKey
	d.daemon = s.start(t)
	d.ready(t)
	return d
}

// callAPI sends a request to the API and returns its response, with numbers as text.
func (d *partnerCustomer) callAPI(t *testing.T, method, path string, body any, status int) map[string]any {
	t.Helper()
	var text []byte
	if body != nil {
		var err error
		text, err = json.Marshal(body)
		check(t, err)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+d.public+path, bytes.NewReader(text))
	check(t, err)
	req.Header.Set("Authorization", "Bearer "+d.key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	check(t, err)
	defer func() { _ = res.Body.Close() }()
	var answer map[string]any
	decoder := json.NewDecoder(res.Body)
	decoder.UseNumber()
	if err := decoder.Decode(&answer); err != nil || res.StatusCode != status {
		t.Fatalf("%s %s: %d, want %d: %v %v", method, path, res.StatusCode, status, answer, err)
	}
	return answer
}

func (d *partnerCustomer) getObject(t *testing.T, path string) map[string]any {
	t.Helper()
	return d.callAPI(t, http.MethodGet, path, nil, http.StatusOK)
}

// readPages reads a list page by page.
func (d *partnerCustomer) readPages(t *testing.T, path string, limit int) (rows []map[string]any) {
	t.Helper()
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	for page := 1; ; page++ {
		answer := d.getObject(t, fmt.Sprintf("%s%spage=%d&limit=%d", path, separator, page, limit))
		data := objects(answer["data"])
		rows = append(rows, data...)
		if len(data) < limit {
			if total := fmt.Sprint(answer["meta"].(map[string]any)["total"]); total != fmt.Sprint(len(rows)) {
				t.Errorf("%s has %d rows and a total of %s", path, len(rows), total)
			}
			return rows
		}
	}
}

// objects returns the elements of a JSON array of objects.
func objects(array any) (list []map[string]any) {
	for _, element := range array.([]any) {
		list = append(list, element.(map[string]any))
	}
	return list
}

// texts returns a member of each object.
func texts(list []map[string]any, member string) (values []string) {
	for _, object := range list {
		values = append(values, fmt.Sprint(object[member]))
	}
	return values
}

// connectPlatform creates the integration and returns the report of the live check.
func (d *partnerCustomer) connectPlatform(t *testing.T, more map[string]any) (report map[string]any) {
	t.Helper()
	body := map[string]any{"kind": "partner_platform", "base_url": d.partner.URL, "api_key": storetest.PlatformKey}
	for name, value := range more {
		body[name] = value
	}
	created := d.callAPI(t, http.MethodPost, "/v1/integrations", body, http.StatusCreated)
	d.id = created["id"].(string)
	storetest.PostponeSlots(t, storetest.Conn(t, d.databaseURL))
	return created["report"].(map[string]any)
}

// integrationPath returns the path of the integration.
func (d *partnerCustomer) integrationPath() string { return "/v1/integrations/" + d.id }

// runSync runs one cycle and returns the requests that it sent.
func (d *partnerCustomer) runSync(t *testing.T) []exchange {
	t.Helper()
	path, err := syncd()
	check(t, err)
	d.partner.takeExchanges()
	ctx, cancel := context.WithTimeout(t.Context(), lifetime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "run-once", "--config", d.config, "--integration", d.id)
	cmd.Env = []string{"HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir()}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatalf("syncd run-once: %v\n%s\n%s", err, &stdout, &stderr)
	}
	return d.partner.takeExchanges()
}
