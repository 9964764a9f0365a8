// Package host is what platforms of this kit share that has nothing to do with
// their contracts: a certificate, a server over TLS, and the comparison of keys.
// It uses the standard library only.
package host
