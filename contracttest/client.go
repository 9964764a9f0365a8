package contracttest

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Bounds of an answer.
const (
	maxBody    = 32 << 20 // bytes, decompressed
	maxExcerpt = 2 << 10  // kept of a body for the report
	maxHeader  = 64 << 10
	attempts   = 3 // of a request
)

// keyUse says what a request carries in its Authorization header.
type keyUse string

const (
	withKey  keyUse = "sent"
	noKey    keyUse = "none"
	wrongKey keyUse = "wrong"
)

// request is one question to the platform.
type request struct {
	method string // empty: GET
	path   string // escaped, beginning with a slash
	query  url.Values
	key    keyUse
	// once gives the request a single attempt.
	once bool
	// unpaced leaves pacing and the request budget to the caller.
	unpaced bool
	// read reads the body of an answer with status 200; nil skips it. A wrapped
	// errBroken has the request tried again.
	read func(body io.Reader) error
}

// Faults of requests. An answer's err wraps one of them.
var (
	errBroken   = errors.New("broken body")     // asking again may help
	errTooLarge = errors.New("body too large")  // more than maxBody
	errBudget   = errors.New("request budget")  // nothing was sent
	errDeadline = errors.New("out of time")     // the whole check's
	errNoRoute  = errors.New("no connection")   // DNS, refused, unreachable
	errTLS      = errors.New("TLS handshake")   // certificate or protocol
	errNoAnswer = errors.New("no answer")       // a connection, but no answer
	errStatus   = errors.New("another status")  // a complete answer, but not 200
	errThrottle = errors.New("throttled")       // 429 to the last attempt
	errServer   = errors.New("server error")    // 5xx to the last attempt
	errTimeout  = errors.New("no answer in 20") // the attempt's time ran out
)

// answer is what came back in the end.
type answer struct {
	status    int // of the last attempt; 0: none
	header    http.Header
	excerpt   string
	text      string // what went wrong, a sentence without its full stop; empty when err is nil
	err       error
	exchanges []int
	took      time.Duration // of the last attempt
	markup    bool          // the body is HTML or XML where JSON is due
	tls       *tls.ConnectionState
}

// client sends requests and keeps what came back.
type client struct {
	o         *Options
	transport *http.Transport
	ctx       context.Context //nolint:containedctx // of the one check that the client lives for
	redact    *strings.Replacer

	mu        sync.Mutex
	next      time.Time // when the next request may begin
	used      int       // requests that count against the budget
	sent      int
	exchanges []Exchange
	throttled []int // exchanges with status 429
	advised   int   // of those, with a usable Retry-After
	retried   []int // exchanges that failed, and succeeded when they were tried again
	slow      []int // exchanges above Timing.Slow
	slowest   time.Duration
	hung      int // requests to which no complete answer came in any attempt
}

func newClient(ctx context.Context, o *Options) *client {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &client{
		o: o, ctx: ctx,
		transport: &http.Transport{
			TLSClientConfig:        &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12},
			Protocols:              protocols,
			DisableCompression:     true, // gzip is undone here, within the bounds
			MaxIdleConnsPerHost:    8,
			TLSHandshakeTimeout:    10 * time.Second,
			MaxResponseHeaderBytes: maxHeader,
		},
		redact: redacter(o.Key),
	}
}

// redacter removes the key from texts, in the forms in which it may come back.
func redacter(key string) *strings.Replacer {
	marshalled, _ := json.Marshal(key) // cannot fail for a string
	inJSON := string(marshalled[1 : len(marshalled)-1])
	quoted := strconv.Quote(key)
	forms := []string{
		inJSON, strings.ReplaceAll(inJSON, "/", `\/`), quoted[1 : len(quoted)-1], strings.ReplaceAll(quoted[1:len(quoted)-1], "/", `\/`),
		html.EscapeString(key), url.QueryEscape(key), url.PathEscape(key), base64.StdEncoding.EncodeToString([]byte(key)), key,
	}
	slices.SortStableFunc(forms, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, form := range forms {
		pairs = append(pairs, form, "<API_KEY>")
	}
	return strings.NewReplacer(pairs...)
}

// patience is how many requests may hang in all of their attempts. Those behind
// them have a single one, so that a platform that hangs here and there is not
// waited for all day.
const patience = 2

// do sends a request, up to three times.
func (c *client) do(q request) answer {
	var a answer
	most := attempts
	c.mu.Lock()
	if q.once || c.hung >= patience {
		most = 1
	}
	c.mu.Unlock()
	for attempt := 1; ; attempt++ {
		if err := c.admit(q.unpaced); err != nil {
			if a.err == nil {
				a.err, a.text = err, refusal(err)
			}
			return a
		}
		wait := c.attempt(q, attempt, &a)
		if wait < 0 && attempt > 1 && a.err == nil {
			c.mu.Lock()
			c.retried = append(c.retried, a.exchanges[0])
			c.mu.Unlock()
		}
		if wait >= 0 && attempt == most && errors.Is(a.err, errTimeout) {
			c.mu.Lock()
			c.hung++
			c.mu.Unlock()
		}
		if wait < 0 || attempt == most {
			return a
		}
		if !sleep(c.ctx, wait) {
			return a
		}
	}
}

func refusal(err error) string {
	if errors.Is(err, errBudget) {
		return "the requests of the check are used up"
	}
	return "the time of the check is used up"
}

// admit waits for a request's turn.
func (c *client) admit(unpaced bool) error {
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

// sleep waits and reports whether the context still stands.
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

// attempt sends the request once and fills the answer in. The result is how
// long to wait before another attempt; negative when none would help.
func (c *client) attempt(q request, number int, a *answer) time.Duration {
	ctx, cancel := context.WithTimeout(c.ctx, c.o.Timing.Attempt)
	defer cancel()
	x := Exchange{At: time.Now().UTC(), Method: http.MethodGet, Key: string(q.key), Attempt: number}
	if q.method != "" {
		x.Method = q.method
	}
	address := c.o.URL + q.path
	if len(q.query) > 0 {
		address += "?" + q.query.Encode()
	}
	x.URL, x.Curl = c.redact.Replace(address), c.curl(x.Method, address, q.key)
	a.status, a.header, a.excerpt, a.err, a.text, a.markup = 0, nil, "", nil, "", false
	req, err := http.NewRequestWithContext(ctx, x.Method, address, nil)
	if err != nil {
		a.err, a.text = errNoAnswer, "the address cannot be asked for"
		return -1
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Accept-Encoding", "gzip")
	req.Header.Set("User-Agent", "assay-contracttest/1 (+https://github.com/assayhq/assay)")
	switch q.key {
	case withKey:
		req.Header.Set("Authorization", "Bearer "+c.o.Key)
	case wrongKey:
		req.Header.Set("Authorization", "Bearer wrong-"+strconv.FormatInt(x.At.Unix(), 36))
	}
	wait := c.exchange(ctx, req, q, &x, a)
	if x.Duration = time.Since(x.At); errors.Is(a.err, errTimeout) {
		a.text = fmt.Sprintf("no complete answer came within %s", c.o.Timing.Attempt)
	}
	a.took = x.Duration
	x.Error = c.redact.Replace(a.text)
	x.Body = c.redact.Replace(x.Body)
	a.excerpt, a.text = x.Body, x.Error
	a.exchanges = append(a.exchanges, c.keep(x))
	if wait > 0 && number == attempts-1 && a.status != http.StatusTooManyRequests {
		wait *= 2
	}
	return wait
}

// exchange sends the request and reads the answer.
func (c *client) exchange(ctx context.Context, req *http.Request, q request, x *Exchange, a *answer) time.Duration {
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
	x.Status, x.Header = resp.StatusCode, c.headers(resp.Header)
	body := &meter{r: resp.Body, left: maxBody + maxBody/32}
	reader, err := unpack(resp.Header, body)
	kept := &excerpt{}
	if err == nil {
		plain := &meter{r: io.TeeReader(reader, kept), left: maxBody}
		if resp.StatusCode == http.StatusOK && q.read != nil {
			err = q.read(plain)
		} else {
			_, _ = io.CopyN(io.Discard, plain, 16<<10) // enough for the report
		}
		x.Bytes = plain.n
	}
	x.Body = strings.ToValidUTF8(string(kept.head), "\ufffd")
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
		a.text, a.err = c.badBody(ctx, body, err)
		if a.markup = errors.Is(a.err, errBroken) && bytes.HasPrefix(bytes.TrimSpace(kept.head), []byte("<")); a.markup {
			a.text = "the answer is a page of HTML or XML and no JSON"
		}
		if errors.Is(a.err, errBroken) || errors.Is(a.err, errTimeout) {
			return c.o.Timing.Backoff
		}
	}
	return -1
}

// keep numbers an exchange and adds it to the report's.
func (c *client) keep(x Exchange) int {
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

// headers are those of an answer that help a reader, redacted.
func (c *client) headers(h http.Header) map[string]string {
	shown := make(map[string]string)
	for name, values := range h {
		if name != "Set-Cookie" && len(shown) < 40 {
			shown[name] = c.redact.Replace(cut(strings.Join(values, ", "), 200))
		}
	}
	return shown
}

// curl is a command line for the same request. The key comes from the
// environment.
func (c *client) curl(method, address string, key keyUse) string {
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

// noAnswer says why there is no answer, without addresses of our own.
func (c *client) noAnswer(ctx context.Context, err error) (text string, cause error) {
	if c.ctx.Err() != nil {
		return refusal(errDeadline), errDeadline
	}
	var name *net.DNSError
	if errors.As(err, &name) {
		return "the host name cannot be resolved", errNoRoute
	}
	var cert *tls.CertificateVerificationError
	if errors.As(err, &cert) {
		return "the certificate is not trusted: " + cut(cert.Err.Error(), 200), errTLS
	}
	var record tls.RecordHeaderError
	if errors.As(err, &record) {
		return "the port does not speak TLS", errTLS
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return "no connection can be made: " + cut(op.Err.Error(), 120), errNoRoute
	}
	if errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error") || strings.Contains(err.Error(), "tls: ") {
		return "the TLS handshake failed: " + cut(err.Error(), 200), errTLS
	}
	if ctx.Err() != nil {
		return "", errTimeout
	}
	return "the connection broke off before an answer came", errNoAnswer
}

// another says which status came in the place of 200.
func another(status int, h http.Header) string {
	text := fmt.Sprintf("the platform answered %d instead of 200", status)
	if to := h.Get("Location"); to != "" && status >= 300 && status <= 399 {
		text += ", a redirect to " + cut(to, 120)
	}
	return text
}

// badBody says why a body with status 200 could not be read.
func (c *client) badBody(ctx context.Context, body *meter, err error) (text string, cause error) {
	switch {
	case c.ctx.Err() != nil:
		return refusal(errDeadline), errDeadline
	case errors.Is(err, errTooLarge):
		return sentence(err, errTooLarge), errTooLarge
	case ctx.Err() != nil:
		return "", errTimeout
	case body.fail != nil:
		return fmt.Sprintf("the connection broke off after %d bytes of the answer", body.n), errBroken
	case errors.Is(err, errShape):
		return sentence(err, errShape), errShape
	}
	return sentence(err, errBroken), errBroken
}

// sentence is an error for people, without what it wraps.
func sentence(err, wrapped error) string {
	return strings.TrimPrefix(err.Error(), wrapped.Error()+": ")
}

// unpack undoes gzip, the only encoding that is asked for.
func unpack(h http.Header, r io.Reader) (io.Reader, error) {
	switch encoding := strings.ToLower(strings.Join(h.Values("Content-Encoding"), ",")); encoding {
	case "", "identity":
		return r, nil
	case "gzip", "x-gzip":
		return gzip.NewReader(r)
	default:
		return nil, fmt.Errorf("%w: the content encoding %q was not asked for", errShape, cut(encoding, 40))
	}
}

// retryAfter is the wait that the header asks for: whole seconds, clamped to 1
// to 60. Anything else is not usable, and means 10 s.
func retryAfter(h http.Header) (wait time.Duration, usable bool) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if value == "" || strings.Trim(value, "0123456789") != "" {
		return 10 * time.Second, false
	}
	if value = strings.TrimLeft(value, "0"); len(value) > 2 {
		return time.Minute, true
	}
	seconds, _ := strconv.Atoi("0" + value) // two digits at most
	return min(max(time.Duration(seconds)*time.Second, time.Second), time.Minute), true
}

// meter counts what is read, up to a bound, and keeps the error that ended it.
type meter struct {
	r       io.Reader
	n, left int64
	fail    error
}

func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, fmt.Errorf("%w: the answer is larger than %d MiB", errTooLarge, maxBody>>20)
	}
	n, err := m.r.Read(p[:min(int64(len(p)), m.left)])
	m.n, m.left = m.n+int64(n), m.left-int64(n)
	if err != nil && err != io.EOF { // io.Reader returns it bare
		m.fail = err
	}
	return n, err
}

// excerpt keeps the beginning of what is written to it.
type excerpt struct{ head []byte }

func (e *excerpt) Write(p []byte) (int, error) {
	if room := maxExcerpt - len(e.head); room > 0 {
		e.head = append(e.head, bytes.Clone(p[:min(room, len(p))])...)
	}
	return len(p), nil
}

// cut shortens a text for people, and keeps it on one line.
func cut(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	if len(s) <= limit {
		return s
	}
	for limit > 0 && s[limit]&0xc0 == 0x80 {
		limit--
	}
	return s[:limit] + "…"
}
