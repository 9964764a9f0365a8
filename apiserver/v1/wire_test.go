package v1_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
)

// conversation is a connection on which a test writes requests itself.
type conversation struct {
	net.Conn
	in *bufio.Reader
}

// talk opens a connection to the server.
func (b *testAPI) talk(t *testing.T) conversation {
	t.Helper()
	conn, err := net.Dial("tcp", b.server.Listener.Addr().String())
	check(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	check(t, conn.SetDeadline(time.Now().Add(2*time.Minute))) // for a server that does not answer
	return conversation{conn, bufio.NewReader(conn)}
}

// say writes lines, and an empty one after them.
func (c conversation) say(t *testing.T, lines ...string) {
	t.Helper()
	c.sayAll(t, lines, "")
}

// sayAll writes lines, an empty one and a body, all at once: a server that closes a connection
// with unread data may lose its response.
func (c conversation) sayAll(t *testing.T, lines []string, body string) {
	t.Helper()
	_, err := io.WriteString(c, strings.Join(lines, "\r\n")+"\r\n\r\n"+body)
	check(t, err)
}

// hear reads a response.
func (c conversation) hear(t *testing.T) reply {
	t.Helper()
	res, err := http.ReadResponse(c.in, nil)
	check(t, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	check(t, err)
	if res.Close {
		res.Header.Set("Connection", "close") // ReadResponse takes it away
	}
	return reply{res.StatusCode, res.Header, string(body)}
}

// closed fails the test unless the server closes the connection, possibly with a reset.
func (c conversation) closed(t *testing.T) {
	t.Helper()
	if rest, err := io.ReadAll(c.in); err != nil && !errors.Is(err, syscall.ECONNRESET) || len(rest) > 0 {
		t.Errorf("the connection goes on with %q, %v", rest, err)
	}
}

func (b *testAPI) authorization() string { return "Authorization: Bearer " + b.key }

// TestExpectContinue checks that a client that waits for the server's 100 Continue never sends a
// body that is refused by its header alone. It takes long because the server waits two seconds for
// each body that never comes.
func TestExpectContinue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/v1/integrations/" + b.create(t).String()
	b.readTimeout = 2 * time.Second // the server reads what arrives anyway, for this long
	b.registry = prometheus.NewRegistry()
	b.startAPI(t, b.db)
	const expect, media = "Expect: 100-continue", "Content-Type: application/json"
	tests := []struct {
		name   string
		lines  []string
		status int
		code   string
	}{
		{"no key", []string{"POST /v1/integrations HTTP/1.1", "Content-Length: 100", media}, 401, "authentication_required"},
		{"too large", []string{"POST /v1/integrations HTTP/1.1", "Content-Length: 1048577", media}, 413, "payload_too_large"},
		{"another type", []string{"PATCH " + path + " HTTP/1.1", b.authorization(), "Content-Length: 2", "Content-Type: text/plain"}, 415, "unsupported_media_type"},
		{"unknown parameter", []string{"PATCH " + path + "?x=1 HTTP/1.1", b.authorization(), "Content-Length: 2", media}, 422, "validation_failed"},
		{"not acceptable", []string{"PATCH " + path + " HTTP/1.1", b.authorization(), "Accept: text/html", "Content-Length: 2", media}, 406, "not_acceptable"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := b.talk(t)
			c.say(t, append(tt.lines, "Host: x", expect)...)
			r := c.hear(t)
			r.wantProblem(t, tt.status, tt.code)
			if r.header.Get("Connection") != "close" {
				t.Error("the connection is kept, though the body was not read")
			}
			c.closed(t)
		})
	}
	c := b.talk(t)
	c.say(t, "PATCH "+path+" HTTP/1.1", "Host: x", b.authorization(), media, "Content-Length: 16", expect)
	if res, err := http.ReadResponse(c.in, nil); err != nil || res.StatusCode != http.StatusContinue {
		t.Fatalf("answered %v, %v, want 100", res, err)
	}
	_, err := io.WriteString(c, `{"name": "Ours"}`)
	check(t, err)
	if r := c.hear(t).want(t, http.StatusOK); !strings.Contains(r.body, `"name":"Ours"`) {
		t.Errorf("answered %s", r.body)
	}
}

// TestSlowBodies checks that a body that does not arrive within the read timeout results in a
// problem and changes nothing.
func TestSlowBodies(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	path := "/v1/integrations/" + b.create(t).String()
	before := b.send(t, "GET", path, b.key, nil).body
	made, err := directory.CreateTrader(t.Context(), b.db, store.SystemChange(b.org.ID), directory.NewTrader{FullName: "Ada"})
	check(t, err)
	trader := "/v1/traders/" + made.ID.String()
	b.readTimeout = 2 * time.Second
	b.registry = prometheus.NewRegistry()
	b.startAPI(t, b.db)
	for _, head := range [][]string{
		{"PATCH " + path + " HTTP/1.1", "Content-Length: 16"},
		{"PATCH " + path + " HTTP/1.1", "Transfer-Encoding: chunked"},
		{"POST " + path + "/sync HTTP/1.1", "Content-Length: 2"},
		{"DELETE " + path + " HTTP/1.1", "Content-Length: 2"},
		{"GET " + path + " HTTP/1.1", "Content-Length: 2"},
		{"POST " + trader + "/notes HTTP/1.1", "Content-Length: 2"},
		{"POST " + trader + "/notes HTTP/1.1", "Content-Length: 2", "Idempotency-Key: k"},
		{"PATCH " + trader + " HTTP/1.1", "Content-Length: 2"},
		{"GET " + trader + " HTTP/1.1", "Content-Length: 2"},
		{"GET " + trader + "/trades HTTP/1.1", "Content-Length: 2"},
	} {
		t.Run(strings.Join(head, " "), func(t *testing.T) {
			t.Parallel()
			c := b.talk(t)
			c.say(t, append(head, "Host: x", b.authorization(), "Content-Type: application/json")...)
			r := c.hear(t)
			r.wantProblem(t, http.StatusRequestTimeout, "request_timeout")
			if r.header.Get("Connection") != "close" {
				t.Error("the connection is kept")
			}
			c.closed(t)
		})
	}
	t.Cleanup(func() {
		if after := b.send(t, "GET", path, b.key, nil).body; after != before {
			t.Errorf("a body that never came changed something:\n%s\n%s", before, after)
		}
	})
}

// TestTransferOddities checks that however a body is delimited, the next request on the
// connection is understood or the connection is closed.
func TestTransferOddities(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/v1/integrations/" + b.create(t).String()
	const chunked, media = "Transfer-Encoding: chunked", "Content-Type: application/json"
	tests := []struct {
		name   string
		head   []string
		body   string
		status int
		code   string // empty if it is not a problem document
	}{
		{"chunks", []string{chunked, media}, "5\r\n{\"nam\r\nb\r\ne\": \"Ours\"}\r\n0\r\n\r\n", 200, ""},
		{"chunks with extensions and trailers", []string{chunked, media, "Trailer: X"}, "2;a=b\r\n{}\r\n0\r\nX: y\r\n\r\n", 200, ""},
		{"length beside chunks", []string{chunked, "Content-Length: 3", media}, "2\r\n{}\r\n0\r\n\r\n", 200, ""},
		{"no chunk", []string{chunked, media}, "0\r\n\r\n", 400, "invalid_json"},
		{"chunk without a size", []string{chunked, media}, "x\r\n{}\r\n0\r\n\r\n", 400, "invalid_json"},
		{"two lengths that agree", []string{"Content-Length: 2", "Content-Length: 2", media}, "{}", 200, ""},
		{"two lengths that differ", []string{"Content-Length: 2", "Content-Length: 3", media}, "{}x", 400, ""},
		{"length with a sign", []string{"Content-Length: +2", media}, "{}", 400, ""},
		{"another coding", []string{"Transfer-Encoding: gzip", media}, "{}", 501, ""},
		{"two codings", []string{"Transfer-Encoding: gzip, chunked", media}, "{}", 501, ""},
		{"chunks twice", []string{chunked, chunked, media}, "2\r\n{}\r\n0\r\n\r\n", 501, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := b.talk(t)
			c.sayAll(t, append([]string{"PATCH " + path + " HTTP/1.1", "Host: x", b.authorization()}, tt.head...), tt.body)
			r := c.hear(t).want(t, tt.status)
			if tt.code != "" {
				r.wantProblem(t, tt.status, tt.code)
			}
			if r.header.Get("Connection") == "close" {
				c.closed(t)
				return
			}
			c.say(t, "GET /v1/integrations/egress HTTP/1.1", "Host: x", b.authorization())
			if next := c.hear(t).want(t, http.StatusOK); !strings.HasPrefix(next.body, `{"region":`) {
				t.Errorf("the next request answers %s", next.body)
			}
		})
	}
}

// TestBodylessPostsInChunks checks that a POST without a body may express that in any way.
func TestBodylessPostsInChunks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/v1/integrations/" + b.create(t).String()
	for i, tt := range []struct{ head, body string }{
		{"X: y", ""},
		{"Content-Length: 0", ""},
		{"Content-Length: 2", "{}"},
		{"Transfer-Encoding: chunked", "0\r\n\r\n"},
		{"Transfer-Encoding: chunked", "2\r\n{}\r\n0\r\n\r\n"},
	} {
		c := b.talk(t)
		head := fmt.Sprintf("POST %s/sync HTTP/1.1", path)
		c.sayAll(t, []string{head, "Host: x", b.authorization(), "Content-Type: application/json", tt.head}, tt.body)
		if r := c.hear(t).want(t, http.StatusOK); r.body != `{"queued":false,"reason":"already_queued"}` { // a new integration is due already
			t.Errorf("form %d: %s", i, r.body)
		}
	}
}
