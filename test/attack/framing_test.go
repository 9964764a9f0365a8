package attack_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// framing is a way to tell a proxy and a server different ends of the same request.
type framing struct {
	name string
	// text is the request; HIDDEN is the one that must not be carried out, and LENGTH
	// the number of its bytes.
	text string
}

// framings lists the ways. Each request but the last few is ambiguous and must be
// refused, or has to end where the headers say and leave the connection closed.
func framings() []framing {
	const begin = "POST /v1/nothing HTTP/1.1\r\nHost: assay\r\n"
	const chunked, zero = "Transfer-Encoding: chunked\r\n", "0\r\n\r\nHIDDEN"
	return []framing{
		{"length before coding", begin + "Content-Length: 5\r\n" + chunked + "\r\n" + zero},
		{"coding before length", begin + chunked + "Content-Length: 5\r\n\r\n" + zero},
		{"length of all", begin + "Content-Length: LENGTH5\r\n" + chunked + "\r\n" + zero},
		{"length of zero", begin + "Content-Length: 0\r\n" + chunked + "\r\n" + zero},
		{"two lengths", begin + "Content-Length: 0\r\nContent-Length: LENGTH\r\n\r\nHIDDEN"},
		{"two lengths, the other first", begin + "Content-Length: LENGTH\r\nContent-Length: 0\r\n\r\nHIDDEN"},
		{"lengths in a list", begin + "Content-Length: 0, LENGTH\r\n\r\nHIDDEN"},
		{"length with a sign", begin + "Content-Length: +0\r\n\r\nHIDDEN"},
		{"negative length", begin + "Content-Length: -1\r\n\r\nHIDDEN"},
		{"hexadecimal length", begin + "Content-Length: 0x0\r\n\r\nHIDDEN"},
		{"length that overflows", begin + "Content-Length: 18446744073709551616\r\n\r\nHIDDEN"},
		{"folded length", begin + "X: y\r\n Content-Length: LENGTH\r\n" + chunked + "\r\n" + zero},
		{"folded coding", begin + "Content-Length: 5\r\nTransfer-Encoding:\r\n chunked\r\n\r\n" + zero},
		{"folded with a tab", begin + "Content-Length:\r\n\t5\r\n" + chunked + "\r\n" + zero},
		{"space before the colon", begin + "Content-Length: 5\r\nTransfer-Encoding : chunked\r\n\r\n" + zero},
		{"space before the name", begin + " Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + zero},
		{"unknown coding", begin + "Content-Length: 5\r\nTransfer-Encoding: xchunked\r\n\r\n" + zero},
		{"two codings", begin + "Transfer-Encoding: chunked, identity\r\nContent-Length: 5\r\n\r\n" + zero},
		{"coding twice", begin + chunked + "Transfer-Encoding: identity\r\n\r\n" + zero},
		{"coding with a vertical tab", begin + "Content-Length: 5\r\nTransfer-Encoding:\vchunked\r\n\r\n" + zero},
		{"coding with a zero byte", begin + "Content-Length: 5\r\nTransfer-Encoding: chunked\x00\r\n\r\n" + zero},
		{"coding in quotes", begin + "Content-Length: 5\r\nTransfer-Encoding: \"chunked\"\r\n\r\n" + zero},
		{"line feed alone", begin + "Content-Length: 5\nTransfer-Encoding: chunked\n\n" + zero},
		{"line feed within a header", begin + "X: y\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + zero},
		{"carriage return alone", begin + "X: y\rTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + zero},
		{"HTTP/1.0 with a coding", strings.Replace(begin, "1.1", "1.0", 1) + "Connection: keep-alive\r\n" + chunked + "Content-Length: 5\r\n\r\n" + zero},
		{"HTTP/0.9", "POST /v1/nothing\r\nHIDDEN"},
		{"chunk size with a sign", begin + chunked + "\r\n+0\r\n\r\nHIDDEN"},
		{"chunk size in hexadecimal notation", begin + chunked + "\r\n0x0\r\n\r\nHIDDEN"},
		{"chunk size that overflows", begin + chunked + "\r\n10000000000000000\r\n\r\nHIDDEN"},
		{"chunk ended by a line feed", begin + chunked + "\r\n0\n\nHIDDEN"},
		{"line feed in a chunk extension", begin + chunked + "\r\n1;x\nz\r\nHIDDEN"},
		{"trailer with a length", begin + chunked + "\r\n0\r\nContent-Length: LENGTH\r\n\r\nHIDDEN"},
		{"behind a chunked body", begin + chunked + "\r\n" + zero},
		{"body of a GET", "GET /v1/traders HTTP/1.1\r\nHost: assay\r\nContent-Length: LENGTH\r\n\r\nHIDDEN"},
		{"body of a HEAD", "HEAD /v1/traders HTTP/1.1\r\nHost: assay\r\nContent-Length: LENGTH\r\n\r\nHIDDEN"},
		{"body of a request that is refused", "POST /v1/traders HTTP/1.1\r\nHost: assay\r\nContent-Length: LENGTH\r\n\r\nHIDDEN"},
		{"body that is awaited", begin + "Expect: 100-continue\r\nContent-Length: LENGTH\r\n\r\nHIDDEN"},
		{"upgrade to HTTP/2", "POST /v1/nothing HTTP/1.1\r\nHost: assay\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nContent-Length: LENGTH\r\n\r\nHIDDEN"},
		{"absolute address with another host", "GET http://other.example/v1/traders HTTP/1.1\r\nHost: assay\r\nContent-Length: LENGTH\r\n\r\nHIDDEN"},
	}
}

// attackFraming sends requests whose end is ambiguous, with another request behind it
// that would make a trader. They come whole or cut at a random byte, and with names
// in random case.
func attackFraming(t *testing.T, s *site, size int) string {
	t.Helper()
	const name = "Hidden Request"
	all := framings()
	refused := 0
	for n := range size {
		f := all[n%len(all)]
		body := fmt.Sprintf(`{"full_name": %q}`, name)
		hidden := fmt.Sprintf("POST /v1/traders HTTP/1.1\r\nHost: assay\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", s.keys[n%len(s.keys)], len(body), body)
		text := strings.NewReplacer("HIDDEN", hidden, "LENGTH", fmt.Sprint(len(hidden))).Replace(f.text)
		if n >= len(all) {
			text = s.randomCase(text, "Content-Length:", "Transfer-Encoding:")
		}
		cut := len(text)
		if n >= len(all) {
			cut = s.IntN(len(text))
		}
		for _, status := range s.sendRaw(t, text[:cut], text[cut:]) {
			if status == http.StatusBadRequest {
				refused++
			}
			if status == http.StatusCreated {
				t.Errorf("%s: the hidden request was carried out", f.name)
			}
		}
	}
	if n := s.rows(t, `SELECT count(*) FROM traders WHERE full_name = $1`, name); n > 0 {
		t.Errorf("%d hidden requests have made a trader", n)
	}
	return fmt.Sprintf("%d of %d ways: 400; no hidden request in the database", refused, size)
}

// randomCase writes the names in random case wherever they occur.
func (s *site) randomCase(text string, names ...string) string {
	for _, name := range names {
		other := []byte(name)
		for i, c := range other {
			if s.IntN(2) == 0 && c >= 'A' && c <= 'z' {
				other[i] = c ^ 0x20
			}
		}
		text = strings.ReplaceAll(text, name, string(other))
	}
	return text
}

// sendRaw sends the parts on a connection of their own, and returns the statuses of all
// answers until apiserver closes it.
func (s *site) sendRaw(t *testing.T, parts ...string) (statuses []int) {
	t.Helper()
	conn := s.dial(t)
	defer func() { _ = conn.Close() }()
	check(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	for _, part := range parts {
		if _, err := io.WriteString(conn, part); err != nil {
			break // closed already, as the answers show
		}
	}
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // so that apiserver closes a connection that it would keep
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
