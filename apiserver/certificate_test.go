package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assayhq/assay/configs"
)

// newPair returns the files of a certificate with the serial number.
func newPair(t *testing.T, serial int64) (certificate, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour)}
	leaf, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	check(t, err)
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	check(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: leaf}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})
}

// servedSerial shakes hands and returns the serial number of the certificate that is served.
func servedSerial(t *testing.T, config *tls.Config) int64 {
	t.Helper()
	near, far := net.Pipe()
	server := tls.Server(far, config)
	client := tls.Client(near, &tls.Config{InsecureSkipVerify: true}) // which certificate it is matters here
	done := make(chan error, 1)
	go func() { done <- server.HandshakeContext(t.Context()) }()
	check(t, client.HandshakeContext(t.Context()))
	check(t, <-done)
	_, _ = near.Close(), far.Close()
	return client.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

// followCertificate reads the files until stop is called, and logs to log.
func followCertificate(t *testing.T, files configs.TLS) (c *certificate, log *bytes.Buffer, stop func()) {
	t.Helper()
	c, err := openCertificate(files)
	check(t, err)
	log = &bytes.Buffer{}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.followFiles(ctx, slog.New(slog.NewTextHandler(log, nil)))
	}()
	return c, log, func() {
		cancel()
		<-done
	}
}

// TestCertificateIsRenewed replaces the files of a certificate as those who renew it do, one file
// after the other.
func TestCertificateIsRenewed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := configs.TLS{CertFile: filepath.Join(dir, "cert.pem"), KeyFile: filepath.Join(dir, "key.pem")}
	first, firstKey := newPair(t, 1)
	second, secondKey := newPair(t, 2)
	check(t, os.WriteFile(files.CertFile, first, 0o600))
	check(t, os.WriteFile(files.KeyFile, firstKey, 0o600))
	synctest.Test(t, func(t *testing.T) {
		c, log, stop := followCertificate(t, files)
		for _, step := range []struct {
			file           string
			content        []byte
			serial         int64
			renewed, warns int // lines of the log so far
		}{
			{"", nil, 1, 0, 0},
			{files.CertFile, second, 1, 0, 1},
			{"", nil, 1, 0, 1}, // the same is said once
			{files.KeyFile, secondKey, 2, 1, 1},
			{files.CertFile, []byte("no certificate"), 2, 1, 2},
		} {
			if step.file != "" {
				check(t, os.WriteFile(step.file, step.content, 0o600))
			}
			time.Sleep(certificatePeriod)
			synctest.Wait()
			if got := servedSerial(t, c.serverTLS()); got != step.serial {
				t.Errorf("after %q: certificate %d is served, want %d", step.file, got, step.serial)
			}
			if renewed, warns := strings.Count(log.String(), "certificate renewed"), strings.Count(log.String(), "level=WARN"); renewed != step.renewed || warns != step.warns {
				t.Errorf("after %q: %d renewals and %d warnings are logged, want %d and %d:\n%s", step.file, renewed, warns, step.renewed, step.warns, log)
			}
		}
		stop()
	})
}

// TestCertificateThatExpires warns once of a certificate that ends in an hour, and not of one that
// replaces it.
func TestCertificateThatExpires(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := configs.TLS{CertFile: filepath.Join(dir, "cert.pem"), KeyFile: filepath.Join(dir, "key.pem")}
	renewed, renewedKey := newPair(t, 2) // by the clock outside, it is valid for decades
	synctest.Test(t, func(t *testing.T) {
		write := func(certificate, key []byte) {
			check(t, os.WriteFile(files.CertFile, certificate, 0o600))
			check(t, os.WriteFile(files.KeyFile, key, 0o600))
		}
		write(newPair(t, 1))
		_, log, stop := followCertificate(t, files)
		time.Sleep(2 * time.Hour) // of the bubble's clock
		write(renewed, renewedKey)
		time.Sleep(2 * time.Hour)
		stop()
		if n := strings.Count(log.String(), "expires soon or has expired"); n != 1 {
			t.Errorf("%d warnings, want one: %s", n, log.String())
		}
	})
}
