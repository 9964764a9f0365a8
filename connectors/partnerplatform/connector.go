package partnerplatform

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/record"
)

// Connector opens sources of kind partner_platform. It is safe for concurrent use.
type Connector struct {
	client *fetch.Client
	codec  *codec
	slow   time.Duration
}

var (
	_ connectors.Connector = (*Connector)(nil)
	_ connectors.Source    = (*source)(nil)
)

// New returns the connector. Its sources send their requests with client.
func New(client *fetch.Client) *Connector {
	return &Connector{client: client, codec: newCodec(), slow: connectors.SlowStep}
}

// Kind implements connectors.Connector.
func (c *Connector) Kind() record.Kind { return record.PartnerPlatform }

// Streams implements connectors.Connector. Open trades are read before closed ones,
// so that a trade which closes between the two appears in both lists and ends as
// closed.
func (c *Connector) Streams() []connectors.StreamSpec {
	var specs []connectors.StreamSpec
	for _, r := range listRoutes() {
		specs = append(specs, r.spec)
	}
	return specs
}

// Open implements connectors.Connector.
func (c *Connector) Open(cfg connectors.Config) connectors.Source {
	s := &source{codec: c.codec, slow: c.slow}
	if cfg.Scope != nil {
		s.scope = *cfg.Scope
	}
	cfg.BaseURL = withoutVersion(cfg.BaseURL)
	s.platform = c.client.Platform(record.PartnerPlatform, cfg)
	return s
}

// withoutVersion strips a trailing /v1, which all paths begin with, from the path
// of a base URL. It keeps a host of that name.
func withoutVersion(base string) string {
	const version = "/v1"
	trimmed := strings.TrimRight(base, "/")
	if u, err := url.Parse(trimmed); err != nil || !strings.HasSuffix(u.Path, version) {
		return base
	}
	return strings.TrimRight(strings.TrimSuffix(trimmed, version), "/")
}

// source reads one platform.
type source struct {
	platform *fetch.Platform
	codec    *codec
	scope    connectors.AccountScope
	slow     time.Duration // latency above which a step of the check warns
}

// ReadPage implements connectors.Source. If a cursor cannot be read, for example
// after a change of its format, the run starts at the beginning. That costs the
// requests that the run has made, while an error would block the stream until its
// checkpoint expires. A list that returns to an earlier page is CodeCursorLoop.
func (s *source) ReadPage(ctx context.Context, req connectors.PageRequest) (*connectors.Page, error) {
	r, ok := routeOf(req.Stream)
	if !ok {
		return nil, &connectors.Error{Code: connectors.CodeInternal, Message: fmt.Sprintf("the platform has no stream %q", req.Stream)}
	}
	at, _ := parseCursor(req.Cursor)
	var page *connectors.Page
	result, err := s.platform.Get(ctx, r.pageRequest(req, at.page, s.scope), func(a fetch.Answer) (err error) {
		page, err = s.codec.decodePage(a.Body, r, req, at)
		return err
	})
	if at.isBeyondTotal() && hasNoPage(err) {
		page, err = &connectors.Page{}, nil
	}
	if err != nil {
		result.Release()
		return nil, err
	}
	page.Date, page.Stats, page.Release = result.Date, result.Stats, result.Release
	page.Findings = append(page.Findings, s.outOfScope(page.Accounts)...)
	return page, nil
}

// hasNoPage reports whether the platform has answered with one of the statuses for a
// page after the last one. With 400 or 422 it may also refuse to go so deep into a list
// that goes on, which must not look complete.
func hasNoPage(err error) bool {
	e, ok := errors.AsType[*connectors.Error](err)
	if !ok {
		return false
	}
	switch e.HTTPStatus {
	case http.StatusNotFound, http.StatusGone, http.StatusRequestedRangeNotSatisfiable:
		return true
	}
	return false
}

// outOfScope finds accounts on platforms that were not requested. It cannot compare
// plans, because accounts contain their names and the scope their ids.
func (s *source) outOfScope(accounts []record.Account) []record.Finding {
	if len(s.scope.Platforms) == 0 {
		return nil
	}
	f := record.Finding{Rule: ruleScopeIgnored, Resource: record.Accounts}
	for i := range accounts {
		a := &accounts[i]
		if a.Platform == "" || slices.ContainsFunc(s.scope.Platforms, func(p string) bool { return strings.EqualFold(p, a.Platform) }) {
			continue
		}
		if f.Count++; len(f.Samples) < record.MaxSamples {
			f.Samples = append(f.Samples, a.ID)
		}
	}
	if f.Count == 0 {
		return nil
	}
	return []record.Finding{f}
}
