package receiver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Files of the receiver in its folder.
const (
	CertificateFile = "certificate.pem" // which whoever calls must trust
	keyFile         = "key.pem"
)

// loadCertificate returns the certificate in the folder, or makes one for loopback.
func loadCertificate(dir string) (tls.Certificate, error) {
	cert, key := filepath.Join(dir, CertificateFile), filepath.Join(dir, keyFile)
	kept, err := tls.LoadX509KeyPair(cert, key)
	if err == nil && time.Until(kept.Leaf.NotAfter) > 30*24*time.Hour {
		return kept, nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return kept, err
	}
	certPEM, keyPEM, err := newCertificate(time.Now())
	if err == nil {
		err = errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(key, keyPEM, 0o600), os.WriteFile(cert, certPEM, 0o600))
	}
	if err != nil {
		return kept, err
	}
	return tls.X509KeyPair(certPEM, keyPEM)
}

// newCertificate makes a certificate that vouches for itself, valid for a year.
func newCertificate(now time.Time) (certPEM, keyPEM []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "webhook receiver of make run"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(1, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true, IsCA: true,
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, nil, err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), nil
}
