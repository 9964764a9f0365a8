package fetch_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/seal"
)

// raw serves connections with a function, below HTTP and perhaps TLS.
func (n *network) raw(name, ip string, encrypted bool, serve func(net.Conn)) {
	l := &listener{accept: make(chan net.Conn), closed: make(chan struct{})}
	n.names[name] = addrs(ip)
	n.servers[net.JoinHostPort(ip, "443")] = l
	n.t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			if encrypted {
				conn = tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{authority().leaf}})
			}
			go func() {
				defer func() { _ = conn.Close() }()
				serve(conn)
			}()
		}
	}()
}

// answer reads a request and writes text.
func answer(text string) func(net.Conn) {
	return func(conn net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
			_, _ = io.WriteString(conn, text)
		}
	}
}

func TestNetworkFailures(t *testing.T) {
	t.Parallel()
	type world = *network
	tests := []struct {
		name     string
		setup    func(world)
		code     connectors.Code
		requests int
		message  string
		reached  bool // by a connection
	}{
		{"unknown name", func(world) {}, connectors.CodeDNSFailed, 3, "the platform's host name does not exist", false},
		{"name without addresses", func(n world) { n.names["p.test"] = nil }, connectors.CodeDNSFailed, 3, "the platform's host name does not exist", false},
		{"private address", func(n world) { n.names["p.test"] = addrs("10.0.0.1") }, connectors.CodeBlockedAddress, 1, "the platform's address is not public", false},
		{"refused", func(n world) { n.names["p.test"] = addrs("1.0.0.1") }, connectors.CodeConnectFailed, 3, "the platform refused the connection", false},
		{
			"never accepts", func(n world) {
				n.names["p.test"] = addrs("1.0.0.1")
				n.servers["1.0.0.1:443"] = &listener{accept: make(chan net.Conn), closed: make(chan struct{})}
			}, connectors.CodeConnectFailed, 3, "the connection was not established in time", false,
		},
		{
			"no TLS", func(n world) {
				n.raw("p.test", "1.0.0.1", false, func(c net.Conn) {
					_, _ = io.WriteString(c, "SSH-2.0-OpenSSH_9.9\r\n")
					_, _ = io.Copy(io.Discard, c)
				})
			},
			connectors.CodeTLSFailed, 3, "the platform's port does not speak TLS", false,
		},
		{
			"closes in the handshake", func(n world) { n.raw("p.test", "1.0.0.1", false, func(net.Conn) {}) },
			connectors.CodeTLSFailed, 3, "the connection was lost during the TLS handshake", false,
		},
		{
			"silent in the handshake", func(n world) { n.raw("p.test", "1.0.0.1", false, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }) },
			connectors.CodeTimeout, 3, "the TLS handshake took too long", false,
		},
		{
			"TLS 1.1", func(n world) {
				n.serveTLS("p.test", "1.0.0.1", plain(1, true), func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11 })
			}, connectors.CodeTLSFailed, 3, "remote error: tls: protocol version not supported", false,
		},
		{
			"certificate of another name", func(n world) { n.serve("other.example", "1.0.0.1", plain(1, true)); n.names["p.test"] = nil },
			connectors.CodeTLSFailed, 1, "x509: certificate is valid for *.test, not other.example", false,
		},
		{
			"wants a client certificate", func(n world) {
				n.serveTLS("p.test", "1.0.0.1", plain(1, true), func(c *tls.Config) { c.ClientAuth, c.MaxVersion = tls.RequireAnyClientCert, tls.VersionTLS12 })
			}, connectors.CodeTLSFailed, 3, "remote error: tls: handshake failure", false,
		},
		{
			"closes without an answer", func(n world) { n.raw("p.test", "1.0.0.1", true, answer("")) },
			connectors.CodeConnectFailed, 3, "the connection was lost before an answer arrived", true,
		},
		{
			"breaks off in the header", func(n world) { n.raw("p.test", "1.0.0.1", true, answer("HTTP/1.1 200 OK\r\nContent-Type: text")) },
			connectors.CodeConnectFailed, 3, "the connection was lost before an answer arrived", true,
		},
		{
			"silent after the request", func(n world) {
				n.raw("p.test", "1.0.0.1", true, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
			}, connectors.CodeTimeout, 3, "no answer within 20 seconds", true,
		},
		{
			"not HTTP", func(n world) { n.raw("p.test", "1.0.0.1", true, answer("220 mail.p.test ESMTP\r\n")) },
			connectors.CodeUnexpectedResponse, 3, "the answer is not valid HTTP", true,
		},
		{
			"endless header", func(n world) {
				n.raw("p.test", "1.0.0.1", true, answer("HTTP/1.1 200 OK\r\n"+strings.Repeat("X-Filler: 0123456789abcdef\r\n", 5000)))
			}, connectors.CodeUnexpectedResponse, 3, "the answer's header is larger than 64 KiB", true,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				tt.setup(n)
				host := "p.test"
				if _, ok := n.names["other.example"]; ok {
					host = "other.example"
				}
				_, res, err := get(t, platform(n.client(fetch.Options{}), "https://"+host), fetch.Request{})
				e := platformError(t, err)
				if e.Code != tt.code || e.Message != tt.message || e.HTTPStatus != 0 || e.Stats.Requests != tt.requests || e.Endpoint != "GET /traders" {
					t.Errorf("got %v (%v) after %d requests\nwant %s: %s after %d", e, e.Err, e.Stats.Requests, tt.code, tt.message, tt.requests)
				}
				if e.Unreachable == tt.reached || e.Unanswered() != (tt.reached && tt.code != connectors.CodeUnexpectedResponse) {
					t.Errorf("unreachable %t, unanswered %t", e.Unreachable, e.Unanswered())
				}
				if res.Status != 0 || e.Err == nil {
					t.Errorf("status %d, cause %v", res.Status, e.Err)
				}
				if len(n.events) != tt.requests || n.events[0].Code != string(tt.code) {
					t.Errorf("events %+v", n.events)
				}
			})
		})
	}
}

// loopback starts a TLS server on the loopback interface, and a client that may reach it.
func loopback(t *testing.T, h http.Handler, change func(*httptest.Server)) (*httptest.Server, *fetch.Client) {
	t.Helper()
	srv := httptest.NewUnstartedServer(h)
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	if change != nil {
		change(srv)
	}
	srv.StartTLS()
	t.Cleanup(srv.Close)
	pool := x509.NewCertPool()
	pool.AddCert(srv.Certificate())
	c := fetch.New(fetch.Options{AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, RootCAs: pool})
	t.Cleanup(c.Close)
	return srv, c
}

func TestRealServer(t *testing.T) {
	t.Parallel()
	var protocol atomic.Value
	srv, c := loopback(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protocol.Store(r.Proto)
		_, _ = io.WriteString(w, `{"status":"ok"}`)
	}), func(s *httptest.Server) { s.EnableHTTP2 = true })
	body, res, err := get(t, platform(c, srv.URL), fetch.Request{Path: "/health"})
	if err != nil || body != `{"status":"ok"}` || res.Status != 200 || res.Date.IsZero() || protocol.Load() != "HTTP/1.1" {
		t.Errorf("got %q over %v, %+v, %v", body, protocol.Load(), res, err)
	}
}

func TestTLSVersions(t *testing.T) {
	t.Parallel()
	for version, ok := range map[uint16]bool{tls.VersionTLS10: false, tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		t.Run(tls.VersionName(version), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				n.serveTLS("p.test", "1.0.0.1", plain(1, true), func(c *tls.Config) { c.MinVersion, c.MaxVersion = version, version })
				_, _, err := get(t, platform(n.client(fetch.Options{}), "https://p.test"), fetch.Request{})
				if (err == nil) != ok {
					t.Errorf("error %v, want success: %v", err, ok)
				}
				if err != nil && platformError(t, err).Code != connectors.CodeTLSFailed {
					t.Errorf("got %v, want tls_failed", err)
				}
			})
		})
	}
}

func TestUntrustedCertificate(t *testing.T) {
	t.Parallel()
	srv, _ := loopback(t, plain(1, true), nil)
	c := fetch.New(fetch.Options{AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, RootCAs: x509.NewCertPool()})
	defer c.Close()
	_, _, err := get(t, platform(c, srv.URL), fetch.Request{})
	if e := platformError(t, err); e.Code != connectors.CodeTLSFailed || e.Stats.Requests != 1 || !strings.Contains(e.Message, "unknown authority") {
		t.Errorf("got %v after %d requests", e, e.Stats.Requests)
	}
}

// TestDialTimeout: a host to which no connection is made in time has the same code for a webhook as
// for a platform.
func TestDialTimeout(t *testing.T) {
	t.Parallel()
	srv, c := loopback(t, plain(1, true), nil)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Transport(fetch.Limits{Dial: time.Nanosecond, Handshake: time.Second}).RoundTrip(req)
	if err == nil {
		_ = resp.Body.Close()
		t.Fatal("the server answered")
	}
	if code := fetch.FailureCode(err); code != connectors.CodeConnectFailed {
		t.Errorf("%v is %s", err, code)
	}
}

// TestClientCertificateRequired: with TLS 1.3 the platform sends its alert after the
// handshake, in the place of an answer.
func TestClientCertificateRequired(t *testing.T) {
	t.Parallel()
	srv, c := loopback(t, plain(1, true), func(s *httptest.Server) { s.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert} })
	_, _, err := get(t, platform(c, srv.URL), fetch.Request{Policy: fetch.CheckPolicy})
	if e := platformError(t, err); e.Code != connectors.CodeTLSFailed || e.Message != "remote error: tls: certificate required" || !e.Unreachable {
		t.Errorf("got %v, unreachable %t", e, e.Unreachable)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Transport(fetch.Limits{Dial: time.Second, Handshake: time.Second}).RoundTrip(req)
	if err == nil {
		_ = resp.Body.Close()
		t.Fatal("the server answered")
	}
	if code := fetch.FailureCode(err); code != connectors.CodeTLSFailed {
		t.Errorf("%v is %s", err, code)
	}
}

// The guard is on by default: a server on this machine cannot be reached.
func TestRealServerBlocked(t *testing.T) {
	t.Parallel()
	srv, _ := loopback(t, plain(1, true), nil)
	c := fetch.New(fetch.Options{})
	defer c.Close()
	_, _, err := get(t, platform(c, srv.URL), fetch.Request{})
	if e := platformError(t, err); e.Code != connectors.CodeBlockedAddress {
		t.Errorf("got %v", e)
	}
}

// A customer whose platform is down must not cost the others their connections.
func TestKeepAliveSurvivesOthersFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		healthy := n.serve("good.test", "1.0.0.1", script(
			reply{status: 200, body: "fine"}, reply{status: 404, body: strings.Repeat("x", 10_000)}, reply{status: 429, body: "wait"}, reply{status: 200, body: "fine"}))
		n.serve("failing.test", "1.0.0.2", script(reply{status: 500}))
		n.serve("breaking.test", "1.0.0.3", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		n.names["down.test"] = addrs("1.0.0.4")
		c := n.client(fetch.Options{})
		for i := range 10 {
			for _, host := range []string{"failing.test", "breaking.test", "down.test", "unknown.test"} {
				if _, _, err := get(t, platform(c, "https://"+host), fetch.Request{}); err == nil {
					t.Fatalf("%s answered", host)
				}
			}
			if _, _, err := get(t, platform(c, "https://good.test"), fetch.Request{}); (err == nil) != (i == 0 || i > 2) {
				t.Fatalf("request %d: %v", i, err)
			}
		}
		if got := healthy.connections(); got != 1 {
			t.Errorf("10 requests used %d connections, want 1", got)
		}
	})
}

func TestCloseEndsIdleConnections(t *testing.T) {
	t.Parallel()
	var open atomic.Int64
	srv, c := loopback(t, plain(1, true), func(s *httptest.Server) {
		s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				open.Add(1)
			case http.StateClosed:
				open.Add(-1)
			}
		}
	})
	for range 5 {
		if _, _, err := get(t, platform(c, srv.URL), fetch.Request{}); err != nil {
			t.Fatal(err)
		}
	}
	if got := open.Load(); got != 1 {
		t.Errorf("%d connections are open, want 1", got)
	}
	c.Close()
	for deadline := time.Now().Add(10 * time.Second); open.Load() != 0; {
		if time.Now().After(deadline) {
			t.Fatal("the connection stays open after Close")
		}
		select {
		case <-t.Context().Done():
		case <-time.After(time.Millisecond):
		}
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{300, 301, 302, 303, 307, 308} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				var elsewhere atomic.Int64
				other := func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }
				n.serve("other.test", "1.0.0.2", other)
				n.serve("p.test", "1.0.0.1", func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path != "/traders" {
						other(w, r)
					}
					w.Header().Set("Location", "https://user:pw@other.test/login?token="+testKey+"#x")
					w.WriteHeader(status)
				})
				_, _, err := get(t, platform(n.client(fetch.Options{}), "https://p.test"), fetch.Request{})
				e := platformError(t, err)
				want := fmt.Sprintf("the platform answered with status %d to https://other.test/login", status)
				if e.Code != connectors.CodeUnexpectedRedirect || e.HTTPStatus != status || e.Message != want || e.Stats.Requests != 1 {
					t.Errorf("got %v\nwant message %s", e, want)
				}
				if elsewhere.Load() != 0 {
					t.Error("the redirect was followed")
				}
			})
		})
	}
}

// A 304 is no redirect: there is no other address that the base URL could be set to.
func TestNotModifiedIsNoRedirect(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		var elsewhere atomic.Int64
		n.serve("other.test", "1.0.0.2", func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) })
		n.serve("p.test", "1.0.0.1", script(reply{status: http.StatusNotModified, header: http.Header{"Location": {"https://other.test/"}}}))
		_, _, err := get(t, platform(n.client(fetch.Options{}), "https://p.test"), fetch.Request{})
		e := platformError(t, err)
		want := "the platform answered with status 304, which answers a condition, and assay sends none"
		if e.Code != connectors.CodeUnexpectedResponse || e.HTTPStatus != http.StatusNotModified || e.Message != want || e.Stats.Requests != 1 {
			t.Errorf("got %v\nwant message %s", e, want)
		}
		if elsewhere.Load() != 0 {
			t.Error("the address was asked for")
		}
	})
}

// A redirect of a framework that adds a slash says so, because the address it leads to is no base
// URL.
func TestRedirectToASlash(t *testing.T) {
	t.Parallel()
	for location, slash := range map[string]bool{"/traders/": true, "https://p.test/traders/?limit=5": true, "https://other.test/traders/": false, "/": false, "/traders": false} {
		synctest.Test(t, func(t *testing.T) {
			n := newNetwork(t)
			n.serve("p.test", "1.0.0.1", script(reply{status: 307, header: http.Header{"Location": {location}}}))
			_, _, err := get(t, platform(n.client(fetch.Options{}), "https://p.test"), fetch.Request{})
			e := platformError(t, err)
			if got := strings.Contains(e.Message, "the same path with a slash at its end"); e.Code != connectors.CodeUnexpectedRedirect || got != slash {
				t.Errorf("%s: %v", location, e)
			}
		})
	}
}

func TestUnusableSettings(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	c := n.client(fetch.Options{})
	tests := []struct {
		name, base, key, path string
		code                  connectors.Code
	}{
		{"no URL", "", testKey, "/traders", connectors.CodeInternal},
		{"http", "http://p.test", testKey, "/traders", connectors.CodeInternal},
		{"user in URL", "https://a:b@p.test", testKey, "/traders", connectors.CodeInternal},
		{"no key", "https://p.test", "", "/traders", connectors.CodeUnauthorized},
		{"key that splits the header", "https://p.test", "a\r\nX-Evil: 1", "/traders", connectors.CodeUnauthorized},
		{"path that extends the host", "https://p.test", testKey, ".evil.test/x", connectors.CodeInternal},
		{"path that makes the host a user", "https://p.test", testKey, "@evil.test/x", connectors.CodeInternal},
		{"path with query", "https://p.test", testKey, "/traders?x=1", connectors.CodeInternal},
		{"path with bad escape", "https://p.test", testKey, "/traders/%zz", connectors.CodeInternal},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := c.Platform(record.CustomAPI, connectors.Config{BaseURL: tt.base, APIKey: seal.NewSecret(tt.key)})
			res, err := p.Get(t.Context(), fetch.Request{Path: tt.path}, nil)
			res.Release()
			if e := platformError(t, err); e.Code != tt.code || e.Stats.Requests != 0 {
				t.Errorf("got %v", e)
			}
		})
	}
}

// TestChangedProtocol: after an answer that changes the protocol, the caller gets
// no connection, because no context could bound it.
func TestChangedProtocol(t *testing.T) {
	t.Parallel()
	srv, c := loopback(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
		_, _ = conn.Read(make([]byte, 1)) // until the client closes the connection
	}), nil)
	_, err := platform(c, srv.URL).Get(t.Context(), fetch.Request{Path: "/traders"}, nil)
	if e := platformError(t, err); e.Code != connectors.CodeUnexpectedResponse || e.HTTPStatus != http.StatusSwitchingProtocols {
		t.Errorf("error %v", err)
	}
}
