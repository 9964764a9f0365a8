// Package answer has the writer of an HTTP answer. It is the only one around the
// connection's: who serves a request on its way sets what concerns him.
package answer

import (
	"errors"
	"net/http"
)

// Writer writes an answer and notes what was written. It is used by one goroutine
// at a time.
type Writer struct {
	http.ResponseWriter
	Status int   // 0: the header is not written
	Bytes  int64 // of the body

	// Compression says whether the body may be compressed.
	Compression Compression

	guarded *guarded // nil: everything goes through
}

// Compression is what is known of how a body may be sent.
type Compression int

// What is known of how a body may be sent.
const (
	Fixed Compression = iota // as it is
	Plain                    // as it is, because the client takes nothing else
	Gzip                     // compressed by gzip
)

// Guard lets an answer be written for as long as something holds.
type Guard interface {
	// BeginWrite begins the writing of a part of the answer, which EndWrite ends. It
	// returns why nothing may be written.
	BeginWrite() error
	EndWrite()
}

// guarded is an answer under a guard.
type guarded struct {
	guard   Guard
	status  int   // 0: the handler has not said
	refused error // why nothing may be written any more
}

// Of returns w if it is a Writer, and otherwise one around it.
func Of(w http.ResponseWriter) *Writer {
	if known, ok := w.(*Writer); ok {
		return known
	}
	return &Writer{ResponseWriter: w}
}

// Guarded runs handle, whose answer is written part by part, each under the guard
// and through to the connection before the part ends. The header leaves with the
// first part of the body, or when handle has returned without an error. Besides
// handle's error it returns why the guard forbade to write; nil: it did not.
func (w *Writer) Guarded(guard Guard, handle func() error) (refused, err error) {
	g := &guarded{guard: guard}
	w.guarded = g
	defer func() { w.guarded = nil }()
	err = handle()
	if err == nil && g.refused == nil && w.Status == 0 {
		// An error means that the client has gone, or that the guard forbids it.
		_ = w.writeGuarded(func() error { return nil })
	}
	return g.refused, err
}

// WriteHeader implements http.ResponseWriter. Informational headers do not count.
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
		return w.send(p)
	}
	err = w.writeGuarded(func() error {
		n, err = w.send(p)
		return err
	})
	return n, err
}

func (w *Writer) send(p []byte) (int, error) {
	if w.Status == 0 {
		w.Status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.Bytes += int64(n)
	return n, err
}

// writeGuarded writes the header if need be, then does what write does, and
// flushes.
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
		return err
	}
	return nil
}

// Unwrap lets http.ResponseController reach deadlines and flushing.
func (w *Writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
