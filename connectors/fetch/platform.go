package fetch

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/seal"
)

// maxAttempts bounds the requests that one Get sends, under either policy.
const maxAttempts = 3

// maxEndpoint bounds Error.Endpoint in bytes, because cursors come from the
// platform and may be long.
const maxEndpoint = 1024

// Platform is one integration's platform. It is safe for concurrent use.
type Platform struct {
	client  *Client
	kind    record.Kind
	id      string
	key     *seal.Secret // behind a pointer, because fmt prints unexported fields without calling their methods
	base    *url.URL
	baseErr error
	own     *budget // of an integration without an id
}

// Get sends the request and lets decode read the answer.
//
// decode runs inside the retry loop, once for each complete answer with status 200
// (for an anonymous request: with any status, though a 429 or 5xx only after the
// last retry). It must forget what an earlier run has stored. If its error wraps
// alias.ErrSyntax, the body is damaged: the attempt has failed and is retried. Any
// other error ends the Get and is returned, alias.ErrTooManyRecords and
// alias.ErrShape as a *connectors.Error. In a *connectors.Error, Get fills in
// HTTPStatus, Endpoint and Stats where they are empty and, for
// CodeUnexpectedResponse, appends the start of the answer to its message. A nil
// decode ignores the body.
//
// Get returns failures at the platform or on the way to it as a *connectors.Error.
// If ctx ends, it returns ctx.Err(). It returns an error of the Reserver unchanged,
// because that says nothing about the platform.
func (p *Platform) Get(ctx context.Context, req Request, decode func(Answer) error) (Result, error) {
	c := &call{
		platform: p, client: p.client, req: req, decode: decode,
		endpoint: p.shownEndpoint(req),
		result:   Result{Release: func() {}},
	}
	c.result.Endpoint = c.endpoint
	if ctx.Err() != nil {
		return c.result, ctx.Err()
	}
	out, err := p.newRequest(ctx, req)
	if err != nil {
		return c.result, c.completeError(err)
	}
	c.budget = p.own
	if p.id != "" {
		var done func()
		c.budget, done = p.client.budgets.acquireBudget(p.id)
		defer done()
	}
	out.SetResponseHandler(func(resp *http.Response) error { return c.handleResponse(ctx, resp) })
	loop := &retryablehttp.Client{
		HTTPClient: &http.Client{
			Transport:     c,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		RetryMax:     maxAttempts - 1,
		CheckRetry:   c.checkRetry,
		Backoff:      func(time.Duration, time.Duration, int, *http.Response) time.Duration { return c.pause },
		ErrorHandler: giveUp,
	}
	_, err = loop.Do(out) //nolint:bodyclose // handleResponse and giveUp have closed it
	return c.finishCall(ctx, err)
}

// giveUp closes the body of the last answer, which go-retryablehttp leaves open for
// an error handler.
func giveUp(resp *http.Response, err error, _ int) (*http.Response, error) {
	if resp != nil && resp.Body != nil {
		_ = resp.Body.Close()
	}
	return nil, err
}

// newRequest builds the HTTP request. It fails if the integration's settings or the
// connector's path do not lead to a request to the configured origin.
func (p *Platform) newRequest(ctx context.Context, req Request) (*retryablehttp.Request, error) {
	if p.baseErr != nil {
		return nil, &connectors.Error{Code: connectors.CodeInternal, Message: "the base URL cannot be used: " + p.baseErr.Error()}
	}
	key := strings.TrimSpace(p.key.Reveal()) // a header field has no outer blanks
	if !req.Anonymous && (key == "" || strings.ContainsFunc(key, notInHeader)) {
		return nil, &connectors.Error{Code: connectors.CodeUnauthorized, Message: "the API key is empty or has characters that an Authorization header cannot contain"}
	}
	u, err := url.Parse(p.base.String() + req.Path)
	if err != nil || !strings.HasPrefix(req.Path, "/") || strings.ContainsAny(req.Path, "?#") ||
		u.Scheme != p.base.Scheme || u.Host != p.base.Host || u.User != nil {
		return nil, &connectors.Error{Code: connectors.CodeInternal, Message: "the path of the request is not valid"}
	}
	u.RawQuery = req.Query.Encode()
	out, err := retryablehttp.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, &connectors.Error{Code: connectors.CodeInternal, Message: "the request cannot be built"}
	}
	out.Header.Set("Accept", "application/json")
	out.Header.Set("Accept-Encoding", "gzip")
	out.Header.Set("User-Agent", userAgent)
	if !req.Anonymous {
		out.Header.Set("Authorization", "Bearer "+key)
	}
	return out, nil
}

// notInHeader reports characters that no header field may contain.
func notInHeader(r rune) bool { return r < ' ' || r == 0x7f }

// shownEndpoint returns the endpoint as customers see it. If a cursor holds the
// key, it leaves out the query, but not the path.
func (p *Platform) shownEndpoint(req Request) string {
	e := http.MethodGet + " " + redactKey(*p.key, req.Path)
	if q := req.Query.Encode(); q != "" {
		e += "?" + redactKey(*p.key, q)
	}
	return record.TruncateText(e, maxEndpoint)
}

// finishCall converts the end of the loop to Get's results.
func (c *call) finishCall(ctx context.Context, err error) (Result, error) {
	if c.attempt != nil {
		c.attempt.stopClock() // again, in case the loop ended between header and body
	}
	c.endWait()
	c.result.Stats = c.stats
	if !c.began.IsZero() {
		c.result.Latency = max(time.Since(c.began)-c.idle, 0)
	}
	if err == nil {
		if c.attempt != nil {
			c.result.Stats.Attempt = c.attempt.elapsedTime()
		}
		if b := c.body; b != nil && b.large {
			c.result.Release = releaseOnce(b)
		}
		return c.result, nil
	}
	if c.outcome != nil {
		return c.result, c.completeError(c.outcome.err)
	}
	// The loop ended between attempts, or in http.Client before the transport.
	if ctx.Err() != nil {
		return c.result, ctx.Err()
	}
	return c.result, c.completeError(&connectors.Error{Code: connectors.CodeInternal, Message: "the request could not be sent", Err: err})
}

// completeError fills in what only the call knows about an error at the platform,
// and removes the key from its texts.
func (c *call) completeError(err error) error {
	known, ok := err.(*connectors.Error) //nolint:errorlint // a wrapped one is the decoder's own affair
	if !ok {
		return err
	}
	e := *known
	if e.HTTPStatus == 0 {
		e.HTTPStatus = c.result.Status
	}
	if e.Endpoint == "" {
		e.Endpoint = c.endpoint
	}
	if e.Stats == (connectors.Stats{}) {
		e.Stats = c.stats
	}
	e.Message = redactKey(*c.platform.key, e.Message)
	if e.Err != nil {
		e.Err = errors.New(redactKey(*c.platform.key, e.Err.Error()))
	}
	return &e
}
