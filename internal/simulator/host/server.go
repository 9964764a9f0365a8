package host

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// Server serves a platform over TLS.
type Server struct {
	URL      string // base URL, such as https://127.0.0.1:45123
	Key      string // API key
	CA       []byte // PEM of the authority that clients must trust
	CertPool *x509.CertPool

	http    *http.Server
	serving sync.WaitGroup
	failed  error // of the listener; read after serving
}

// Start serves a platform with this key on a free port of the loopback address,
// with a certificate of its own.
func Start(platform http.Handler, key string) (*Server, error) {
	identity, err := NewIdentity()
	if err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	s, err := Serve(listener, identity, platform, key)
	if err != nil {
		_ = listener.Close()
	}
	return s, err
}

// Serve is Start on a listener, which the Server closes in the end, with a
// certificate that is there already. On an error the listener stays open.
func Serve(listener net.Listener, identity Identity, platform http.Handler, key string) (*Server, error) {
	certificate, err := tls.X509KeyPair(identity.Cert, identity.Key)
	if err != nil {
		return nil, fmt.Errorf("read certificate: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(identity.CA) {
		return nil, errors.New("the authority's certificate cannot be read")
	}
	s := &Server{
		URL: "https://" + listener.Addr().String(), Key: key, CA: identity.CA, CertPool: pool,
		http: &http.Server{
			Handler:           platform,
			TLSConfig:         &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
			ReadHeaderTimeout: 10 * time.Second,
			IdleTimeout:       2 * time.Minute,
			MaxHeaderBytes:    64 << 10,
			// Handshakes that clients break off are their business, not ours.
			ErrorLog: log.New(io.Discard, "", 0),
		},
	}
	s.serving.Go(func() {
		if err := s.http.ServeTLS(listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
			s.failed = err
		}
	})
	return s, nil
}

// NewKey makes an API key: 26 characters with 128 bits of chance.
func NewKey() string { return "ak_" + rand.Text() }

// Client returns an HTTP client that trusts the server. Its idle connections
// should be closed by CloseIdleConnections.
func (s *Server) Client() *http.Client {
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: s.CertPool, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true,
	}}
}

// Wait blocks until the server has stopped and returns why, nil after a
// Shutdown or Close.
func (s *Server) Wait() error {
	s.serving.Wait()
	return s.failed
}

// Shutdown stops taking requests and lets those under way finish until the
// context ends; then it cuts them off, as the faults that hang need it.
func (s *Server) Shutdown(ctx context.Context) error {
	if err := s.http.Shutdown(ctx); err != nil {
		return s.Close()
	}
	return s.Wait()
}

// Close stops the server at once.
func (s *Server) Close() error {
	err := s.http.Close()
	return errors.Join(err, s.Wait())
}
