// Package middleware is what stands around the router: it names each request,
// bounds its body, survives panics, sets the headers that every answer
// carries, and leaves one log event and the metrics behind. gorilla/mux skips
// its own middleware for unknown paths and methods, hence around it.
package middleware
