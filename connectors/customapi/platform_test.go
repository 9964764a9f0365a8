package customapi_test

import (
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/connectortest"
	"github.com/assayhq/assay/connectors/customapi"
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

func list(next string, items ...string) answer {
	return ok(`{"data":[` + strings.Join(items, ",") + `],"next_cursor":` + next + `}`)
}

// platform is a customer's platform below /api and the connector that reads it.
type platform struct {
	*connectortest.Platform
	connector *customapi.Connector
	source    connectors.Source
}

// newPlatform starts a platform that answers a request with the key by the script's
// longest entry that is a prefix of the path and query below /api. Without the key
// it answers by the entry "anonymous", or with 401 if there is none.
func newPlatform(t *testing.T, script connectortest.Script) *platform {
	t.Helper()
	p := &platform{Platform: connectortest.NewPlatform(t, func(r *http.Request) answer { return respond(script, r) })}
	p.connector = customapi.New(p.Client)
	p.source = p.open()
	return p
}

func (p *platform) open() connectors.Source { return p.connector.Open(p.Config("/api")) }

func respond(script connectortest.Script, r *http.Request) answer {
	if !connectortest.Known(r) {
		if _, sent := r.Header["Authorization"]; sent {
			return status(400) // something that is not the key
		}
		return script.Next("anonymous", status(401))
	}
	line, longest := strings.TrimPrefix(r.URL.RequestURI(), "/api"), ""
	for entry := range script {
		if strings.HasPrefix(line, entry) && len(entry) > len(longest) {
			longest = entry
		}
	}
	return script.Next(longest, status(404))
}
