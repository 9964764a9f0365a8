// Package decode reads what callers send: JSON bodies and query parameters.
//
// It is strict and collects faults: a body that is not JSON immediately results in a 400, but all
// invalid values of a readable request are listed in one 422, each fault with its place and never
// with its value.
package decode
