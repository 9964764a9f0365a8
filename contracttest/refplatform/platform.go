package refplatform

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Platform is a trading platform that implements the contract. It is an
// http.Handler and safe for concurrent use.
//
// The handler serves the routes at the root; http.StripPrefix puts it under
// another base URL. Serving over TLS 1.2 or later is the server's part; Start
// does both.
type Platform struct {
	world     *world
	key       [sha256.Size]byte
	faults    *faultSet
	onRequest func(RequestInfo)
	buffers   sync.Pool // of page bodies, for use again
}

// RequestInfo tells of a request and how it was answered.
type RequestInfo struct {
	Time          time.Time // when it came in
	Method        string
	Path          string // still percent-encoded
	RawQuery      string
	Header        http.Header
	BodyBytes     int64 // of the request; the contract's requests have none
	Status        int   // 0 when the connection was cut before there was one
	ResponseBytes int64
	Duration      time.Duration
	Faults        []string // faults that were on for it
}

// New makes a platform. It takes about a second and 80 MB for each million
// trades.
func New(o Options) (*Platform, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("reference platform: %w", err)
	}
	return &Platform{
		world: newWorld(&o), key: sha256.Sum256([]byte(o.Key)), faults: newFaultSet(o.Seed), onRequest: o.OnRequest,
		buffers: sync.Pool{New: func() any { return new([]byte) }},
	}, nil
}

// endpoint is one of the six routes.
type endpoint string

const (
	endpointHealth   endpoint = "/health"
	endpointTraders  endpoint = "/traders"
	endpointTrader   endpoint = "/traders/{id}"
	endpointAccounts endpoint = "/accounts"
	endpointTrades   endpoint = "/trades"
	endpointPayouts  endpoint = "/payouts"
)

// Endpoints lists the routes as FaultOptions.Endpoint names them.
func Endpoints() []string {
	return []string{
		string(endpointHealth), string(endpointTraders), string(endpointTrader),
		string(endpointAccounts), string(endpointTrades), string(endpointPayouts),
	}
}

// route finds the endpoint of a request; empty when there is none. The path is
// looked at in its encoded form, so that an id may hold a slash.
func route(r *http.Request) (at endpoint, id string) {
	path := r.URL.EscapedPath()
	switch e := endpoint(path); e {
	case endpointHealth, endpointTraders, endpointAccounts, endpointTrades, endpointPayouts:
		return e, ""
	}
	rest, ok := strings.CutPrefix(path, "/traders/")
	if !ok || rest == "" || strings.Contains(rest, "/") {
		return "", ""
	}
	id, err := url.PathUnescape(rest)
	if err != nil {
		return "", ""
	}
	return endpointTrader, id
}

// ServeHTTP answers one request.
func (p *Platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	at, id := route(r)
	x := &exchange{ResponseWriter: w, r: r, at: at, platform: p, faults: p.faults.match(at)}
	defer func() { // also when a fault cuts the connection by a panic
		if p.onRequest == nil {
			return
		}
		p.onRequest(RequestInfo{
			Time: began, Method: r.Method, Path: r.URL.EscapedPath(), RawQuery: r.URL.RawQuery, Header: r.Header,
			BodyBytes: x.received, Status: x.status, ResponseBytes: x.sent, Duration: time.Since(began), Faults: x.faults.names(),
		})
	}()
	x.received, _ = io.Copy(io.Discard, io.LimitReader(r.Body, 1<<20))
	if x.faults.answer(x) {
		return
	}
	p.answer(x, id)
}

// answer is the contract, faults aside: authenticate, then route.
func (p *Platform) answer(x *exchange, id string) {
	switch {
	case !p.authorized(x.r) && !x.faults.skipsAuth():
		x.Header().Set("WWW-Authenticate", "Bearer")
		x.fail(http.StatusUnauthorized, "unauthorized", "Send the API key as Authorization: Bearer <API_KEY>.")
	case x.at == "":
		x.fail(http.StatusNotFound, "not_found", "There is no such route.")
	case x.r.Method != http.MethodGet:
		x.Header().Set("Allow", http.MethodGet)
		x.fail(http.StatusMethodNotAllowed, "method_not_allowed", "Only GET is supported.")
	case x.at == endpointHealth:
		x.send(http.StatusOK, []byte(`{"status":"ok","provider":"reference platform","version":"1"}`))
	case x.at == endpointTrader:
		p.serveTrader(x, id)
	default:
		p.serveList(x)
	}
}

// authorized compares the bearer key in constant time. Both keys are hashed
// first, so that not even their lengths show in the time it takes.
func (p *Platform) authorized(r *http.Request) bool {
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(key)))
	same := subtle.ConstantTimeCompare(sum[:], p.key[:]) == 1
	return same && strings.EqualFold(scheme, "Bearer")
}

// serveTrader answers with one trader, without an envelope.
func (p *Platform) serveTrader(x *exchange, id string) {
	var body []byte
	p.world.read(func() {
		t := &p.world.traders
		if ref, ok := t.find(id); ok && t.updated[ref] != 0 {
			body = t.appendRecord(nil, ref)
		}
	})
	if body == nil {
		x.fail(http.StatusNotFound, "not_found", "There is no trader with this id.")
		return
	}
	x.send(http.StatusOK, x.faults.record(Traders, 0, body))
}
