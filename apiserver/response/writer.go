// Package response writes responses: objects with their tags, lists with their links, files, and
// replies to changes.
//
// A request has one Writer, which wraps the connection's own. The middleware and the router, which
// both serve the request, share it.
package response

import (
	"errors"
	"fmt"
	"net/http"
)

// ErrNotSent is the error of a write that did not reach the client, because it has gone or reads too slowly.
var ErrNotSent = errors.New("the client does not receive the response")

// Writer writes a response and records what was written. It is used by one goroutine at a time.
type Writer struct {
	http.ResponseWriter
	Status int   // 0 until the header is written
	Bytes  int64 // bytes of the body

	compression compression // whether the body may be compressed
	guarded     *guarded    // nil if nothing restricts writing
}

// compression says how a body may be sent.
type compression int

// The values of compression.
const (
	uncompressible compression = iota // sent uncompressed to every client
	uncompressed                      // sent uncompressed, because the client accepts nothing else
	gzipped                           // compressed with gzip
)

// Guard allows a response to be written for as long as a condition holds.
type Guard interface {
	// BeginWrite begins writing a part of the response, which EndWrite ends. It returns an error
	// if nothing may be written.
	BeginWrite() error
	EndWrite()
}

// guarded is a response under a guard.
type guarded struct {
	guard   Guard
	status  int   // 0 until the handler sets it
	refused error // why nothing may be written any more
}

// Of returns w if it is a Writer, and otherwise a Writer around it.
func Of(w http.ResponseWriter) *Writer {
	if known, ok := w.(*Writer); ok {
		return known
	}
	return &Writer{ResponseWriter: w}
}

// Guarded runs handle. Each part of the response is written under the guard and flushed to the
// connection before the part ends. The header is sent with the first part of the body, or when
// handle has returned without an error. In addition to handle's error, Guarded returns why the
// guard refused a write, or nil if it did not.
func (w *Writer) Guarded(guard Guard, handle func() error) (refused, err error) {
	g := &guarded{guard: guard}
	w.guarded = g
	defer func() { w.guarded = nil }()
	err = handle()
	if err == nil && g.refused == nil && w.Status == 0 {
		// An error means that the client has gone, or that the guard refuses the write.
		_ = w.writeGuarded(func() error { return nil })
	}
	return g.refused, err
}

// WriteHeader implements http.ResponseWriter. It ignores informational headers.
func (w *Writer) WriteHeader(status int) {
	if g := w.guarded; g != nil {
		if g.status == 0 && status >= http.StatusOK {
			g.status = status
		}
		return
	}
	w.sendHeader(status)
}

func (w *Writer) sendHeader(status int) {
	if w.Status == 0 && status >= http.StatusOK {
		w.Status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *Writer) Write(p []byte) (n int, err error) {
	if w.guarded == nil {
		return w.sendBody(p)
	}
	err = w.writeGuarded(func() error {
		n, err = w.sendBody(p)
		return err
	})
	return n, err
}

func (w *Writer) sendBody(p []byte) (int, error) {
	if w.Status == 0 {
		w.Status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.Bytes += int64(n)
	return n, notSent(err)
}

// notSent returns err as an ErrNotSent, or nil if it is nil.
func notSent(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrNotSent, err)
}

// writeGuarded writes the header if necessary, then calls write and flushes.
func (w *Writer) writeGuarded(write func() error) error {
	g := w.guarded
	if g.refused == nil {
		g.refused = g.guard.BeginWrite()
	}
	if g.refused != nil {
		return g.refused
	}
	defer g.guard.EndWrite()
	if w.Status == 0 {
		if g.status == 0 {
			g.status = http.StatusOK
		}
		w.sendHeader(g.status)
	}
	if err := write(); err != nil {
		return err
	}
	if err := http.NewResponseController(w.ResponseWriter).Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return notSent(err)
	}
	return nil
}

// Unwrap gives http.ResponseController access to deadlines and flushing.
func (w *Writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
