package reference_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assayhq/assay/internal/simulator/reference"
)

func TestServerSpeaksTLS(t *testing.T) {
	t.Parallel()
	s := start(t, reference.Options{})
	if !strings.HasPrefix(s.URL, "https://127.0.0.1:") || len(s.Key) < 20 {
		t.Errorf("URL %s, key of %d characters", s.URL, len(s.Key))
	}
	tests := []struct {
		name   string
		config *tls.Config
		fails  string
	}{
		{"1.2 and its own authority", &tls.Config{RootCAs: s.CertPool, MaxVersion: tls.VersionTLS12}, ""},
		{"1.3", &tls.Config{RootCAs: s.CertPool, MinVersion: tls.VersionTLS13}, ""},
		{"1.1", &tls.Config{RootCAs: s.CertPool, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, "protocol version"},
		{"system authorities", &tls.Config{}, "unknown authority"},
		{"another name", &tls.Config{RootCAs: s.CertPool, ServerName: "platform.example"}, "platform.example"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			transport := &http.Transport{TLSClientConfig: tt.config}
			defer transport.CloseIdleConnections()
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/health", nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Authorization", "Bearer "+s.Key)
			r, err := (&http.Client{Transport: transport}).Do(request)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("error %v, want one with %q", err, tt.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer r.Body.Close()
			if got := body(t, r); r.StatusCode != 200 || !strings.Contains(got, `"status":"ok"`) || r.Header.Get("Date") == "" {
				t.Errorf("status %d, Date %q: %s", r.StatusCode, r.Header.Get("Date"), got)
			}
		})
	}
}

func TestShutdownEndsHangingRequests(t *testing.T) {
	t.Parallel()
	s := start(t, small(1))
	if err := s.SetFault("hang", reference.FaultOptions{}); err != nil {
		t.Fatal(err)
	}
	client := s.Client()
	defer client.CloseIdleConnections()
	failed := make(chan error, 1)
	go func() {
		r, err := client.Get(s.URL + "/health")
		if err == nil {
			_ = r.Body.Close()
		}
		failed <- err
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	if err := <-failed; err == nil {
		t.Error("the hanging request was answered")
	}
	if _, err := net.DialTimeout("tcp", strings.TrimPrefix(s.URL, "https://"), time.Second); err == nil {
		t.Error("the port is still open")
	}
}

func TestCutsOverHTTP2(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"reset", "cut-body"} {
		s := start(t, small(1))
		if err := s.SetFault(fault, reference.FaultOptions{}); err != nil {
			t.Fatal(err)
		}
		client := s.Client()
		defer client.CloseIdleConnections()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/trades", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+key)
		r, err := client.Do(request)
		if err == nil {
			_, err = io.ReadAll(r.Body)
			_ = r.Body.Close()
		}
		if err == nil || fault == "cut-body" && r.ProtoMajor != 2 {
			t.Errorf("%s: error %v", fault, err)
		}
	}
}

// Readers, a living world and a test that changes it, all at once; the race
// detector judges.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	o := small(2)
	o.Start, o.Speed, o.Weekends = time.Time{}, 5_000, true
	o.OnRequest = func(reference.RequestInfo) {}
	p := newPlatform(t, o)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 30 {
				get(t, p, lists()[i]+"?limit=500&account_id=ac_00000001")
				p.PutTrader(reference.Trader{ID: "shared"})
				_ = p.SetFault("slow", reference.FaultOptions{Delay: time.Microsecond})
				p.Delete(reference.Traders, "shared")
				p.ClearFaults()
				p.Counts()
				p.Advance(time.Second)
			}
		})
	}
	wg.Wait()
}
