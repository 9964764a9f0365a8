package v1_test

import (
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/storetest"
)

// TestExportIsCutOff loses the database in the middle of an export. The client's read fails, so that it cannot take the
// rows that have arrived for all of them, and the log says why.
func TestExportIsCutOff(t *testing.T) {
	t.Parallel()
	const payouts = 20_000
	b := setup(t)
	b.exec(t, `INSERT INTO payouts (id, organization_id, integration_id, external_id, content_hash)
SELECT gen_random_uuid(), $1, $2, 'P-' || n, '' FROM generate_series(1, $3::int) AS n`, b.org.ID, b.connectPlatform(t, record.Batch{}).ID, payouts)
	var left atomic.Int64 // bytes that the database may still send
	left.Store(math.MaxInt64)
	through := storetest.Forward(t, b.databaseURL, func() storetest.Filter {
		return storetest.Filter{FromClient: func([]byte) bool { return true }, FromServer: func(sent []byte) bool { return left.Add(-int64(len(sent))) > 0 }}
	})
	b.registry = prometheus.NewRegistry()
	b.startAPI(t, storetest.Open(t, through))
	b.send(t, "GET", "/v1/payouts?limit=1", b.key, nil).want(t, http.StatusOK)

	left.Store(1 << 20)
	rows, err := b.readExport(t)
	if !errors.Is(err, io.ErrUnexpectedEOF) || rows == 0 || rows >= payouts {
		t.Errorf("after %d rows the client reads %v, want an unexpected end within %d rows", rows, err, payouts)
	}
	storetest.Eventually(t, "the log has the export as failed, with the cause", func() bool {
		for line := range strings.Lines(b.log.String()) {
			if strings.Contains(line, `"route":"/v1/payouts/export"`) {
				if !strings.Contains(line, `"status":503`) || !strings.Contains(line, `"cause":`) {
					t.Fatalf("the log has %s", line)
				}
				return true
			}
		}
		return false
	})

	left.Store(0)
	request := b.exportRequest(t)
	response, err := http.DefaultClient.Do(request)
	check(t, err)
	defer response.Body.Close()
	if media := response.Header.Get("Content-Type"); response.StatusCode != http.StatusServiceUnavailable || media != "application/problem+json" || response.Header.Get("Content-Disposition") != "" {
		t.Errorf("without a database the answer is a %d of %s named %q", response.StatusCode, media, response.Header.Get("Content-Disposition"))
	}
}

// exportRequest asks for all payouts.
func (b *testAPI) exportRequest(t testing.TB) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.server.URL+"/v1/payouts/export", http.NoBody)
	check(t, err)
	request.Header.Set("Authorization", "Bearer "+b.key)
	return request
}

// readExport reads as much of an export as there is, and returns how many rows that is and how reading ended.
func (b *testAPI) readExport(t *testing.T) (rows int, err error) {
	t.Helper()
	response, err := http.DefaultClient.Do(b.exportRequest(t))
	check(t, err)
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("status %d, want that of an export that begins", response.StatusCode)
	}
	text, err := io.ReadAll(response.Body)
	return strings.Count(string(text), "\n") - 1, err
}

// TestExportOfClientThatLeaves: who breaks off an export has not met a fault of the server's.
func TestExportOfClientThatLeaves(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.exec(t, `INSERT INTO payouts (id, organization_id, integration_id, external_id, content_hash)
SELECT gen_random_uuid(), $1, $2, 'P-' || n, '' FROM generate_series(1, 100000) AS n`, b.org.ID, b.connectPlatform(t, record.Batch{}).ID)
	response, err := http.DefaultClient.Do(b.exportRequest(t))
	check(t, err)
	check(t, response.Body.Close()) // the transport closes the connection
	storetest.Eventually(t, "the log has the export as one whose client left", func() bool {
		for line := range strings.Lines(b.log.String()) {
			if strings.Contains(line, `"route":"/v1/payouts/export"`) {
				if !strings.Contains(line, `"status":499`) {
					t.Fatalf("the log has %s", line)
				}
				return true
			}
		}
		return false
	})
}
