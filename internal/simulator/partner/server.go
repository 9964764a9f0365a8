package partner

import (
	"fmt"
	"net"
	"net/http"

	"github.com/assayhq/assay/internal/simulator/host"
)

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
		return nil, fmt.Errorf("partner platform: %w", err)
	}
	return s, nil
}

// Serve serves a platform over TLS on a listener, which it closes in the end.
// On an error the listener stays open.
func Serve(listener net.Listener, identity host.Identity, o Options) (*Server, error) {
	s := new(Server)
	var err error
	if s.Server, err = host.Serve(listener, identity, o.Key, s.newPlatform(o)); err != nil {
		return nil, fmt.Errorf("partner platform: %w", err)
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
