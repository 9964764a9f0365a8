package customapi

import (
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
)

// DecodePage decodes a page as ReadPage does, without a request.
func DecodePage(body []byte, stream record.Stream, since time.Time, limit int) (*connectors.Page, error) {
	return sharedCodec.decodePage(body, pageRequest{stream: stream, since: since, limit: limit})
}

var sharedCodec = newCodec()

// SetSlowStep sets the latency above which a step of the live check warns.
func (c *Connector) SetSlowStep(d time.Duration) { c.slow = d }
