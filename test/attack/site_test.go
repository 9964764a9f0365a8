package attack_test

import (
	"bytes"
	"context"
	"encoding/pem"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/fetch/fetchtest"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/test/deploytest"
)

// site is the deployment that is attacked.
type site struct {
	*deploytest.Deployment
	*rand.Rand // of the current attack
	conn       *pgx.Conn
	apiserver  *deploytest.Process
	syncd      *deploytest.Process
	outside    *outside
	names      *fetchtest.NameServer // nil where processes cannot be made to ask it
	full       bool
	address    string   // of the API
	password   string   // of deploytest.Owner
	keys       []string // of ordinary traffic
}

// ordinaryKeys are so many that ordinary traffic stays below the limit of each key.
const ordinaryKeys = 40

// newSite starts a deployment. It trusts a proxy at 127.0.0.1 and may call 127.0.0.1;
// all other addresses of this machine are inside, and must not be called.
func newSite(t *testing.T, full bool) *site {
	t.Helper()
	s := &site{full: full, outside: newOutside(t), names: startNames(t)}
	s.Deployment = deploytest.New(t, deploytest.Options{
		Database: storetest.URL(t), Roots: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.outside.Certificate().Raw}),
		Allow: "127.0.0.1/32", More: "trusted_proxies: [127.0.0.1/32]\nworkers: {media: 0, report: 0}",
	})
	s.address = strings.TrimPrefix(s.URL, "http://")
	s.password = s.Bootstrap(t)[1]
	s.conn = storetest.Conn(t, s.Database)
	start := func(name string) *deploytest.Process {
		return s.StartCommand(t, name, s.useNames(t, s.Command(t, name)))
	}
	s.apiserver, s.syncd = start("apiserver"), start("syncd")
	for n := range ordinaryKeys {
		s.keys = append(s.keys, s.makeKey(t, fmt.Sprint("ordinary ", n)))
	}
	return s
}

// makeKey makes an API key that may read and write traders.
func (s *site) makeKey(t *testing.T, name string) string {
	t.Helper()
	return s.Call(t, http.MethodPost, "/v1/api-keys", fmt.Sprintf(`{"name": %q, "scopes": ["traders:read", "traders:write"]}`, name), http.StatusCreated)["secret"].(string)
}

// dial opens a connection to apiserver that ends with the test.
func (s *site) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{Timeout: time.Minute}).DialContext(t.Context(), "tcp", s.address)
	check(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// check checks that both processes have survived without a panic.
func (s *site) check(t *testing.T) {
	t.Helper()
	for name, p := range map[string]*deploytest.Process{"apiserver": s.apiserver, "syncd": s.syncd} {
		if !p.Runs() {
			t.Errorf("%s has ended", name)
		}
		if strings.Contains(p.Log(), `"panic"`) || strings.Contains(p.Log(), "goroutine 1 [") {
			t.Errorf("%s has panicked", name)
		}
	}
	if status, _ := deploytest.Get(t.Context(), s.URL+"/v1/traders", s.Key); status != http.StatusOK {
		t.Errorf("an ordinary request afterwards gets %d", status)
	}
}

// rows returns the result of a query for one whole number.
func (s *site) rows(t *testing.T, query string, args ...any) (n int) {
	t.Helper()
	check(t, s.conn.QueryRow(t.Context(), query, args...).Scan(&n))
	return n
}

// peakLimit is how much memory apiserver may take under most attacks.
const peakLimit = 256 << 20

// resetPeak resets the peak of apiserver's memory.
func (s *site) resetPeak(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "linux" {
		check(t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.apiserver.Cmd.Process.Pid), []byte("5"), 0o600))
	}
}

var peakLine = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// checkPeak checks the peak of apiserver's memory, and returns it in words.
func (s *site) checkPeak(t *testing.T, limit int) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		return "memory not measured on this system"
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.apiserver.Cmd.Process.Pid))
	check(t, err)
	match := peakLine.FindSubmatch(text)
	if match == nil {
		t.Fatalf("no peak of memory in:\n%s", text)
	}
	kib, err := strconv.Atoi(string(match[1]))
	check(t, err)
	if kib<<10 > limit {
		t.Errorf("apiserver took %d MiB, at most %d MiB are allowed", kib>>10, limit>>20)
	}
	return fmt.Sprintf("%d MiB", kib>>10)
}

// traffic is what ordinary clients do while the site is attacked.
type traffic struct {
	stop chan struct{}
	done sync.WaitGroup

	mu     sync.Mutex
	took   []time.Duration
	failed []string
}

const (
	ordinaryGap     = 20 * time.Millisecond // between requests
	ordinaryLatency = time.Second           // p99 that must hold at full size
)

// startTraffic begins to send ordinary requests, one after each gap, each as soon as it is
// due and whether or not earlier ones were answered.
func (s *site) startTraffic(t *testing.T, gap time.Duration) *traffic {
	t.Helper()
	f := &traffic{stop: make(chan struct{})}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
	f.done.Go(func() {
		tick := time.NewTicker(gap)
		defer tick.Stop()
		for n := 0; ; n++ {
			f.done.Go(func() { f.ask(t.Context(), client, s.URL+"/v1/traders", s.keys[n%len(s.keys)]) })
			select {
			case <-f.stop:
				return
			case <-tick.C:
			}
		}
	})
	t.Cleanup(client.CloseIdleConnections)
	return f
}

// ask sends a request.
func (f *traffic) ask(ctx context.Context, client *http.Client, url, key string) {
	began := time.Now()
	failure := ""
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err == nil {
		req.Header.Set("Authorization", "Bearer "+key)
		var res *http.Response
		if res, err = client.Do(req); err == nil {
			var text bytes.Buffer
			_, err = text.ReadFrom(res.Body)
			_ = res.Body.Close()
			if res.StatusCode != http.StatusOK {
				failure = fmt.Sprintf("%d %.200s", res.StatusCode, &text)
			}
		}
	}
	if err != nil {
		failure = err.Error()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.took = append(f.took, time.Since(began))
	if failure != "" {
		f.failed = append(f.failed, failure)
	}
}

// end ends the traffic, checks that every request was answered, and returns how many
// there were and how long they took.
func (f *traffic) end(t *testing.T, s *site) string {
	t.Helper()
	close(f.stop)
	f.done.Wait()
	if len(f.failed) > 0 {
		t.Errorf("%d of %d ordinary requests failed, the first with: %s", len(f.failed), len(f.took), f.failed[0])
	}
	slices.Sort(f.took)
	p99 := f.took[len(f.took)*99/100]
	if s.full && p99 > ordinaryLatency { // a small run shares its machine with other tests
		t.Errorf("p99 of ordinary requests is %s, want at most %s", p99, ordinaryLatency)
	}
	return fmt.Sprintf("%d others answered, p99 %s", len(f.took)-len(f.failed), p99.Round(100*time.Microsecond))
}
