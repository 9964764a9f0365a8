package host_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/assayhq/assay/internal/simulator/host"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve serves a platform that answers as the function does, until the test ends.
func serve(t *testing.T, platform http.HandlerFunc) *host.Server {
	t.Helper()
	s, err := host.Start(platform, host.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestServerSpeaksTLS(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
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
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
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
			if r.StatusCode != http.StatusNoContent || r.Header.Get("Date") == "" {
				t.Errorf("status %d, Date %q", r.StatusCode, r.Header.Get("Date"))
			}
		})
	}
}

func TestShutdownEndsHangingRequests(t *testing.T) {
	t.Parallel()
	arrived := make(chan bool, 1)
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		arrived <- true
		<-r.Context().Done()
	})
	client := s.Client()
	defer client.CloseIdleConnections()
	failed := make(chan error, 1)
	go func() {
		r, err := client.Get(s.URL)
		if err == nil {
			_ = r.Body.Close()
		}
		failed <- err
	}()
	<-arrived
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
