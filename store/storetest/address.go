package storetest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// Ports of Address: below those that systems give to outgoing connections, of
// which tests make many.
const (
	firstPort = 15_000
	ports     = 15_000
)

// Address is an address of this machine that nobody listens on, for a server
// that the test starts.
func Address(t testing.TB) string {
	t.Helper()
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", firstPort+rand.IntN(ports)) //nolint:gosec // nothing depends on its secrecy
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return address
	}
	t.Fatal("no free port")
	return ""
}
