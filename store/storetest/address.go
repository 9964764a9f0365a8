package storetest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// Ports of Address. They are below those that systems use for outgoing connections, because tests
// make many of these.
const (
	firstPort = 15_000
	ports     = 15_000
)

// Address returns an unused address of this machine for a server that the test starts. Until the
// test ends, no other test gets it: the UDP port with the same number reserves it.
func Address(t testing.TB) string {
	t.Helper()
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", firstPort+rand.IntN(ports)) //nolint:gosec // nothing depends on its secrecy
		mine, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", address)
		if err != nil {
			continue
		}
		t.Cleanup(func() { _ = mine.Close() }) // nothing was sent
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
