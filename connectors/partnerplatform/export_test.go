package partnerplatform

import (
	"time"

	"github.com/assayhq/assay/connectors"
)

var sharedCodec = newCodec()

// DecodePage decodes a page as ReadPage does, without a request.
func DecodePage(body []byte, req connectors.PageRequest) (*connectors.Page, error) {
	r, _ := routeOf(req.Stream)
	at, _ := parseCursor(req.Cursor)
	return sharedCodec.decodePage(body, r, req, at)
}

// Position reads a cursor. It returns the page that the cursor asks for, and
// whether it could be read.
func Position(text string) (page int, ok bool) {
	c, ok := parseCursor(text)
	return c.page, ok
}

// SetSlowStep sets the latency above which a step of the live check warns.
func (c *Connector) SetSlowStep(d time.Duration) { c.slow = d }

// WithoutVersion strips the version from a base URL.
func WithoutVersion(base string) string { return withoutVersion(base) }
