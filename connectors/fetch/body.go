package fetch

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// Sizes of bodies in bytes, decompressed.
const (
	firstBody = 64 << 10  // a new buffer
	smallBody = 512 << 10 // what every body may take
	maxBody   = 32 << 20  // what a body may take with the large-body token
	maxPacked = 33 << 20  // compressed bytes: gzip adds little to what it cannot compress
	maxHead   = 4 << 10   // kept of an answer whose status is not 200
	maxDrain  = 64 << 10  // read of such an answer to keep its connection
)

var (
	errTooLarge = errors.New("body too large")
	errEncoding = errors.New("content encoding")
)

// bodies is the memory for bodies of one client.
type bodies struct {
	buffers sync.Pool     // of *[]byte, never larger than smallBody
	readers sync.Pool     // of *gzip.Reader
	large   chan struct{} // holds the large-body token while a body has it
}

func newBodies() *bodies { return &bodies{large: make(chan struct{}, 1)} }

// body is the memory of one answer.
type body struct {
	owner *bodies
	buf   []byte
	large bool // has the token
}

func (bs *bodies) takeBody() *body {
	if p, ok := bs.buffers.Get().(*[]byte); ok {
		return &body{owner: bs, buf: (*p)[:0]}
	}
	return &body{owner: bs, buf: make([]byte, 0, firstBody)}
}

// recycleBuffer returns the buffer to the pool. It leaves grown buffers to the
// garbage collector.
func (b *body) recycleBuffer() {
	if buf := b.buf; cap(buf) >= firstBody && cap(buf) <= smallBody {
		b.owner.buffers.Put(&buf)
	}
	b.buf = nil
}

// releaseToken releases the token if the body has it.
func (b *body) releaseToken() {
	if b.large {
		b.large = false
		<-b.owner.large
	}
}

// readAll reads r to its end into b. It returns errTooLarge, ctx.Err() when
// the wait for the token was cut short, or r's error.
func (b *body) readAll(ctx context.Context, a *attempt, r io.Reader) error {
	for {
		room := b.buf[len(b.buf):cap(b.buf)]
		var spare [1]byte
		if len(room) == 0 {
			// A full buffer may be the whole body: look for one more byte
			// before taking more memory for it.
			room = spare[:]
		}
		n, err := r.Read(room)
		if len(b.buf) < cap(b.buf) {
			b.buf = b.buf[:len(b.buf)+n]
		} else if n > 0 {
			if err := b.growBuffer(ctx, a); err != nil {
				return err
			}
			b.buf = append(b.buf, spare[0])
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// growBuffer makes room for more, with the token from smallBody on.
func (b *body) growBuffer(ctx context.Context, a *attempt) error {
	size := cap(b.buf)
	if size >= maxBody {
		return errTooLarge
	}
	if size >= smallBody && !b.large {
		if err := a.runPaused(func() error { return b.takeToken(ctx) }); err != nil {
			return err
		}
	}
	limit := smallBody
	if b.large {
		limit = maxBody
	}
	grown := make([]byte, len(b.buf), min(2*size, limit))
	copy(grown, b.buf)
	b.buf = grown
	return nil
}

func (b *body) takeToken(ctx context.Context) error {
	select {
	case b.owner.large <- struct{}{}:
		b.large = true
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// readHead reads the first maxHead bytes and then some more, so that the connection
// can be used again. It ignores errors, because the answer's status says enough.
func (b *body) readHead(r io.Reader) {
	b.buf = append(b.buf[:0], make([]byte, maxHead)...)
	n, err := io.ReadFull(r, b.buf)
	b.buf = b.buf[:n]
	if err == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(r, maxDrain))
	}
}

// wire reads an answer's body as it was sent and remembers how it ended, to
// distinguish a broken connection from a broken body.
type wire struct {
	r    io.Reader
	n    int64 // bytes read
	fail error // the connection's error; nil at the end of the body
}

func (w *wire) Read(p []byte) (int, error) {
	if w.n >= maxPacked {
		return 0, errTooLarge
	}
	n, err := w.r.Read(p[:min(int64(len(p)), maxPacked-w.n)])
	w.n += int64(n)
	if err != nil && err != io.EOF {
		w.fail = err
	}
	return n, err
}

// decodeContent undoes the content encoding. Call the second result after reading.
func (bs *bodies) decodeContent(h http.Header, w *wire) (io.Reader, func(), error) {
	switch encoding := strings.ToLower(strings.Join(h.Values("Content-Encoding"), ",")); encoding {
	case "", "identity":
		return w, func() {}, nil
	case "gzip", "x-gzip":
		z, ok := bs.readers.Get().(*gzip.Reader)
		if !ok {
			z = new(gzip.Reader)
		}
		if err := z.Reset(w); err != nil {
			bs.readers.Put(z)
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF // nothing at all is not a gzip stream
			}
			return nil, nil, err
		}
		return z, func() {
			_ = z.Reset(http.NoBody) // releases the connection; it can only return EOF
			bs.readers.Put(z)
		}, nil
	default:
		return nil, nil, fmt.Errorf("%w %q", errEncoding, encoding)
	}
}
