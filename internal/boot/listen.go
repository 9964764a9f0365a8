package boot

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"

	"github.com/assayhq/assay/configs"
)

// Listen opens the address that the configuration gives under a key, such as
// "listen". Its error names the key and says what to do. It is not a
// *configs.Error, because a later try may succeed: the process before this one may
// still be stopping.
func Listen(ctx context.Context, key, address string) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s %s or %s", key, err, bindHint(err), key, configs.Variable(key))
	}
	return listener, nil
}

// bindHint returns what to do about an address that cannot be listened on. The key to
// change follows it.
func bindHint(err error) string {
	_, unknownHost := errors.AsType[*net.DNSError](err)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return "another process uses the address. Stop that one, or choose another port in"
	case errors.Is(err, syscall.EACCES):
		return "ports below 1024 need a capability of the process (CAP_NET_BIND_SERVICE). Grant it, or choose a higher port in"
	case errors.Is(err, syscall.EADDRNOTAVAIL), unknownHost:
		return "this machine has no such address. Give one that it has, or 0.0.0.0 for all of them, in"
	}
	return "correct the address in"
}
