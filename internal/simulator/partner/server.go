package partner

import (
	"cmp"
	"fmt"

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
	o.Key = cmp.Or(o.Key, host.NewKey())
	platform, err := New(o)
	if err != nil {
		return nil, err
	}
	server, err := host.Start(platform, o.Key)
	if err != nil {
		return nil, fmt.Errorf("partner platform: %w", err)
	}
	return &Server{platform, server}, nil
}
