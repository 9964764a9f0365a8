package ops_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/test/deploytest"
)

// server is a Prometheus that scrapes a stack.
type server struct{ address string }

// scrape starts Prometheus on the rules as they are, but that what is pending
// fires at once, and that it looks every second.
func scrape(t *testing.T, s *stack) *server {
	t.Helper()
	dir := t.TempDir()
	waits := regexp.MustCompile(`(?m)^        for: .*\n`)
	for _, name := range []string{"recording.yml", "alerts.yml"} {
		content := waits.ReplaceAll(read(t, "configs", "prometheus", name), nil)
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config := strings.NewReplacer("127.0.0.1:9101", s.Debug["syncd"], "127.0.0.1:9102", s.Debug["apiserver"], "_interval: 15s", "_interval: 1s").
		Replace(string(read(t, "configs", "prometheus", "prometheus.yml")))
	if err := os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &server{address: storetest.Address(t)}
	var log bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program(t, "prometheus"), "--config.file", "prometheus.yml", "--storage.tsdb.path", "data", "--web.listen-address", p.address)
	cmd.Dir, cmd.Stderr = dir, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it keeps nothing that is wanted
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("Prometheus's log:\n%s", &log)
		}
	})
	storetest.Eventually(t, "Prometheus is ready", func() bool {
		status, _ := deploytest.Get(t.Context(), "http://"+p.address+"/-/ready", "")
		return status == http.StatusOK
	})
	return p
}

// sample is a series of an instant query's answer.
type sample struct {
	Metric map[string]string
	Value  [2]any // time, text
}

// ask reads from Prometheus's API.
func (p *server) ask(path string, query url.Values, into any) error {
	response, err := http.Get("http://" + p.address + path + "?" + query.Encode())
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer := struct {
		Status, Error string
		Data          any
	}{Data: into}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return err
	}
	if answer.Status != "success" {
		return fmt.Errorf("%s: %s", response.Status, answer.Error)
	}
	return nil
}

// query runs an instant query, and returns the series that have a number.
func (p *server) query(expression string) (list []sample, err error) {
	var answer struct{ Result []sample }
	if err := p.ask("/api/v1/query", url.Values{"query": {expression}}, &answer); err != nil {
		return nil, err
	}
	for _, s := range answer.Result {
		if s.Value[1] != "NaN" {
			list = append(list, s)
		}
	}
	return list, nil
}

// awaitSample waits until the expression selects something.
func (p *server) awaitSample(t *testing.T, expression string) {
	t.Helper()
	storetest.Within(t, patience, expression, func() bool {
		list, err := p.query(expression)
		return err == nil && len(list) > 0
	})
}

// await waits until the alert fires, or no longer does.
func (p *server) await(t *testing.T, alert string, fires bool) {
	t.Helper()
	storetest.Within(t, patience, fmt.Sprintf("%s fires: %t", alert, fires), func() bool {
		list, err := p.query(fmt.Sprintf(`ALERTS{alertstate="firing", alertname=%q}`, alert))
		return err == nil && len(list) > 0 == fires
	})
}
