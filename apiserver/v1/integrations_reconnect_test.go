package v1_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store/storetest"
)

// deleted is an integration of the platform that was read and then deleted.
func (b *testAPI) deleted(t *testing.T) uuid.UUID {
	t.Helper()
	i := storetest.Integration(t, b.db, b.org.ID, b.platformURL)
	var known record.Batch
	for one := range b.platform.AllTraders() {
		known.Traders = append(known.Traders, record.Trader{ID: one.ID, Email: one.Email, FirstName: one.FirstName, LastName: one.LastName})
	}
	storetest.Records(t, b.databaseURL, i, known)
	b.send(t, "DELETE", "/v1/integrations/"+i.ID.String(), b.key, nil).want(t, http.StatusNoContent)
	return i.ID
}

// refuseFirstPages answers a number of requests for a whole page of traders with the status. The
// live check requests fewer records.
func (p *platform) refuseFirstPages(status, count int) {
	p.setGate(func(w http.ResponseWriter, r *http.Request) bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		if r.URL.Path != "/traders" || r.URL.Query().Get("limit") != "200" || count == 0 {
			return false
		}
		count--
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(status)
		return true
	})
}

// TestReconnectWaitsForThePlatform checks that a platform with tight limits is recognized after
// it was deleted, and no trader exists twice.
func TestReconnectWaitsForThePlatform(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.deleted(t)
	b.platform.refuseFirstPages(http.StatusTooManyRequests, 1)
	r := b.send(t, "POST", "/v1/integrations", b.key, b.newIntegration()).want(t, http.StatusCreated)
	if got := decodeInto[integrationState](t, r).ID; got != id {
		t.Errorf("connected as %s, want %s", got, id)
	}
}

// TestReconnectThatCannotBeCompared checks that nothing is saved if the traders cannot be read
// after a check that listed them.
func TestReconnectThatCannotBeCompared(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.deleted(t)
	b.platform.refuseFirstPages(http.StatusTooManyRequests, -1)
	told := b.send(t, "POST", "/v1/integrations", b.key, b.newIntegration())
	told.wantProblem(t, http.StatusServiceUnavailable, "service_unavailable")
	if !strings.Contains(told.body, "Nothing was saved. Try again.") {
		t.Errorf("answer %s", told.body)
	}
	if left := b.send(t, "GET", "/v1/integrations", b.key, nil); left.body != noIntegrations {
		t.Errorf("saved: %s", left.body)
	}
	b.platform.setGate(nil)
	r := b.send(t, "POST", "/v1/integrations", b.key, b.newIntegration()).want(t, http.StatusCreated)
	if got := decodeInto[integrationState](t, r).ID; got != id {
		t.Errorf("connected as %s, want %s", got, id)
	}
}

// TestReconnectSaysThatNobodyWasCompared checks that an empty platform and a mistyped key result
// in a new integration, and that the report says what that means.
func TestReconnectSaysThatNobodyWasCompared(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.deleted(t)
	type step struct{ Name, Status, Code, Message, Hint string }
	traders := func(body map[string]any) (found step) {
		t.Helper()
		r := b.send(t, "POST", "/v1/integrations", b.key, body).want(t, http.StatusCreated)
		for _, s := range decodeInto[struct{ Report struct{ Steps []step } }](t, r).Report.Steps {
			if s.Name == "traders" {
				found = s
			}
		}
		if !strings.Contains(found.Message, "was deleted, and its traders could not be compared") ||
			!strings.Contains(found.Hint, "delete this integration and connect it again") {
			t.Errorf("the step says %q, %q", found.Message, found.Hint)
		}
		return found
	}
	mistyped := b.newIntegration()
	mistyped["api_key"] = "mistyped"
	if s := traders(mistyped); s.Status != "skipped" {
		t.Errorf("a mistyped key: %+v", s)
	}
	empty, err := reference.New(reference.Options{Key: storetest.PlatformKey})
	check(t, err)
	b.platform.setGate(func(w http.ResponseWriter, r *http.Request) bool {
		empty.ServeHTTP(w, r)
		return true
	})
	if s := traders(b.newIntegration()); s.Status != "warned" || s.Code != "unknown_platform" {
		t.Errorf("an empty platform: %+v", s)
	}
}
