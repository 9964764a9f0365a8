// Package framing refuses HTTP/1 requests that state the length of their body in two ways. If a
// proxy and a server believe different ones, they disagree on where the next request begins,
// which allows request smuggling.
//
// net/http drops a Content-Length next to a Transfer-Encoding before any handler sees the
// request. This package therefore inspects the bytes of a connection before net/http reads them.
package framing

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
	"strings"
)

// errAmbiguous is what the reader of a connection returns in place of a request that states its
// length in two ways. net/http then answers 400 and closes the connection.
var errAmbiguous = errors.New("the request has two conflicting lengths")

// keptLine is how many bytes of a line are kept. Relevant lines are shorter.
const keptLine = 64

// lengthDigits limits the digits of a Content-Length, so that it fits an int64.
const lengthDigits = 18

// watcher follows the bytes of a connection from request to request.
type watcher struct {
	state   state
	line    []byte // beginning of the current header line
	cut     bool   // the line is longer than what is kept
	old     bool   // the request's version is not HTTP/1.1
	length  int64  // bytes of the body that are still to come
	lengths bool   // the header has a Content-Length
	chunked bool   // the header has a Transfer-Encoding
	refused bool
}

type state int

const (
	between state = iota // line breaks that may precede a request
	request              // the request line
	header
	body
	// unknown follows a Transfer-Encoding: no other request is read from the connection, see
	// LastWhenChunked.
	unknown
)

// scanBytes inspects bytes of the connection and returns how many of them may be passed on: all,
// or those before the line that makes a request ambiguous.
func (w *watcher) scanBytes(b []byte) int {
	passed := 0
	for passed < len(b) && !w.refused {
		rest := b[passed:]
		switch w.state {
		case unknown:
			return len(b)
		case body:
			n := min(w.length, int64(len(rest)))
			passed += int(n)
			if w.length -= n; w.length == 0 {
				w.state = between
			}
		case between:
			if rest[0] == '\r' || rest[0] == '\n' {
				passed++
				continue
			}
			w.state, w.lengths, w.chunked, w.length = request, false, false, 0
		case request, header:
			n, ended := w.keepLine(rest)
			if ended && !w.endLine() {
				w.refused = true
				return passed
			}
			passed += n
		}
	}
	return passed
}

// keepLine adds to the line, up to its end.
func (w *watcher) keepLine(b []byte) (n int, ended bool) {
	n = bytes.IndexByte(b, '\n') + 1
	ended = n > 0
	if !ended {
		n = len(b)
	}
	if w.state == request { // the version is at its end
		w.line = append(w.line, b[max(0, n-keptLine):n]...)
		w.line = append(w.line[:0], w.line[max(0, len(w.line)-keptLine):]...)
		return n, ended
	}
	room := keptLine - len(w.line)
	w.cut = w.cut || n > room
	w.line = append(w.line, b[:min(n, room)]...)
	return n, ended
}

// endLine evaluates a complete line. It returns false if the request is ambiguous.
func (w *watcher) endLine() bool {
	line, cut := bytes.TrimSuffix(bytes.TrimSuffix(w.line, []byte("\n")), []byte("\r")), w.cut
	w.line, w.cut = w.line[:0], false
	if w.state == request {
		w.state, w.old = header, !bytes.HasSuffix(line, []byte(" HTTP/1.1"))
		return true
	}
	if len(line) == 0 {
		w.endHeader()
		return true
	}
	if line[0] == ' ' || line[0] == '\t' {
		return false // a continuation of the previous line, which clients no longer send
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	switch {
	case strings.EqualFold(string(name), "Transfer-Encoding"):
		w.chunked = true
	case strings.EqualFold(string(name), "Content-Length"):
		if cut || !w.readLength(string(bytes.Trim(value, " \t"))) {
			return false
		}
	}
	return !w.chunked || !w.lengths && !w.old // this coding did not exist before 1.1, and net/http reads no body there
}

// readLength reads a Content-Length. A header may contain several if they are equal.
func (w *watcher) readLength(text string) bool {
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil || len(text) > lengthDigits || w.lengths && int64(n) != w.length {
		return false
	}
	w.length, w.lengths = int64(n), true
	return true
}

func (w *watcher) endHeader() {
	switch {
	case w.chunked:
		w.state = unknown
	case w.length > 0:
		w.state = body
	default:
		w.state = between
	}
}

// LastWhenChunked makes a request with a Transfer-Encoding the last of its connection, because
// the watcher does not follow where it ends.
func LastWhenChunked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 1 && len(r.TransferEncoding) > 0 {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
