package middleware

import (
	"crypto/rand"
	"net/http"
)

// RequestIDHeader carries a request's id in both directions.
const RequestIDHeader = "X-Request-Id"

// Bounds of an id that is taken over from the caller: long enough to be unique in a
// log, and short enough for one line of it.
const (
	minRequestID = 8
	maxRequestID = 128
)

// requestID takes the caller's id over when it is well-formed, and makes one
// of 26 letters and digits otherwise.
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
