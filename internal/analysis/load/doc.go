// Package load joins what is pure with what is stored: it reads an uploaded
// file into what the store keeps, and loads what the store has of a trader into
// an analysis.
//
// Both daemons use it, apiserver within a request and syncd for reports. It is
// the one part of syncd, beside the analysis itself, that apiserver may import:
// it has no timers, keeps nothing, and knows no other part of syncd.
package load
