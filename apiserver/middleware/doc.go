// Package middleware wraps the router: it assigns each request an id, limits its body, recovers
// from panics, sets the headers of every response, logs an event and updates the metrics. It
// wraps the router because gorilla/mux skips its own middleware for unknown paths and methods.
package middleware
