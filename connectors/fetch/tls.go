package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
)

// handshakeError marks an error of a TLS handshake.
type handshakeError struct{ err error }

func (e *handshakeError) Error() string { return "TLS handshake: " + e.err.Error() }
func (e *handshakeError) Unwrap() error { return e.err }

// tlsDialer makes TLS connections through the guard.
type tlsDialer struct {
	guard  *Guard
	config *tls.Config
	limits Limits
}

// dialTLS connects through the guard and completes the handshake, so that the stage
// at which a connection failed is known.
func (d *tlsDialer) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	plain, err := d.dialTCP(ctx, network, address)
	if err != nil {
		return nil, err
	}
	cfg := d.config.Clone()
	cfg.ServerName = host
	conn := tls.Client(plain, cfg)
	ctx, cancel := context.WithTimeout(ctx, d.limits.Handshake)
	defer cancel()
	if err := conn.HandshakeContext(ctx); err != nil {
		_ = plain.Close()
		return nil, &handshakeError{err}
	}
	return conn, nil
}

func (d *tlsDialer) dialTCP(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.limits.Dial)
	defer cancel()
	return d.guard.DialContext(ctx, network, address)
}

// refusePlain replaces dialling without TLS, which never happens, because base URLs
// are https.
func refusePlain(context.Context, string, string) (net.Conn, error) {
	return nil, errors.New("connections without TLS are not allowed")
}
