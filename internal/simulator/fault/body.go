package fault

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
)

// Body returns the faults that spoil the bytes of a response.
func Body[Q, P any]() []Fault[Q, P] {
	return []Fault[Q, P]{
		{
			Name: "truncated-json", Description: "ends the JSON in the middle, in a complete response",
			Body: func(_ *Exchange, _ int, body []byte, _ *Options) []byte { return body[:len(body)/2] },
		},
		{
			Name: "empty-body", Description: "answers with a body of no bytes",
			Body: func(*Exchange, int, []byte, *Options) []byte { return nil },
		},
		{
			Name: "trailing-garbage", Description: "sends text after the end of the JSON",
			Body: func(_ *Exchange, _ int, body []byte, _ *Options) []byte {
				return append(bytes.Clone(body), "\n<!-- served by node 7 -->"...)
			},
		},
		{
			Name: "byte-order-mark", Description: "begins the body with a UTF-8 byte order mark",
			Body: func(_ *Exchange, _ int, body []byte, _ *Options) []byte {
				return append([]byte("\ufeff"), body...)
			},
		},
		{
			Name: "wrong-content-type", Description: "calls the JSON text/html",
			Header: func(x *Exchange, _ *Options) { x.Header().Set("Content-Type", "text/html; charset=utf-8") },
		},
		{
			Name: "chunked", Description: "sends the body without Content-Length, which HTTP allows",
			Header: func(x *Exchange, _ *Options) { x.Header().Del("Content-Length") },
			Write: func(x *Exchange, status int, body []byte, _ *Options) bool {
				x.WriteHeader(status)
				flushResponse(x)
				_, _ = x.Write(body)
				return true
			},
		},
		{
			Name: "gzip", Description: "compresses the body, asked or not, which most clients undo by themselves",
			Body: func(x *Exchange, _ int, body []byte, _ *Options) []byte {
				x.Header().Set("Content-Encoding", "gzip")
				return gzipBody(body)
			},
		},
		{
			Name: "huge-body", Description: "sends valid JSON of size=64MiB in one string",
			Defaults: Options{Size: 64 << 20}, Write: writeHuge,
		},
		{
			Name: "gzip-bomb", Description: "sends a small body that unpacks to size=1GiB",
			Defaults: Options{Size: 1 << 30}, Write: writeBomb,
		},
	}
}

const (
	hugeHead = `{"status":"ok","data":[{"id":"`
	hugeTail = `"}],"next_cursor":null}`
)

// writeHuge streams a long JSON text.
func writeHuge(x *Exchange, status int, _ []byte, o *Options) bool {
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
func writeBomb(x *Exchange, status int, _ []byte, o *Options) bool {
	const block = 1 << 20
	head, filler, tail := gzipBody([]byte(hugeHead)), gzipBody(bytes.Repeat([]byte("x"), block)), gzipBody([]byte(hugeTail))
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

func gzipBody(b []byte) []byte {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write(b) // a Buffer takes everything
	_ = zip.Close()
	return packed.Bytes()
}
