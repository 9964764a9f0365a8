package clients_test

import (
	"io"
	"math"
	"net"
	"strings"
	"sync/atomic"
	"testing"
)

// cable is a way to a server that can be cut while an answer is under way.
type cable struct {
	url string
	// left is how many bytes may still come from the server before the connection that brings them is cut. The others
	// go on, and it is unlimited again.
	left atomic.Int64
}

// plugIn opens a way to the server that lasts as long as the test.
func plugIn(t *testing.T, server string) *cable {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	c := &cable{url: "http://" + listener.Addr().String()}
	c.left.Store(math.MaxInt64)
	go func() {
		for {
			browser, err := listener.Accept()
			if err != nil {
				return
			}
			go c.forwardConnection(browser, strings.TrimPrefix(server, "http://"))
		}
	}()
	return c
}

// forwardConnection passes on what one connection brings, until one side ends it or it is cut.
func (c *cable) forwardConnection(browser net.Conn, address string) {
	defer browser.Close()
	server, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		_, _ = io.Copy(server, browser)
		_ = server.Close()
	}()
	part := make([]byte, 16<<10)
	for {
		n, err := server.Read(part)
		if c.left.Add(-int64(n)) < 0 {
			c.left.Store(math.MaxInt64)
			return
		}
		if _, failed := browser.Write(part[:n]); failed != nil || err != nil {
			return
		}
	}
}
