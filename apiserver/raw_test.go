package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/store/storetest"
)

// TestWhatIsNoRequest checks that what net/http cannot parse as a request never reaches the API.
// It is refused in a line of plain text that repeats nothing of it, and the connection is closed.
func TestWhatIsNoRequest(t *testing.T) {
	t.Parallel()
	s := newSite(t, storetest.URL(t))
	d := s.start(t)
	d.ready(t)
	const host = "Host: hunter2\r\n"
	tests := []struct {
		name string
		text string
		want int
	}{
		{"request line", "hunter2\r\n\r\n", 400},
		{"method that is no token", "hunter2@ / HTTP/1.1\r\n" + host + "\r\n", 400},
		{"path that is none", "GET hunter2 HTTP/1.1\r\n" + host + "\r\n", 400},
		{"path with a control character", "GET /\x01hunter2 HTTP/1.1\r\n" + host + "\r\n", 400},
		{"version", "GET /hunter2 HTTP/3.0\r\n" + host + "\r\n", 505},
		{"no host", "GET /hunter2 HTTP/1.1\r\n\r\n", 400},
		{"two hosts", "GET /hunter2 HTTP/1.1\r\n" + host + host + "\r\n", 400},
		{"header name", "GET /hunter2 HTTP/1.1\r\n" + host + "hunter2 : x\r\n\r\n", 400},
		{"header value", "GET /hunter2 HTTP/1.1\r\n" + host + "X: hunter2\x00\r\n\r\n", 400},
		{"header of 40 KiB", "GET /hunter2 HTTP/1.1\r\n" + host + "X: " + strings.Repeat("hunter2 ", 5<<10) + "\r\n\r\n", 431},
		{"coding", "POST /hunter2 HTTP/1.1\r\n" + host + "Transfer-Encoding: hunter2\r\n\r\n", 501},
		{"length", "POST /hunter2 HTTP/1.1\r\n" + host + "Content-Length: hunter2\r\n\r\n", 400},
		{"two lengths", "POST /hunter2 HTTP/1.1\r\n" + host + "Content-Length: 7\r\nContent-Length: 8\r\n\r\nhunter2", 400},
		{"length beside a coding", "POST /hunter2 HTTP/1.1\r\n" + host + "Content-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
		{"coding beside a length", "POST /hunter2 HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\nContent-Length: 7\r\n\r\n0\r\n\r\n", 400},
		{"expectation", "GET /hunter2 HTTP/1.1\r\n" + host + "Expect: hunter2\r\n\r\n", 417},
		{"TLS", "\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03hunter2\r\n\r\n", 400},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			conn, err := net.Dial("tcp", d.public)
			check(t, err)
			defer func() { _ = conn.Close() }()
			check(t, conn.SetDeadline(time.Now().Add(patience)))
			_, err = io.WriteString(conn, tt.text)
			check(t, err)
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			check(t, err)
			defer func() { _ = res.Body.Close() }()
			body, _ := io.ReadAll(res.Body) // a reset after the text adds no information
			if res.StatusCode != tt.want || !res.Close {
				t.Errorf("answered %d, closing %v, want %d and the end", res.StatusCode, res.Close, tt.want)
			}
			if len(body) > 100 || strings.Contains(string(body), "hunter2") {
				t.Errorf("body %q", body)
			}
			if media := res.Header.Get("Content-Type"); len(body) > 0 && media != "text/plain; charset=utf-8" {
				t.Errorf("Content-Type %q", media)
			}
		})
	}
	if status, body := get(http.DefaultClient, "http://"+d.public+"/v1/traders", ""); status != http.StatusUnauthorized || !strings.Contains(body, "request_id") {
		t.Errorf("afterwards a request is answered with %d %s", status, body)
	}
	if strings.Contains(d.logged(), "hunter2") {
		t.Errorf("the log holds what was sent: %s", d.logged())
	}
}
