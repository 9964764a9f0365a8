package v1_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
)

// TestExportOfManyTrades exports a trader with more trades than fit into the memory that it may take. It measures the
// memory of the process, so no other test of the package runs beside it.
func TestExportOfManyTrades(t *testing.T) {
	const trades, most = 10_000, 4 << 20
	b := setupAlone(t)
	i := b.connectPlatform(t, record.Batch{Traders: []record.Trader{{ID: "t"}}, Accounts: []record.Account{{ID: "a", TraderID: "t"}}})
	b.exec(t, `INSERT INTO trades (integration_id, account_external_id, id, symbol, side, volume, open_time, content_hash)
SELECT $1, 'a', 't-' || n, 'EURUSD', 'buy', n % 700 * 0.01, '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 minute', '' FROM generate_series(1, $2::int) AS n`, i.ID, trades)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/traders/"+b.readText(t, `SELECT id FROM traders`)+"/export", http.NoBody)
	identify(request, b.key)
	before := memory()
	w := &weighedAnswer{ResponseRecorder: httptest.NewRecorder()}
	b.server.Config.Handler.ServeHTTP(w, request)
	if w.Code != http.StatusOK || w.peak-before > most {
		t.Errorf("status %d; %d KiB of memory, want at most %d", w.Code, (w.peak-before)>>10, most>>10)
	}
	z, err := zip.NewReader(bytes.NewReader(w.Body.Bytes()), int64(w.Body.Len()))
	check(t, err)
	f, err := z.Open("trades.json")
	check(t, err)
	var list struct{ Data []struct{ ID string } }
	check(t, json.NewDecoder(f).Decode(&list))
	ids := make(map[string]bool)
	for _, trade := range list.Data {
		ids[trade.ID] = true
	}
	if len(list.Data) != trades || len(ids) != trades {
		t.Errorf("%d trades with %d ids, want %d", len(list.Data), len(ids), trades)
	}
	if n := b.readText(t, `SELECT count(*)::text FROM audit_log WHERE action = 'trader.exported'`); n != "1" {
		t.Errorf("%s exports are recorded", n)
	}
}

// weighedAnswer records a response, and the most memory that the process has held while it was written.
type weighedAnswer struct {
	*httptest.ResponseRecorder
	next int // of the body, when memory is measured again
	peak int64
}

func (w *weighedAnswer) Write(p []byte) (int, error) {
	if w.Body.Len() >= w.next {
		w.next = w.Body.Len() + 32<<10
		w.peak = max(w.peak, memory())
	}
	return w.ResponseRecorder.Write(p)
}

// TestExportOfSlowClient: a client may take long for the whole of an export, but not for a part of it.
func TestExportOfSlowClient(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/traders/"+b.named(t, "Zoe").String()+"/export", http.NoBody)
	identify(request, b.key)
	w := &timedAnswer{ResponseRecorder: httptest.NewRecorder()}
	b.server.Config.Handler.ServeHTTP(w, request)
	if w.Code != http.StatusOK || w.parts == 0 {
		t.Errorf("status %d, %d parts", w.Code, w.parts)
	}
}

// timedAnswer checks that there is time for each part of a response.
type timedAnswer struct {
	*httptest.ResponseRecorder
	deadline time.Time
	parts    int
}

func (w *timedAnswer) SetWriteDeadline(at time.Time) error {
	w.deadline = at
	return nil
}

func (w *timedAnswer) Write(p []byte) (int, error) {
	if left := time.Until(w.deadline); left <= 0 || left > time.Minute {
		return 0, fmt.Errorf("%s are left", left)
	}
	w.parts++
	w.deadline = time.Time{} // the next part needs another one
	return w.ResponseRecorder.Write(p)
}

// TestFailedExportIsNotRecorded: what could not be read has not been exported.
func TestFailedExportIsNotRecorded(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	trader := b.named(t, "Zoe").String()
	b.exec(t, `ALTER TABLE activity_files RENAME COLUMN media_type TO lost`)
	b.send(t, "GET", "/v1/traders/"+trader+"/export", b.key, nil).wantProblem(t, http.StatusInternalServerError, "internal_error")
	if n := b.readText(t, `SELECT count(*)::text FROM audit_log WHERE action = 'trader.exported'`); n != "0" {
		t.Errorf("%s exports are recorded", n)
	}
}
