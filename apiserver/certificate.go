package main

import (
	"context"
	"crypto/tls"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/assayhq/assay/configs"
)

// certificatePeriod is how often the certificate's files are read again. Most certificates are
// renewed weeks before they expire.
const certificatePeriod = time.Minute

// expiryNotice is how long before a certificate expires a warning is logged.
const expiryNotice = 72 * time.Hour

// certificate is the public listener's own. It is nil if a proxy in front terminates TLS.
type certificate struct {
	files   configs.TLS
	current atomic.Pointer[tls.Certificate]
}

// openCertificate reads the certificate of the configuration, if there is one.
func openCertificate(files configs.TLS) (*certificate, error) {
	if !files.Enabled() {
		return nil, nil //nolint:nilnil // nil is plain HTTP
	}
	c := &certificate{files: files}
	if _, err := c.readFiles(); err != nil {
		return nil, configs.Unusable("tls.cert_file", err)
	}
	return c, nil
}

// readFiles reads the certificate and its key, and reports whether they have another certificate than before. The
// previous one stays in use if they cannot be read, or do not belong together yet.
func (c *certificate) readFiles() (renewed bool, err error) {
	pair, err := tls.LoadX509KeyPair(c.files.CertFile, c.files.KeyFile)
	if err != nil {
		return false, err
	}
	before := c.current.Swap(&pair)
	return before != nil && !slices.EqualFunc(before.Certificate, pair.Certificate, slices.Equal), nil
}

// followFiles reads the files again from time to time until ctx ends, so that a certificate that was
// renewed needs no restart. It warns once of a certificate that expires soon, or has expired.
func (c *certificate) followFiles(ctx context.Context, log *slog.Logger) {
	if c == nil {
		return
	}
	tick := time.NewTicker(certificatePeriod)
	defer tick.Stop()
	said, warned := "", time.Time{}
	for {
		if end := c.current.Load().Leaf.NotAfter; time.Until(end) < expiryNotice && !end.Equal(warned) {
			warned = end
			log.WarnContext(ctx, "the certificate of the public listener expires soon or has expired, renew it", "expires_at", end)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		renewed, err := c.readFiles()
		switch {
		case err == nil && renewed:
			log.InfoContext(ctx, "certificate renewed", "expires_at", c.current.Load().Leaf.NotAfter)
		case err != nil && err.Error() != said:
			log.WarnContext(ctx, "certificate not read again", "error", err)
		}
		said = ""
		if err != nil {
			said = err.Error()
		}
	}
}

// serverTLS returns the public listener's configuration of TLS, which is nil for plain HTTP.
func (c *certificate) serverTLS() *tls.Config {
	if c == nil {
		return nil
	}
	return &tls.Config{
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current.Load(), nil },
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"h2", "http/1.1"},
	}
}
