package contracttest

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"testing"
)

// TestMissingIntermediate: a certificate that verifies only because the system has downloaded
// another one is not served in full.
func TestMissingIntermediate(t *testing.T) {
	t.Parallel()
	cert := func(name string) *x509.Certificate {
		return &x509.Certificate{Raw: []byte(name), Subject: pkix.Name{CommonName: name}}
	}
	leaf, between, other, root := cert("leaf"), cert("between"), cert("other"), cert("root")
	for _, tt := range []struct {
		name   string
		sent   []*x509.Certificate
		chains [][]*x509.Certificate
		want   string
	}{
		{"all sent", []*x509.Certificate{leaf, between}, [][]*x509.Certificate{{leaf, between, root}}, ""},
		{"the leaf alone", []*x509.Certificate{leaf}, [][]*x509.Certificate{{leaf, between, root}}, "CN=between"},
		{"one chain sent", []*x509.Certificate{leaf, between}, [][]*x509.Certificate{{leaf, other, root}, {leaf, between, root}}, ""},
		{"a leaf that is trusted itself", []*x509.Certificate{leaf}, [][]*x509.Certificate{{leaf}}, ""},
	} {
		if got := missingIntermediate(&tls.ConnectionState{PeerCertificates: tt.sent, VerifiedChains: tt.chains}); got != tt.want {
			t.Errorf("%s: %q is missing, want %q", tt.name, got, tt.want)
		}
	}
}
