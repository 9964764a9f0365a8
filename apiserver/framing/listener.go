package framing

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"
)

const (
	handshakeTimeout = 5 * time.Second        // limits a TLS handshake
	acceptPause      = 100 * time.Millisecond // pause before accepting again if the system ran out of a resource
)

// plainConn and tlsConn are watched connections. They keep the features that net/http finds by
// type assertions: sending files, closing one half, the state of TLS.
type plainConn struct {
	*net.TCPConn
	watched reader
}

func (c *plainConn) Read(p []byte) (int, error) { return c.watched.readFrom(c.TCPConn, p) }

type tlsConn struct {
	*tls.Conn
	watched reader
}

func (c *tlsConn) Read(p []byte) (int, error) { return c.watched.readFrom(c.Conn, p) }

// reader is the reading half of a connection.
type reader struct{ watcher watcher }

func (r *reader) readFrom(from net.Conn, p []byte) (int, error) {
	if r.watcher.refused {
		return 0, errAmbiguous
	}
	n, err := from.Read(p)
	passed := r.watcher.scanBytes(p[:n])
	if passed == 0 && r.watcher.refused {
		return 0, errAmbiguous
	}
	if r.watcher.refused {
		err = nil
	}
	return passed, err
}

// Listen returns a listener whose connections are watched. With a config they use TLS. HTTP/2
// states the length of a body only once, so its connections are not watched.
func Listen(l net.Listener, config *tls.Config) net.Listener {
	if config == nil {
		return plainListener{l}
	}
	return &tlsListener{Listener: l, config: config, ready: make(chan net.Conn), closed: make(chan struct{})}
}

type plainListener struct{ net.Listener }

// Accept implements net.Listener.
func (l plainListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		return &plainConn{TCPConn: tcp}, nil
	}
	return nil, errors.Join(errors.New("the connection is not TCP"), c.Close())
}

// tlsListener performs the handshakes itself, each in its own goroutine, because only then it
// knows whether a connection uses HTTP/2.
type tlsListener struct {
	net.Listener
	config *tls.Config

	start  sync.Once
	ready  chan net.Conn
	failed error         // why no more connections are accepted; set before closed is closed
	closed chan struct{} // closed when no more connections are accepted
}

// Accept implements net.Listener.
func (l *tlsListener) Accept() (net.Conn, error) {
	l.start.Do(func() { go l.acceptConnections() })
	select {
	case c := <-l.ready:
		return c, nil
	case <-l.closed:
		return nil, l.failed
	}
}

// acceptConnections accepts connections until the listener is closed.
func (l *tlsListener) acceptConnections() {
	defer close(l.closed)
	ctx, cancel := context.WithCancel(context.Background())
	var handshakes sync.WaitGroup
	defer handshakes.Wait()
	defer cancel()
	for {
		c, err := l.Listener.Accept()
		var passing interface{ Temporary() bool }
		switch {
		case err == nil:
			handshakes.Go(func() { l.makeHandshake(ctx, tls.Server(c, l.config)) })
		case errors.As(err, &passing) && passing.Temporary(): // out of file descriptors, for example
			time.Sleep(acceptPause)
		default:
			l.failed = err
			return
		}
	}
}

// makeHandshake performs a connection's handshake and passes the connection on, even if the
// handshake fails: the server then meets the same error and reports it.
func (l *tlsListener) makeHandshake(ctx context.Context, c *tls.Conn) {
	limited, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	var next net.Conn = c
	if c.HandshakeContext(limited) == nil && c.ConnectionState().NegotiatedProtocol != "h2" {
		next = &tlsConn{Conn: c}
	}
	select {
	case l.ready <- next:
	case <-ctx.Done():
		_ = c.Close() // nobody uses the connection
	}
}
