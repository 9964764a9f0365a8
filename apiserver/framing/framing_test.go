package framing_test

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assayhq/assay/apiserver/framing"
)

// site is a server behind the listener that records requests.
type site struct {
	address string
	mu      sync.Mutex
	asked   []string // methods and paths, in order
	bodies  []string
}

func newSite(t *testing.T, config *tls.Config) *site {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &site{address: l.Addr().String()}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: framing.LastWhenChunked(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked, s.bodies = append(s.asked, r.Method+" "+r.URL.Path), append(s.bodies, string(body))
		if tls := r.TLS != nil; tls != (config != nil) {
			w.WriteHeader(http.StatusTeapot)
		}
		_, _ = io.WriteString(w, r.Proto)
	}))}
	var ended sync.WaitGroup
	ended.Go(func() { _ = server.Serve(framing.Listen(l, config)) })
	t.Cleanup(func() {
		_ = server.Close()
		ended.Wait()
	})
	return s
}

// sendParts sends the parts, each in its own packet, and returns the status of each response
// until the server has closed the connection. If the connection is to stay open, the client
// closes it.
func sendParts(t *testing.T, conn net.Conn, stays bool, parts ...string) (statuses []int) {
	t.Helper()
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	for _, part := range parts {
		if _, err := io.WriteString(conn, part); err != nil {
			break // the connection is closed, as the responses show
		}
	}
	if half, ok := conn.(interface{ CloseWrite() error }); stays && ok {
		_ = half.CloseWrite()
	}
	in := bufio.NewReader(conn)
	for {
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			return statuses
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		statuses = append(statuses, res.StatusCode)
	}
}

func TestRequestsOnOneConnection(t *testing.T) {
	t.Parallel()
	const host = "Host: x\r\n"
	const smuggled = "GET /smuggled HTTP/1.1\r\n" + host + "\r\n"
	both := func(first, second string) string {
		return "POST /first HTTP/1.1\r\n" + host + first + second + "\r\n0\r\n\r\n" + smuggled
	}
	const length, chunked = "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"
	tests := []struct {
		name     string
		text     string
		statuses []int
		asked    []string
		stays    bool
	}{
		{"length, then coding", both(length, chunked), []int{400}, nil, false},
		{"coding, then length", both(chunked, length), []int{400}, nil, false},
		{"names in odd case", both("cOnTeNt-lEnGtH:5\r\n", "tRANSFER-eNCODING:\tchunked \r\n"), []int{400}, nil, false},
		{"other headers between", both(length+"X: "+strings.Repeat("y", 9000)+"\r\n", chunked), []int{400}, nil, false},
		{"line feeds alone", strings.ReplaceAll(both(length, chunked), "\r\n", "\n"), []int{400}, nil, false},
		{"length of zero", both("Content-Length: 0\r\n", chunked), []int{400}, nil, false},
		{"coding that is none", both(length, "Transfer-Encoding: identity\r\n"), []int{400}, nil, false},
		{"coding of HTTP/1.0", strings.Replace(both("Connection: keep-alive\r\n", chunked), "HTTP/1.1", "HTTP/1.0", 1), []int{400}, nil, false},
		{"coding of HTTP/1.0 at a long path", strings.Replace(both("", chunked), "/first HTTP/1.1", "/"+strings.Repeat("first", 100)+" HTTP/1.0", 1), []int{400}, nil, false},
		{"two lengths that differ", both(length, "Content-Length: 6\r\n"), []int{400}, nil, false},
		{"two lengths in one line", both("Content-Length: 5, 6\r\n", ""), []int{400}, nil, false},
		{"length with a sign", both("Content-Length: +5\r\n", ""), []int{400}, nil, false},
		{"length that is too long", both("Content-Length: "+strings.Repeat("0", 80)+"5\r\n", ""), []int{400}, nil, false},
		{"folded header", both("X: y\r\n Content-Length: 5\r\n", chunked), []int{400}, nil, false},
		{"space before the colon", both("Content-Length : 5\r\n", chunked), []int{400}, nil, false},
		{
			"behind requests that are right",
			"GET /a HTTP/1.1\r\n" + host + "\r\nPOST /b HTTP/1.1\r\n" + host + "Content-Length: 7\r\n\r\nabc\r\n\r\nPUT /c HTTP/1.1\r\n" + host + "Content-Length: 0\r\n\r\n" + both(length, chunked),
			[]int{200, 200, 200, 400},
			[]string{"GET /a", "POST /b", "PUT /c"},
			false,
		},
		{
			"bodies that look like a header",
			"POST /a HTTP/1.1\r\n" + host + "Content-Length: 56\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: xGET /b HTTP/1.1\r\n" + host + "\r\n",
			[]int{200, 200},
			[]string{"POST /a", "GET /b"},
			true,
		},
		{"the same length twice", "POST /a HTTP/1.1\r\n" + host + length + length + "\r\nabcdeGET /b HTTP/1.1\r\n" + host + "\r\n", []int{200, 200}, []string{"POST /a", "GET /b"}, true},
		{
			"nothing behind a chunked body",
			"POST /a HTTP/1.1\r\n" + host + chunked + "\r\n3;x=y\r\nabc\r\n0\r\nTrailer: Content-Length: 5\r\n\r\n" + smuggled,
			[]int{200},
			[]string{"POST /a"},
			false,
		},
		{
			"nothing behind a chunked body, not even what is ambiguous",
			"POST /a HTTP/1.1\r\n" + host + chunked + "\r\n0\r\nContent-Length: 5\r\n\r\n" + both(length, chunked),
			[]int{200},
			[]string{"POST /a"},
			false,
		},
	}
	split := func(text string) (whole, halves, bytes []string) {
		return []string{text}, []string{text[:len(text)/2], text[len(text)/2:]}, strings.Split(text, "")
	}
	for _, tt := range tests {
		whole, halves, bytes := split(tt.text)
		for name, parts := range map[string][]string{"whole": whole, "halves": halves, "bytes": bytes} {
			t.Run(tt.name+", "+name, func(t *testing.T) {
				t.Parallel()
				s := newSite(t, nil)
				conn, err := net.Dial("tcp", s.address)
				if err != nil {
					t.Fatal(err)
				}
				statuses := sendParts(t, conn, tt.stays, parts...)
				s.mu.Lock()
				defer s.mu.Unlock()
				if !slices.Equal(s.asked, tt.asked) {
					t.Errorf("the handler was asked for %q, want %q", s.asked, tt.asked)
				}
				// Data after the end may reset the connection before its response has been read.
				if lost := len(statuses) == len(tt.statuses)-1 && !tt.stays && name == "bytes"; !lost && !slices.Equal(statuses, tt.statuses) {
					t.Errorf("answered %v, want %v", statuses, tt.statuses)
				}
			})
		}
	}
}

func TestOverTLS(t *testing.T) {
	t.Parallel()
	certificate := httptest.NewUnstartedServer(nil)
	certificate.StartTLS() // only for its certificate
	defer certificate.Close()
	s := newSite(t, &tls.Config{Certificates: certificate.TLS.Certificates, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}})
	for _, want := range []string{"HTTP/1.1", "HTTP/2.0"} {
		protocols := new(http.Protocols)
		protocols.SetHTTP1(want == "HTTP/1.1")
		protocols.SetHTTP2(want == "HTTP/2.0")
		transport := certificate.Client().Transport.(*http.Transport).Clone()
		transport.Protocols = protocols
		defer transport.CloseIdleConnections()
		for range 2 {
			res, err := (&http.Client{Transport: transport}).Post("https://"+s.address+"/", "text/plain", io.NopCloser(strings.NewReader("body")))
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if res.StatusCode != http.StatusOK || string(body) != want {
				t.Errorf("over %s: %d %s", want, res.StatusCode, body)
			}
		}
	}
	conn, err := tls.Dial("tcp", s.address, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12})
	if err != nil {
		t.Fatal(err)
	}
	got := sendParts(t, conn, false, "POST /smuggler HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(got, []int{http.StatusBadRequest}) || len(s.asked) != 4 {
		t.Errorf("answered %v, asked for %q", got, s.asked)
	}
}
