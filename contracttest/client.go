package contracttest

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Limits of an answer, and of repeating a request.
const (
	maxBody      = 32 << 20 // bytes, decompressed
	maxExcerpt   = 2 << 10  // bytes of a body that are kept for the report
	maxErrorBody = 64 << 10 // bytes of the body of an error that are judged
	maxHeader    = 64 << 10
	attempts     = 3 // attempts of a request, not counting those that are throttled

	// The contract requires clients to wait after a 429 and sets no maximum. A burst of 429s
	// breaks no rule, so these limits are generous.
	maxThrottled = 10               // throttled attempts of a request
	throttleWait = 3 * time.Minute  // total wait for a request
	strangerWait = 15 * time.Second // without the right key, because some platforms lock out strangers
)

// keyUse says what a request has in its Authorization header.
type keyUse string

const (
	withKey  keyUse = "sent"
	noKey    keyUse = "none"
	wrongKey keyUse = "wrong"
)

// request is a request to the platform.
type request struct {
	method string // GET if empty
	path   string // escaped, with a leading slash
	query  url.Values
	key    keyUse
	// once limits the request to a single attempt.
	once bool
	// unpaced leaves pacing and the request budget to the caller.
	unpaced bool
	// read reads the body of an answer with status 200. If it is nil, the body is skipped. If it
	// returns a wrapped errBroken, the request is repeated.
	read func(body io.Reader) error
}

// Errors of requests. The err of an answer wraps one of them.
var (
	errBroken    = errors.New("broken body")             // repeating the request may help
	errTooLarge  = errors.New("body too large")          // more than maxBody
	errBudget    = errors.New("request budget")          // nothing was sent
	errDeadline  = errors.New("out of time")             // the time of the whole check ran out
	errNoRoute   = errors.New("no connection")           // DNS, refused, unreachable
	errTLS       = errors.New("TLS handshake")           // certificate or protocol
	errUntrusted = fmt.Errorf("certificate: %w", errTLS) // signed by an unknown authority
	errNoAnswer  = errors.New("no answer")               // a connection, but no answer
	errStatus    = errors.New("another status")          // a complete answer with a status other than 200
	errThrottle  = errors.New("throttled")               // 429 to the last attempt
	errServer    = errors.New("server error")            // 5xx to the last attempt
	errTimeout   = errors.New("no answer in 20")         // the attempt's time ran out
)

// answer is the final answer to a request.
type answer struct {
	status    int // of the last attempt; 0 if there was no answer
	header    http.Header
	excerpt   string
	text      string // what went wrong, as a sentence without a full stop; empty if err is nil
	err       error
	exchanges []int
	took      time.Duration // of the last attempt
	latency   time.Duration // of all attempts, excluding waits for a turn and waits after a 429
	markup    bool          // the body is HTML or XML instead of JSON
	slashed   bool          // a redirect to the same path with a slash at its end
	body      []byte        // of a status other than 200, up to maxErrorBody
	tls       *tls.ConnectionState
}

// client sends requests and records the exchanges.
type client struct {
	o         *Options
	transport *http.Transport
	ctx       context.Context //nolint:containedctx // of the one check that the client lives for
	redact    *redacter

	mu        sync.Mutex
	next      time.Time // when the next request may start
	used      int       // requests that count against the budget
	sent      int
	exchanges []Exchange
	throttled []int // exchanges with status 429
	advised   int   // those of the throttled exchanges with a usable Retry-After
	retried   []int // exchanges that failed and succeeded on a later attempt
	slow      []int // exchanges above Timing.Slow
	slowest   time.Duration
	hung      int          // requests that got no complete answer in any attempt
	starved   map[bool]int // requests that were throttled on every attempt, with the right key or not
}

func newClient(ctx context.Context, o *Options) *client {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &client{
		o: o, ctx: ctx, starved: make(map[bool]int),
		transport: &http.Transport{
			TLSClientConfig:        &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12},
			Protocols:              protocols,
			DisableCompression:     true, // gzip is decompressed by the kit, which limits the size
			MaxIdleConnsPerHost:    8,
			TLSHandshakeTimeout:    10 * time.Second,
			MaxResponseHeaderBytes: maxHeader,
		},
		redact: newRedacter(o.Key),
	}
}

// patience is how many requests may hang, or be throttled, in all of their attempts. Requests
// after that get fewer attempts, so that a platform that hangs now and then does not hold up the
// whole check.
const patience = 2

// do sends a request: up to three times, and again after each 429, within limits.
func (c *client) do(q request) answer {
	var a answer
	most, mostThrottled, mostWait := c.attemptLimits(q)
	broken := 0 // the exchange of the first attempt that failed for another reason
	waited := time.Duration(0)
	for attempt, throttled := 1, 0; ; {
		if err := c.awaitTurn(q.unpaced); err != nil {
			if a.err == nil {
				a.err, a.text = err, refusalReason(err)
			}
			return a
		}
		sent := time.Now()
		wait := c.sendOnce(q, attempt, throttled, &a)
		a.latency += time.Since(sent)
		held := errors.Is(a.err, errThrottle)
		switch {
		case wait < 0:
			if a.err == nil && broken > 0 {
				c.updateStats(func() { c.retried = append(c.retried, broken) })
			}
			return a
		case held:
			c.updateStats(func() { c.used -= budgetCost(q) }) // nothing reached the platform
			if throttled++; throttled >= mostThrottled || waited >= mostWait {
				c.updateStats(func() { c.starved[q.key == withKey]++ })
				return a
			}
			waited += wait
		case attempt == most:
			if errors.Is(a.err, errTimeout) {
				c.updateStats(func() { c.hung++ })
			}
			return a
		default:
			if attempt++; broken == 0 {
				broken = a.exchanges[len(a.exchanges)-1]
			}
			a.latency += wait
		}
		if !sleep(c.ctx, wait) {
			return a
		}
	}
}

// updateStats updates the statistics of all requests.
func (c *client) updateStats(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
}

// attemptLimits returns how often a request is attempted, how often it may also be throttled, and
// how long the last wait may be.
func (c *client) attemptLimits(q request) (most, mostThrottled int, mostWait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	most, mostThrottled, mostWait = attempts, maxThrottled, throttleWait
	if q.key != withKey {
		mostWait = strangerWait
	}
	if c.hung >= patience {
		most = 1
	}
	if c.starved[q.key == withKey] >= patience {
		mostThrottled = 2
	}
	if q.once {
		most, mostThrottled = 1, 1
	}
	return most, mostThrottled, mostWait
}

// budgetCost returns how many requests of the budget a request uses.
func budgetCost(q request) int {
	if q.unpaced {
		return 0
	}
	return 1
}

func refusalReason(err error) string {
	if errors.Is(err, errBudget) {
		return "the check has used up its requests"
	}
	return "the check has used up its time"
}

// awaitTurn waits until the request may start.
func (c *client) awaitTurn(unpaced bool) error {
	c.mu.Lock()
	if !unpaced {
		if c.used >= c.o.MaxRequests {
			c.mu.Unlock()
			return errBudget
		}
		c.used++
	}
	c.sent++
	now := time.Now()
	begin := now
	if !unpaced && c.o.Timing.Interval > 0 {
		begin = c.next
		if begin.Before(now) {
			begin = now
		}
		c.next = begin.Add(c.o.Timing.Interval)
	}
	c.mu.Unlock()
	if !sleep(c.ctx, begin.Sub(now)) {
		return errDeadline
	}
	return nil
}

// sleep waits and reports whether the context is still valid.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// sendOnce sends the request once and fills in the answer. It returns how long to wait before
// another attempt, or a negative duration if another attempt would not help.
func (c *client) sendOnce(q request, number, throttled int, a *answer) time.Duration {
	ctx, cancel := context.WithTimeout(c.ctx, c.o.Timing.Attempt)
	defer cancel()
	x := Exchange{At: time.Now().UTC(), Method: http.MethodGet, Key: string(q.key), Attempt: number + throttled}
	if q.method != "" {
		x.Method = q.method
	}
	address := c.o.URL + q.path
	if len(q.query) > 0 {
		address += "?" + q.query.Encode()
	}
	x.URL, x.Curl = c.redact.Replace(address), c.curlCommand(x.Method, address, q.key)
	a.status, a.header, a.excerpt, a.err, a.text, a.markup, a.slashed, a.body = 0, nil, "", nil, "", false, false, nil
	req, err := http.NewRequestWithContext(ctx, x.Method, address, nil)
	if err != nil {
		a.err, a.text = errNoAnswer, "the address cannot be requested"
		return -1
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Accept-Encoding", "gzip")
	req.Close = req.Method == http.MethodHead // some servers send a body all the same, which no answer on this connection may begin with
	req.Header.Set("User-Agent", "assay-contracttest/1 (+https://github.com/assayhq/assay)")
	switch q.key {
	case withKey:
		req.Header.Set("Authorization", "Bearer "+c.o.Key)
	case wrongKey:
		req.Header.Set("Authorization", "Bearer wrong-"+strconv.FormatInt(x.At.Unix(), 36))
	}
	wait := c.roundTrip(ctx, req, q, &x, a)
	if x.Duration = time.Since(x.At); errors.Is(a.err, errTimeout) {
		a.text = fmt.Sprintf("no complete answer came within %s", c.o.Timing.Attempt)
	}
	a.took = x.Duration
	x.Error = c.redact.Replace(a.text)
	a.excerpt, a.text = x.Body, x.Error
	a.exchanges = append(a.exchanges, c.recordExchange(x))
	if wait > 0 && number == attempts-1 && !errors.Is(a.err, errThrottle) {
		wait *= 2
	}
	return wait
}

// roundTrip sends the request and reads the answer.
func (c *client) roundTrip(ctx context.Context, req *http.Request, q request, x *Exchange, a *answer) time.Duration {
	resp, err := c.transport.RoundTrip(req)
	if err != nil {
		a.text, a.err = c.noAnswer(ctx, err)
		if errors.Is(a.err, errTLS) || c.ctx.Err() != nil {
			return -1
		}
		return c.o.Timing.Backoff
	}
	defer resp.Body.Close()
	a.status, a.header, a.tls = resp.StatusCode, resp.Header, resp.TLS
	x.Status, x.Header = resp.StatusCode, c.reportedHeaders(resp.Header)
	to, err := resp.Location()
	a.slashed = err == nil && to.Host == req.URL.Host && to.Path == req.URL.Path+"/"
	body := &meter{r: resp.Body, left: maxBody + maxBody/32}
	reader, err := decompressBody(resp.Header, body)
	kept := &excerpt{}
	var plain *meter
	if err == nil {
		plain = &meter{r: io.TeeReader(reader, kept), left: maxBody}
		if resp.StatusCode == http.StatusOK && q.read != nil {
			err = q.read(plain)
		} else {
			a.body, _ = io.ReadAll(io.LimitReader(plain, maxErrorBody))
		}
		x.Bytes = plain.n
	}
	x.Body = c.redact.ReplaceIn(strings.ToValidUTF8(string(kept.head), "\ufffd"))
	switch {
	case resp.StatusCode == http.StatusTooManyRequests,
		resp.StatusCode == http.StatusServiceUnavailable && len(resp.Header["Retry-After"]) > 0:
		a.err, a.text = errThrottle, fmt.Sprintf("the platform answered %d and asked to wait", resp.StatusCode)
		wait, _ := retryAfter(resp.Header)
		return min(wait, c.o.Timing.MaxWait)
	case resp.StatusCode >= 500 && resp.StatusCode <= 599:
		a.err, a.text = errServer, fmt.Sprintf("the platform answered %d", resp.StatusCode)
		return c.o.Timing.Backoff
	case resp.StatusCode == http.StatusOK && err != nil:
		a.text, a.err = c.badBody(ctx, body, plain, err)
		if a.markup = errors.Is(a.err, errBroken) && bytes.HasPrefix(bytes.TrimSpace(kept.head), []byte("<")); a.markup {
			a.text = "the answer is HTML or XML instead of JSON"
		}
		if errors.Is(a.err, errBroken) || errors.Is(a.err, errTimeout) {
			return c.o.Timing.Backoff
		}
	}
	return -1
}

// recordExchange numbers an exchange and adds it to the report.
func (c *client) recordExchange(x Exchange) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	x.Number = len(c.exchanges) + 1
	c.exchanges = append(c.exchanges, x)
	if x.Status == http.StatusTooManyRequests {
		c.throttled = append(c.throttled, x.Number)
		if _, usable := retryAfter(http.Header{"Retry-After": {x.Header["Retry-After"]}}); usable {
			c.advised++
		}
	}
	if x.Status != 0 && x.Duration > c.o.Timing.Slow {
		c.slow = append(c.slow, x.Number)
	}
	c.slowest = max(c.slowest, x.Duration)
	return x.Number
}

// reportedHeaders returns the response headers that help a reader, redacted.
func (c *client) reportedHeaders(h http.Header) map[string]string {
	shown := make(map[string]string)
	for name, values := range h {
		if name != "Set-Cookie" && len(shown) < 40 {
			shown[name] = truncateLine(c.redact.Replace(strings.Join(values, ", ")), 200)
		}
	}
	return shown
}

// curlCommand returns a command line for the same request. It takes the key from the environment.
func (c *client) curlCommand(method, address string, key keyUse) string {
	var b strings.Builder
	b.WriteString("curl -sS -i")
	switch method {
	case http.MethodGet:
	case http.MethodHead:
		b.WriteString(" -I")
	default:
		b.WriteString(" -X " + method)
	}
	if c.o.RootCAs != nil {
		b.WriteString(` --cacert "$CA_FILE"`)
	}
	switch key {
	case withKey:
		b.WriteString(` -H "Authorization: Bearer $API_KEY"`)
	case wrongKey:
		b.WriteString(` -H "Authorization: Bearer wrong"`)
	}
	b.WriteString(` -H 'Accept: application/json' '`)
	b.WriteString(strings.ReplaceAll(c.redact.Replace(address), "'", `'\''`))
	b.WriteString("'")
	return b.String()
}
