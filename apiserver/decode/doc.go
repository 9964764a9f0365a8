// Package decode reads what callers send: JSON bodies and query parameters.
//
// It is strict, and it collects: a body that is no JSON ends at once with a
// 400, but everything that is wrong with the values of a readable request is
// listed in one 422, each fault with its place and never with its value.
package decode
