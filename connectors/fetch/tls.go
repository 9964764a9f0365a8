package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
)

// handshakeError marks what went wrong in a TLS handshake.
type handshakeError struct{ err error }

func (e *handshakeError) Error() string { return "TLS handshake: " + e.err.Error() }
func (e *handshakeError) Unwrap() error { return e.err }

// dialTLS connects through the guard and completes the handshake, so that the
// stage at which a connection failed is known.
func (c *Client) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	plain, err := c.guard.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	cfg := c.tls.Clone()
	cfg.ServerName = host
	conn := tls.Client(plain, cfg)
	ctx, cancel := context.WithTimeout(ctx, handshakeLimit)
	defer cancel()
	if err := conn.HandshakeContext(ctx); err != nil {
		_ = plain.Close()
		return nil, &handshakeError{err}
	}
	return conn, nil
}

// refusePlain stands in for dialling without TLS, which never happens: base
// URLs are https.
func refusePlain(context.Context, string, string) (net.Conn, error) {
	return nil, errors.New("connections without TLS are not made")
}
