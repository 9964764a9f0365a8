package route

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/store/idempotency"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing/integrations"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(storetest.Suite{M: m}) }

// newAttempts returns a router without routes on a database, and a function that sends a POST to
// the handler.
func newAttempts(t *testing.T) (*Router, integrations.Integration, func(Handler) *httptest.ResponseRecorder) {
	t.Helper()
	db := storetest.Open(t, storetest.URL(t))
	registry := prometheus.NewRegistry()
	stack, err := middleware.New(middleware.Config{
		Logger: slog.New(slog.DiscardHandler), Registry: registry, Problems: problem.NewWriter("https://assay.example"), Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	router, err := New(Config{Store: db, Stack: stack, Registry: registry})
	if err != nil {
		t.Fatal(err)
	}
	i := storetest.Integration(t, db, storetest.Organization(t, db).ID, "https://a.example")
	id := auth.Identity{OrganizationID: i.OrganizationID, KeyID: uuid.New()}
	return router, i, func(h Handler) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(auth.NewContext(context.Background(), id), http.MethodPost, "/v1/things", strings.NewReader("{}"))
		r.Header.Set("Idempotency-Key", "k-1")
		w := httptest.NewRecorder()
		stack.Wrap(router.handleErrors(func(w http.ResponseWriter, r *http.Request) error {
			return router.serveOnce(w, r, Route{Method: http.MethodPost, Path: "/v1/things", Handle: h})
		}), nil).ServeHTTP(w, r)
		return w
	}
}

// TestSecretsAreToldOnce checks that secrets that are shown once are not stored.
func TestSecretsAreToldOnce(t *testing.T) {
	t.Parallel()
	router, i, send := newAttempts(t)
	type body struct {
		Secret    *string `json:"secret"`
		Available bool    `json:"secret_available"`
	}
	secret := "svc_live_once"
	handler := func(w http.ResponseWriter, r *http.Request) error {
		render := func(string) response.Reply {
			return response.Reply{Status: http.StatusCreated, Location: "/v1/things/7", Body: body{&secret, true}, Again: body{nil, false}}
		}
		c := NewRepeatableChange(r, func(integrations.Refusal) response.Reply { return render("") })
		c.KeyID = uuid.Nil // the test's key is not in a table
		if _, err := integrations.RequestSync(r.Context(), router.store, c, i.ID); err != nil {
			return err
		}
		return render("").Write(w)
	}
	first, second := send(handler), send(handler)
	if first.Code != http.StatusCreated || first.Body.String() != `{"secret":"svc_live_once","secret_available":true}` {
		t.Errorf("first: %d %s", first.Code, first.Body)
	}
	if second.Code != http.StatusCreated || second.Body.String() != `{"secret":null,"secret_available":false}` || second.Header().Get("Idempotent-Replayed") != "true" {
		t.Errorf("repetition: %d %s", second.Code, second.Body)
	}
	if got := second.Header().Get("Location"); got != "/v1/things/7" {
		t.Errorf("Location %q in the repetition", got)
	}
}

// TestPanicGivesTheAttemptUp checks that the next request need not wait.
func TestPanicGivesTheAttemptUp(t *testing.T) {
	t.Parallel()
	_, _, send := newAttempts(t)
	if w := send(func(http.ResponseWriter, *http.Request) error { panic("made by the test") }); w.Code != http.StatusInternalServerError {
		t.Errorf("answered %d %s", w.Code, w.Body)
	}
	if w := send(func(w http.ResponseWriter, _ *http.Request) error { return response.AnswerJSON(w, 7) }); w.Code != http.StatusOK || w.Body.String() != "7" {
		t.Errorf("afterwards: %d %s", w.Code, w.Body)
	}
}

// TestAnswerThatCannotBeKept checks that a response that cannot be stored is not sent, nor any of
// its headers.
func TestAnswerThatCannotBeKept(t *testing.T) {
	t.Parallel()
	router, _, send := newAttempts(t)
	w := send(func(w http.ResponseWriter, r *http.Request) error {
		// For the database, another process has taken over.
		if err := idempotency.Abandon(r.Context(), router.store, AttemptFrom(r.Context())); err != nil {
			return err
		}
		return response.Reply{Status: http.StatusCreated, Location: "/v1/things/7", Body: 7}.Write(w)
	})
	if w.Code != http.StatusConflict || w.Header().Get("Location") != "" || w.Header().Get("Retry-After") != "1" {
		t.Errorf("answered %d %v %s", w.Code, w.Header(), w.Body)
	}
}

// TestAttemptsNeedAnAPIKey checks that anonymous requests are not repeatable.
func TestAttemptsNeedAnAPIKey(t *testing.T) {
	t.Parallel()
	router, _, _ := newAttempts(t)
	for range 2 {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/things", http.NoBody)
		r.Header.Set("Idempotency-Key", "k-1")
		err := router.serveOnce(w, r, Route{Method: http.MethodPost, Path: "/v1/things", Handle: func(w http.ResponseWriter, r *http.Request) error {
			if AttemptFrom(r.Context()) != nil {
				t.Error("an attempt was made")
			}
			return response.AnswerJSON(w, 7)
		}})
		if err != nil || w.Header().Get("Idempotent-Replayed") != "" {
			t.Errorf("answered %d, %v", w.Code, err)
		}
	}
}

func TestPayloadHash(t *testing.T) {
	t.Parallel()
	seen := make(map[[32]byte]string)
	for _, payload := range [][2]string{{"", ""}, {"", "{}"}, {"", "{} "}, {"a=1", "{}"}, {"a=1", ""}, {"a", "=1{}"}, {"", "a=1{}"}} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/things?"+payload[0], http.NoBody)
		sum := payloadHash(r, []byte(payload[1]))
		if other, taken := seen[sum]; taken {
			t.Errorf("query %q with body %q has the hash of %s", payload[0], payload[1], other)
		}
		seen[sum] = payload[0] + " with " + payload[1]
		if again := payloadHash(r, []byte(payload[1])); again != sum {
			t.Error("the same payload has two hashes")
		}
	}
}
