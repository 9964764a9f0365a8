package storetest

import (
	"context"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Filter says, for one connection to a database, whether what either side sends may pass. If it may
// not, the connection is broken.
type Filter struct {
	FromClient, FromServer func(sent []byte) bool
}

// Forward starts a proxy in front of the database's server, and returns the URL of the database
// through it. newFilter is called for each connection.
func Forward(t testing.TB, databaseURL string, newFilter func() Filter) (through string) {
	t.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := u.Host
	var conns sync.WaitGroup
	conns.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			conns.Go(func() { forwardConn(client, server, newFilter()) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		conns.Wait()
	})
	u.Host = listener.Addr().String()
	return u.String()
}

// forwardConn forwards a connection until either side ends it, or the filter does.
func forwardConn(client net.Conn, address string, f Filter) {
	defer func() { _ = client.Close() }()
	server, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", address)
	if err != nil {
		return
	}
	answers := make(chan struct{})
	go func() {
		defer close(answers)
		defer func() { _ = client.Close() }()
		copyWhile(client, server, f.FromServer)
	}()
	copyWhile(server, client, f.FromClient)
	_ = server.Close()
	<-answers
}

// copyWhile copies until either side ends, or something may not pass.
func copyWhile(to io.Writer, from io.Reader, mayPass func([]byte) bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 && !mayPass(buffer[:n]) {
			return
		}
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
