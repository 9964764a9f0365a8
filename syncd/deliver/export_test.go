package deliver

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/store/webhooks"
	"github.com/assayhq/assay/store/work"
)

// Codes are those of attempts that failed.
var Codes = []string{
	codeRedirect, codeGone, codeLimited, codeServer, codeRejected, codeTimeout, codeUnexpected, codeInternal, codeExpired,
	string(connectors.CodeBlockedAddress), string(connectors.CodeDNSFailed), string(connectors.CodeConnectFailed), string(connectors.CodeTLSFailed),
}

// Wait is wait.
func Wait(over int, asked time.Duration, chance float64) (time.Duration, bool) {
	return nextPause(over, asked, chance)
}

// RetryAfter is retryAfter.
func RetryAfter(h http.Header, now time.Time) time.Duration { return retryAfter(h, now) }

// ReadAnswer is readAnswer.
func ReadAnswer(ctx context.Context, r io.Reader) (text string, truncated bool, err error) {
	return readAnswer(ctx, r)
}

// AttemptLimit is how long an attempt may take.
const AttemptLimit = attemptLimit

// LookAlways makes each attempt check whether somebody has changed the endpoint or
// requested a delivery.
func (d *Deliverer) LookAlways() { d.fresh = 0 }

// Run makes deliveries until ctx ends, then lets current attempts end and returns
// within 23 seconds.
func (d *Deliverer) Run(ctx context.Context) error {
	defer d.Close()
	return work.New(work.Config{Registerer: d.Registerer, Log: d.Log, Kinds: []work.Kind{d.Kind()}}).Run(ctx)
}

// Places is places.
type Places struct{ *places }

// NewPlaces is newPlaces.
func NewPlaces(all int) Places { return Places{newPlaces(all)} }

// Enter is acquirePlace.
func (p Places) Enter(orgID uuid.UUID, hindered bool) (Place, bool) {
	l := p.acquirePlace(orgID, hindered)
	return Place{l}, l != nil
}

// Place is place.
type Place struct{ *place }

// Yield is yieldPlace.
func (l Place) Yield() bool { return l.yieldPlace() }

// Leave is releasePlace.
func (l Place) Leave() { l.releasePlace() }

// WriteBody is writeBody.
func WriteBody(kind webhooks.EndpointKind, publicURL, integration string, due *webhooks.DueDelivery) ([]byte, error) {
	return writeBody(kind, publicURL, integration, due)
}
