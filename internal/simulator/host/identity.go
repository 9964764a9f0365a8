package host

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// Identity is a server certificate and the private authority that signed it, in
// PEM. The authority's key is discarded as soon as it has signed, so that it cannot
// sign another certificate for clients that trust the authority.
type Identity struct {
	CA   []byte // certificate that clients must trust
	Cert []byte // certificate of the server
	Key  []byte // private key of the server
}

// validity is how long certificates last: as long as common clients accept.
const validity = 825 * 24 * time.Hour

// NewIdentity makes a certificate for loopback (localhost, 127.0.0.1, ::1) and
// for further host names or addresses.
func NewIdentity(hosts ...string) (Identity, error) {
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Identity{}, fmt.Errorf("make certificate: %w", err)
	}
	serverKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Identity{}, fmt.Errorf("make certificate: %w", err)
	}
	authority := certificateTemplate("assay contracttest CA")
	authority.IsCA = true
	authority.MaxPathLenZero = true
	authority.KeyUsage = x509.KeyUsageCertSign
	server := certificateTemplate("assay contracttest")
	server.KeyUsage = x509.KeyUsageDigitalSignature
	server.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	for _, host := range append([]string{"localhost", "127.0.0.1", "::1"}, hosts...) {
		if ip := net.ParseIP(host); ip != nil {
			server.IPAddresses = append(server.IPAddresses, ip)
		} else {
			server.DNSNames = append(server.DNSNames, host)
		}
	}
	authorityDER, err := x509.CreateCertificate(rand.Reader, authority, authority, authorityKey.Public(), authorityKey)
	if err != nil {
		return Identity{}, fmt.Errorf("make certificate authority: %w", err)
	}
	serverDER, err := x509.CreateCertificate(rand.Reader, server, authority, serverKey.Public(), authorityKey)
	if err != nil {
		return Identity{}, fmt.Errorf("make certificate: %w", err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(serverKey)
	if err != nil {
		return Identity{}, fmt.Errorf("make certificate: %w", err)
	}
	return Identity{
		CA:   pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authorityDER}),
		Cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: serverDER}),
		Key:  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}),
	}, nil
}

// certificateTemplate returns what both certificates have in common.
func certificateTemplate(name string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127)) // crypto/rand does not fail
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name, SerialNumber: serial.Text(36)},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(validity), BasicConstraintsValid: true,
	}
}

// Covers reports whether the certificate is good for the hosts at a moment.
func (i Identity) Covers(now time.Time, hosts ...string) bool {
	roots := x509.NewCertPool()
	block, _ := pem.Decode(i.Cert)
	if block == nil || !roots.AppendCertsFromPEM(i.CA) {
		return false
	}
	server, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return false
	}
	for _, host := range append([]string{"localhost", "127.0.0.1", "::1"}, hosts...) {
		if server.VerifyHostname(host) != nil {
			return false
		}
	}
	_, err = server.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: now})
	return err == nil
}
