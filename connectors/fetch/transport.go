package fetch

import (
	"net/http"
	"time"
)

// Limits bound how a connection is made, and how long it is kept.
type Limits struct {
	Dial      time.Duration // all addresses of a host together; at most ten seconds
	Handshake time.Duration // of TLS
	Idle      time.Duration // that an unused connection is kept
	PerHost   int           // unused connections that are kept to one host; 0 means 64
}

// Transport sends requests to the outside. It connects through the guard and only
// with TLS 1.2 or newer. FailureCode returns the reason of a failure. It follows no
// redirects and is safe for concurrent use.
type Transport struct{ http *http.Transport }

// Transport returns a separate transport for calls to the outside other than those
// to a platform.
func (c *Client) Transport(l Limits) *Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	dialer := &tlsDialer{c.guard, c.tls, l}
	perHost := l.PerHost
	if perHost <= 0 {
		perHost = idleConnsPerHost
	}
	return &Transport{&http.Transport{
		Proxy:                  nil, // proxies of the environment are ignored: they would dial unguarded
		DialTLSContext:         dialer.dialTLS,
		DialContext:            refusePlain,
		Protocols:              protocols,
		DisableCompression:     true, // gzip is undone in body.go, within the limits
		MaxIdleConns:           idleConns,
		MaxIdleConnsPerHost:    perHost,
		IdleConnTimeout:        l.Idle,
		MaxResponseHeaderBytes: headerLimit,
	}}
}

// RoundTrip implements http.RoundTripper. An answer that changes the protocol has
// no body: net/http would return the connection instead, and no context ends reads
// from it.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.http.RoundTrip(req)
	if err == nil && resp.StatusCode == http.StatusSwitchingProtocols {
		_ = resp.Body.Close()
		resp.Body = http.NoBody
	}
	return resp, err
}

// CloseIdleConnections closes connections that no request uses.
func (t *Transport) CloseIdleConnections() { t.http.CloseIdleConnections() }
