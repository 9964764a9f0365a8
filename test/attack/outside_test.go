package attack_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// outside is a server that assay may call: a platform or a receiver of webhooks, as
// an attack needs it.
type outside struct {
	*httptest.Server
	handler atomic.Pointer[http.HandlerFunc]
}

// newOutside starts a server that answers every request with 204.
func newOutside(t *testing.T) *outside {
	t.Helper()
	o := new(outside)
	o.serve(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	o.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*o.handler.Load())(w, r) }))
	o.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	o.StartTLS()
	t.Cleanup(o.Close)
	return o
}

// serve changes how the server answers.
func (o *outside) serve(handler http.HandlerFunc) { o.handler.Store(&handler) }
