package partnerplatform_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/connectortest"
	"github.com/assayhq/assay/connectors/partnerplatform"
	"github.com/assayhq/assay/connectors/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What the tests of all connectors share, under names that fit into tables.
type answer = connectortest.Answer

var (
	ok         = connectortest.OK
	status     = connectortest.Status
	throttled  = connectortest.Throttled
	with       = connectortest.With
	rules      = connectortest.Rules
	rejections = connectortest.Rejections
)

// list is a page of items without a total.
func list(items ...string) answer { return ok(`{"data":[` + strings.Join(items, ",") + `]}`) }

// platform is a partner's platform and the connector that reads it.
type platform struct {
	*connectortest.Platform
	connector *partnerplatform.Connector
}

// newPlatform starts a platform that answers requests with the right key.
func newPlatform(t *testing.T, answers func(r *http.Request) answer) *platform {
	t.Helper()
	p := connectortest.NewPlatform(t, func(r *http.Request) answer {
		if !connectortest.Known(r) {
			return status(401)
		}
		return answers(r)
	})
	return &platform{p, partnerplatform.New(p.Client)}
}

// respond answers requests for each path by its entry in the script.
func respond(script connectortest.Script) func(*http.Request) answer {
	return func(r *http.Request) answer { return script.Next(r.URL.Path, status(404)) }
}

func (p *platform) open(path string, scope *connectors.AccountScope) connectors.Source {
	config := p.Config(path)
	config.Scope = scope
	return p.connector.Open(config)
}

// at returns a time on the day of all test data.
func at(hour, minute, second int) time.Time {
	return time.Date(2025, 3, 4, hour, minute, second, 0, time.UTC)
}

// The smallest records without a finding.
const (
	bareCustomer = `{"customerId":"C-1"}`
	bareAccount  = `{"accountNr":"A-1"}`
	bareOpen     = `{"ticket":"1","accountNr":"A-1","symbol":"EURUSD","side":"buy","openDate":"2025-03-04T09:00:00Z"}`
	bareClosed   = `{"ticket":"1","accountNr":"A-1","symbol":"EURUSD","side":"buy","openDate":"2025-03-04T09:00:00Z","closeDate":"2025-03-04T10:00:00Z"}`
	barePayout   = `{"payoutId":"P-1"}`
)

// bare is the smallest record of the stream.
func bare(stream record.Stream) string {
	switch stream {
	case record.StreamTraders:
		return bareCustomer
	case record.StreamAccounts:
		return bareAccount
	case record.StreamTradesOpen:
		return bareOpen
	case record.StreamTradesClosed:
		return bareClosed
	}
	return barePayout
}

// decode decodes a page of the records as the first of a backfill.
func decode(t *testing.T, stream record.Stream, items ...string) *connectors.Page {
	t.Helper()
	page, err := partnerplatform.DecodePage([]byte(`{"data":[`+strings.Join(items, ",")+`]}`), connectors.PageRequest{Stream: stream, Backfill: true})
	if err != nil {
		t.Fatal(err)
	}
	return page
}
