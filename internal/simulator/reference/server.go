package reference

import (
	"fmt"
	"net"
	"net/http"

	"github.com/assayhq/assay/internal/simulator/host"
)

// Identity is a server certificate and the private authority that signed it,
// in PEM.
type Identity = host.Identity

// NewIdentity makes a certificate for loopback (localhost, 127.0.0.1, ::1) and
// for further host names or addresses.
func NewIdentity(hosts ...string) (Identity, error) { return host.NewIdentity(hosts...) }

// NewKey makes an API key: 26 characters with 128 bits of chance.
func NewKey() string { return host.NewKey() }

// Server is a Platform that is being served over TLS.
type Server struct {
	*Platform
	*host.Server
}

// Start serves a platform on a free port of the loopback address, with a
// certificate of its own. A key is made up when the options have none. The
// caller must Close it.
func Start(o Options) (*Server, error) {
	s := new(Server)
	var err error
	if s.Server, err = host.Start(o.Key, s.newPlatform(o)); err != nil {
		return nil, fmt.Errorf("reference platform: %w", err)
	}
	return s, nil
}

// Serve serves a platform over TLS on a listener, which it closes in the end.
// On an error the listener stays open.
func Serve(listener net.Listener, identity Identity, o Options) (*Server, error) {
	s := new(Server)
	var err error
	if s.Server, err = host.Serve(listener, identity, o.Key, s.newPlatform(o)); err != nil {
		return nil, fmt.Errorf("reference platform: %w", err)
	}
	return s, nil
}

// newPlatform makes the server's platform for the key.
func (s *Server) newPlatform(o Options) func(key string) (http.Handler, error) {
	return func(key string) (_ http.Handler, err error) {
		o.Key = key
		s.Platform, err = newPlatform(o)
		return s.Platform, err
	}
}
