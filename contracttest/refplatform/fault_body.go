package refplatform

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
)

// bodyFaults spoil the bytes of a response.
func bodyFaults() []fault {
	return []fault{
		{
			name: "truncated-json", description: "ends the JSON in the middle, in a complete response",
			body: func(_ *exchange, _ int, body []byte, _ *FaultOptions) []byte { return body[:len(body)/2] },
		},
		{
			name: "empty-body", description: "answers with a body of no bytes",
			body: func(*exchange, int, []byte, *FaultOptions) []byte { return nil },
		},
		{
			name: "trailing-garbage", description: "sends text after the end of the JSON",
			body: func(_ *exchange, _ int, body []byte, _ *FaultOptions) []byte {
				return append(bytes.Clone(body), "\n<!-- served by node 7 -->"...)
			},
		},
		{
			name: "byte-order-mark", description: "begins the body with a UTF-8 byte order mark",
			body: func(_ *exchange, _ int, body []byte, _ *FaultOptions) []byte {
				return append([]byte("\ufeff"), body...)
			},
		},
		{
			name: "wrong-content-type", description: "calls the JSON text/html",
			header: func(x *exchange, _ *FaultOptions) { x.Header().Set("Content-Type", "text/html; charset=utf-8") },
		},
		{
			name: "chunked", description: "sends the body without Content-Length, which HTTP allows",
			header: func(x *exchange, _ *FaultOptions) { x.Header().Del("Content-Length") },
			write: func(x *exchange, status int, body []byte, _ *FaultOptions) bool {
				x.WriteHeader(status)
				flush(x)
				_, _ = x.Write(body)
				return true
			},
		},
		{
			name: "gzip", description: "compresses the body, asked or not, which most clients undo by themselves",
			body: func(x *exchange, _ int, body []byte, _ *FaultOptions) []byte {
				x.Header().Set("Content-Encoding", "gzip")
				return compress(body)
			},
		},
		{
			name: "huge-body", description: "sends valid JSON of size=64MiB in one string",
			defaults: FaultOptions{Size: 64 << 20}, write: writeHuge,
		},
		{
			name: "gzip-bomb", description: "sends a small body that unpacks to size=1GiB",
			defaults: FaultOptions{Size: 1 << 30}, write: writeBomb,
		},
	}
}

const (
	hugeHead = `{"status":"ok","data":[{"id":"`
	hugeTail = `"}],"next_cursor":null}`
)

// writeHuge streams a long JSON text.
func writeHuge(x *exchange, status int, _ []byte, o *FaultOptions) bool {
	filler := bytes.Repeat([]byte("x"), 64<<10)
	rest := max(o.Size-int64(len(hugeHead)+len(hugeTail)), 0)
	x.Header().Set("Content-Length", strconv.FormatInt(rest+int64(len(hugeHead)+len(hugeTail)), 10))
	x.WriteHeader(status)
	_, _ = x.Write([]byte(hugeHead))
	for rest > 0 {
		n, err := x.Write(filler[:min(rest, int64(len(filler)))])
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		rest -= int64(n)
	}
	_, _ = x.Write([]byte(hugeTail))
	return true
}

// writeBomb sends the same JSON as writeHuge, compressed: gzip members follow
// one another, so that the filler is packed only once.
func writeBomb(x *exchange, status int, _ []byte, o *FaultOptions) bool {
	const block = 1 << 20
	head, filler, tail := compress([]byte(hugeHead)), compress(bytes.Repeat([]byte("x"), block)), compress([]byte(hugeTail))
	x.Header().Set("Content-Encoding", "gzip")
	x.Header().Del("Content-Length")
	x.WriteHeader(status)
	_, _ = x.Write(head)
	for range (o.Size + block - 1) / block {
		if _, err := x.Write(filler); err != nil {
			panic(http.ErrAbortHandler)
		}
	}
	_, _ = x.Write(tail)
	return true
}

func compress(b []byte) []byte {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write(b) // a Buffer takes everything
	_ = zip.Close()
	return packed.Bytes()
}
