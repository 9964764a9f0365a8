package fetch_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/seal"
)

const testKey = "sk_live_7f3a9c/b+2=d\"e"

// network is an internet in memory: TLS servers at public addresses, reached
// over pipes, so that tests in a synctest bubble can let minutes pass at once.
type network struct {
	t  *testing.T
	mu sync.Mutex
	// names maps host names to the addresses that a look-up returns.
	names map[string][]netip.Addr
	// servers maps "ip:port" to the server that listens there.
	servers map[string]*listener
	dialled []string
	events  []fetch.Event
}

func newNetwork(t *testing.T) *network {
	t.Helper()
	return &network{t: t, names: map[string][]netip.Addr{}, servers: map[string]*listener{}}
}

// serve runs a TLS server with a valid certificate at name and ip, port 443.
func (n *network) serve(name, ip string, h http.HandlerFunc) *listener {
	n.t.Helper()
	return n.serveTLS(name, ip, h, nil)
}

func (n *network) serveTLS(name, ip string, h http.HandlerFunc, change func(*tls.Config)) *listener {
	n.t.Helper()
	l := &listener{accept: make(chan net.Conn), closed: make(chan struct{})}
	cfg := &tls.Config{Certificates: []tls.Certificate{authority().leaf}}
	if change != nil {
		change(cfg)
	}
	srv := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: time.Hour}
	var done sync.WaitGroup
	done.Go(func() { _ = srv.Serve(tls.NewListener(l, cfg)) })
	n.t.Cleanup(func() {
		_ = srv.Close()
		done.Wait()
	})
	n.mu.Lock()
	defer n.mu.Unlock()
	n.names[name] = append(n.names[name], netip.MustParseAddr(ip))
	n.servers[net.JoinHostPort(ip, "443")] = l
	return l
}

// LookupNetIP implements fetch.Resolver.
func (n *network) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	addrs, ok := n.names[host]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, Server: "10.9.8.7:53", IsNotFound: true}
	}
	return addrs, nil
}

func (n *network) dial(ctx context.Context, _, address string) (net.Conn, error) {
	n.mu.Lock()
	n.dialled = append(n.dialled, address)
	l, ok := n.servers[address]
	n.mu.Unlock()
	if !ok {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	near, far := connection()
	select {
	case l.accept <- far:
		l.mu.Lock()
		l.conns++
		l.mu.Unlock()
		return near, nil
	case <-ctx.Done():
		_ = near.Close()
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: ctx.Err()}
	}
}

// connection returns both ends of a connection that holds some bytes in each
// direction. A bare net.Pipe holds none: in TLS 1.3 both sides write at once.
func connection() (near, far net.Conn) {
	near, left := net.Pipe()
	right, far := net.Pipe()
	pump := func(dst, src net.Conn) {
		_, _ = io.Copy(dst, src)
		_ = dst.Close()
		_ = src.Close()
	}
	go pump(left, right)
	go pump(right, left)
	return near, far
}

// client returns a client of this internet. o need not say how it connects.
func (n *network) client(o fetch.Options) *fetch.Client {
	n.t.Helper()
	o.Resolver, o.RootCAs = n, authority().pool
	o.Observe = func(_ context.Context, e fetch.Event) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.events = append(n.events, e)
	}
	c := fetch.New(o)
	c.SetDial(n.dial)
	n.t.Cleanup(c.Close)
	return c
}

func platform(c *fetch.Client, base string) *fetch.Platform {
	return c.Platform(record.CustomAPI, connectors.Config{BaseURL: base, APIKey: seal.NewSecret(testKey)})
}

// listener accepts the far ends of pipes and counts them.
type listener struct {
	accept chan net.Conn
	closed chan struct{}
	once   sync.Once
	mu     sync.Mutex
	conns  int
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.accept:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr { return &net.TCPAddr{} }

func (l *listener) connections() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.conns
}

// ca is a certificate authority with one certificate for *.test.
type ca struct {
	pool *x509.CertPool
	leaf tls.Certificate
}

// authority makes the authority once. Its certificates are also valid in the year
// 2000, which is the time in synctest bubbles.
var authority = sync.OnceValue(func() ca {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test root"},
		NotBefore: time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "test"}, DNSNames: []string{"*.test"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:   root.NotBefore, NotAfter: root.NotAfter, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	rootDER, err := x509.CreateCertificate(rand.Reader, root, root, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	leafDER, err := x509.CreateCertificate(rand.Reader, leaf, root, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	parsed, err := x509.ParseCertificate(rootDER)
	if err != nil {
		panic(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return ca{pool: pool, leaf: tls.Certificate{Certificate: [][]byte{leafDER}, PrivateKey: key}}
})

// get fetches a path and keeps a copy of the body.
func get(t *testing.T, p *fetch.Platform, req fetch.Request) (string, fetch.Result, error) {
	t.Helper()
	return getContext(t.Context(), p, req)
}

func getContext(ctx context.Context, p *fetch.Platform, req fetch.Request) (string, fetch.Result, error) {
	if req.Path == "" {
		req.Path = "/traders"
	}
	if req.Resource == "" {
		req.Resource = "traders"
	}
	var body string
	res, err := p.Get(ctx, req, func(a fetch.Answer) error {
		body = string(a.Body)
		return nil
	})
	return body, res, err
}

// platformError returns err as the *connectors.Error that a platform's failure must
// be.
func platformError(t *testing.T, err error) *connectors.Error {
	t.Helper()
	var e *connectors.Error
	if !errors.As(err, &e) {
		t.Fatalf("error is %T (%v), want *connectors.Error", err, err)
	}
	return e
}
