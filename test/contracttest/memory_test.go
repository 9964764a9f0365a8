package contracttest_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assayhq/assay/contracttest"
	"github.com/assayhq/assay/store/storetest"
)

// endless is a platform with ten million records in each list, which are generated on request.
// least is the minimum number of records on a page, whatever limit was requested.
func endless(ask *atomic.Int64, least int) http.Handler {
	const rows = 10_000_000
	base := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ask.Add(1)
		if r.Header.Get("Authorization") != "Bearer test-key" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":{"code":"unauthorized","message":"no"}}`))
			return
		}
		list := strings.TrimPrefix(r.URL.Path, "/")
		if list == "health" {
			_, _ = w.Write([]byte(`{"status":"ok"}`))
			return
		}
		if id, ok := strings.CutPrefix(list, "traders/"); ok {
			n, err := strconv.Atoi(id)
			if err != nil || r.Method != http.MethodGet {
				w.WriteHeader(http.StatusNotFound)
				_, _ = w.Write([]byte(`{"error":{"code":"not_found","message":"no"}}`))
				return
			}
			fmt.Fprintf(w, `{"id":"%s","updated_at":"%s"}`, id, base.Add(time.Duration(n)*time.Second).Format(time.RFC3339))
			return
		}
		limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
		if limit == 0 {
			limit = 100
		}
		limit = max(limit, least)
		from := 0
		if since, err := time.Parse(time.RFC3339, r.URL.Query().Get("updated_since")); err == nil {
			from = max(int((since.Sub(base)+time.Second-1)/time.Second), 0)
		}
		if cursor, err := base64.StdEncoding.DecodeString(r.URL.Query().Get("cursor")); err == nil && len(cursor) > 0 {
			from, _ = strconv.Atoi(string(cursor))
		}
		b := bufio.NewWriter(w)
		_, _ = b.WriteString(`{"data":[`)
		end, status := min(from+limit, rows), "active"
		if list == "payouts" {
			status = "paid"
		}
		for i := from; i < end; i++ {
			if i > from {
				_ = b.WriteByte(',')
			}
			at := base.Add(time.Duration(i) * time.Second).Format(time.RFC3339)
			fmt.Fprintf(b, `{"id":"%010d","trader_id":"%010d","account_id":"%010d","status":"%s","symbol":"EURUSD","side":"buy","open_time":"%s","updated_at":"%s"}`, i, i, i, status, at, at)
		}
		next := "null"
		if end < rows {
			next = strconv.Quote(base64.StdEncoding.EncodeToString([]byte(strconv.Itoa(end))))
		}
		fmt.Fprintf(b, `],"next_cursor":%s}`, next)
		_ = b.Flush() // a client that hangs up has read enough
	})
}

// Requests and memory are limited for a platform of any size, and the report says what was read.
func TestTenMillionRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("reads ten million records")
	}
	var ask atomic.Int64
	server := httptest.NewTLSServer(endless(&ask, 0))
	defer server.Close()
	for _, tt := range []struct {
		profile contracttest.Profile
		most    int64
	}{{contracttest.Core, 100}, {contracttest.Full, 400}} {
		t.Run(string(tt.profile), func(t *testing.T) {
			ask.Store(0)
			o := (&platform{}).options(server.URL)
			o.Profile, o.RootCAs = tt.profile, server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
			o.Now = func() time.Time { return time.Date(2026, 4, 26, 0, 0, 0, 0, time.UTC) }
			runtime.GC()
			var before runtime.MemStats
			runtime.ReadMemStats(&before)
			most := uint64(0)
			o.Progress = func(at contracttest.Progress) {
				if at.Done%8 > 0 {
					return
				}
				runtime.GC()
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapAlloc)
			}
			r := check(t, o)
			if r.Verdict != contracttest.Conformant {
				t.Errorf("verdict %s: %v", r.Verdict, r.Failures())
			}
			if other := ask.Load() - int64(r.Load.Requests); other > tt.most {
				t.Errorf("%d requests beside the sustained rate", other)
			}
			if held := most - min(before.HeapAlloc, most); held > 40<<20 {
				t.Errorf("%d MiB are held", held>>20)
			}
			for _, s := range r.Samples {
				if s.Whole || s.Records < 1000 {
					t.Errorf("%s: %d records, whole %v", s.List, s.Records, s.Whole)
				}
			}
			t.Logf("%d requests, %d MiB", ask.Load(), most>>20)
		})
	}
}

// mostMemory is how much memory the command may use for a platform of any size, in MiB.
const mostMemory = 64

// command builds the command.
func command(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "contracttest")
	if out, err := exec.CommandContext(tb.Context(), "go", "build", "-o", path, "github.com/assayhq/assay/cmd/contracttest").CombinedOutput(); err != nil {
		tb.Fatalf("%v: %s", err, out)
	}
	return path
}

// peak runs the command against ten million records and returns its peak memory in MiB.
func peak(tb testing.TB, path string, profile contracttest.Profile, least int) float64 {
	tb.Helper()
	var ask atomic.Int64
	server := httptest.NewUnstartedServer(endless(&ask, least))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // the check also tries old TLS and no TLS
	server.StartTLS()
	defer server.Close()
	dir := tb.TempDir()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for name, text := range map[string]string{"key": "test-key", "ca.pem": string(authority)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	cmd := exec.CommandContext(tb.Context(), path, "check", "--url", server.URL, "--key-file", filepath.Join(dir, "key"), "--ca-file", filepath.Join(dir, "ca.pem"),
		"--profile", string(profile), "--requests-per-second", "500", "--quiet", "--html", filepath.Join(dir, "report.html"), "--json", filepath.Join(dir, "report.json"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	most := 0.0
	for tick := time.Tick(5 * time.Millisecond); ; {
		select {
		case <-tick:
			most = max(most, highestMemory(tb, cmd.Process.Pid))
		case err := <-ended:
			if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() > 1 {
				tb.Fatalf("%v\n%s", err, &out)
			}
			return most
		}
	}
}

// highestMemory returns the peak resident memory of a process so far in MiB, or 0 if it has
// ended. What the system reports after the end includes the time before exec, when the process
// was a copy of this one.
func highestMemory(tb testing.TB, pid int) float64 {
	tb.Helper()
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // the process has ended
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			if err != nil {
				tb.Fatal(err)
			}
			return kb / 1024
		}
	}
	return 0
}

// The command's memory is measured for the whole process, including reports. It takes long because
// only many records show whether memory grows with them.
func TestMemoryOfTheCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a million records")
	}
	t.Parallel()
	if runtime.GOOS != "linux" {
		storetest.LeaveOut(t, "the memory of a process is read in Linux's way")
	}
	if got := peak(t, command(t), contracttest.Core, 0); got > mostMemory || got < 1 {
		t.Errorf("%.1f MiB at ten million records in each list, want at most %d", got, mostMemory)
	}
}

// BenchmarkMemory reports the memory of the command at ten million records in each list: with
// pages of the requested size, and with pages of 20,000 records.
func BenchmarkMemory(b *testing.B) {
	path := command(b)
	for _, profile := range []contracttest.Profile{contracttest.Core, contracttest.Full} {
		for _, least := range []int{0, 20_000} {
			b.Run(fmt.Sprintf("%s/pages=%d", profile, max(least, 500)), func(b *testing.B) {
				for b.Loop() {
					b.ReportMetric(peak(b, path, profile, least), "peak_MiB_RSS")
				}
			})
		}
	}
}
