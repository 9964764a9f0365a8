package response_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/assayhq/assay/apiserver/response"
)

var errOver = errors.New("over")

// guard refuses writes after a number of parts.
type guard struct{ parts, open int }

func (g *guard) BeginWrite() error {
	if g.parts == 0 {
		return errOver
	}
	g.parts--
	g.open++
	return nil
}

func (g *guard) EndWrite() { g.open-- }

func TestGuarded(t *testing.T) {
	t.Parallel()
	write := func(status int, parts ...string) func(w *response.Writer) error {
		return func(w *response.Writer) error {
			w.WriteHeader(status)
			for _, part := range parts {
				if _, err := w.Write([]byte(part)); err != nil {
					return nil //nolint:nilerr // the guard tells
				}
			}
			return nil
		}
	}
	failed := func(w *response.Writer) error {
		w.WriteHeader(http.StatusCreated)
		return http.ErrBodyNotAllowed
	}
	for _, tt := range []struct {
		name    string
		parts   int // parts that the guard permits
		do      func(w *response.Writer) error
		refused error
		status  int // status of the response; 0 until there is one
		body    string
	}{
		{"nothing", 9, func(*response.Writer) error { return nil }, nil, 200, ""},
		{"a header", 9, write(204), nil, 204, ""},
		{"parts", 9, write(201, "a", "b"), nil, 201, "ab"},
		{"an error", 9, failed, nil, 0, ""},
		{"over before", 0, write(201, "a"), errOver, 0, ""},
		{"over before a header", 0, write(204), errOver, 0, ""},
		{"over in between", 1, write(201, "a", "b"), errOver, 201, "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g, sent := &guard{parts: tt.parts}, httptest.NewRecorder()
			w := response.Of(sent)
			refused, err := w.Guarded(g, func() error { return tt.do(w) })
			if !errors.Is(refused, tt.refused) || (err != nil) != (tt.name == "an error") || g.open != 0 {
				t.Errorf("refused %v, error %v, %d parts open", refused, err, g.open)
			}
			if w.Status != tt.status || sent.Body.String() != tt.body || w.Bytes != int64(len(tt.body)) || sent.Flushed != (tt.status != 0) {
				t.Errorf("status %d, body %q of %d bytes, flushed %t", w.Status, sent.Body, w.Bytes, sent.Flushed)
			}
			if tt.status == 0 { // a problem replaces the response
				w.WriteHeader(http.StatusUnauthorized)
				if w.Status != http.StatusUnauthorized || sent.Code != http.StatusUnauthorized {
					t.Errorf("status %d, sent %d", w.Status, sent.Code)
				}
			}
		})
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	w := response.Of(httptest.NewRecorder())
	if response.Of(w) != w {
		t.Error("a writer is put around another")
	}
	w.WriteHeader(http.StatusEarlyHints)
	if w.Status != 0 {
		t.Errorf("status %d of an informational header", w.Status)
	}
}
