package middleware

import (
	"crypto/rand"
	"net/http"
)

// RequestIDHeader carries a request's id in requests and responses.
const RequestIDHeader = "X-Request-Id"

// Limits of an id that the caller sets: long enough to be unique in a log, and short enough for
// one line of it.
const (
	minRequestID = 8
	maxRequestID = 128
)

// requestID returns the caller's id if it is well formed, and otherwise a new one of 26 letters
// and digits.
func requestID(r *http.Request) string {
	if id := r.Header.Get(RequestIDHeader); validRequestID(id) {
		return id
	}
	return rand.Text()
}

func validRequestID(id string) bool {
	if len(id) < minRequestID || len(id) > maxRequestID {
		return false
	}
	for i := 0; i < len(id); i++ {
		c := id[i]
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}
