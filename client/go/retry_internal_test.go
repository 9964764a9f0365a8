package assay

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"
)

func TestPause(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name       string
		attempt    int
		status     int // 0 if the connection failed
		retryAfter string
		again      bool
		least      time.Duration
	}{
		{"answered", 0, 200, "", false, 0},
		{"not valid", 0, 422, "", false, 0},
		{"connection lost", 0, 0, "", true, 0},
		{"connection lost too often", 4, 0, "", false, 0},
		{"busy", 1, 503, "", true, 0},
		{"busy for a while", 1, 503, "7", true, 7 * time.Second},
		{"over the limit", 0, 429, "60", true, time.Minute},
		{"over the limit for long", 0, 429, "3600", false, 0},
		{"over the limit until a time", 0, 429, time.Now().Add(30 * time.Second).UTC().Format(http.TimeFormat), true, 20 * time.Second},
		{"a nonsensical pause", 0, 503, "-1", true, 0},
		{"in progress", 0, 409, "1", true, time.Second},
		{"conflict", 0, 409, "", false, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			res, err := &http.Response{StatusCode: tc.status, Header: http.Header{"Retry-After": {tc.retryAfter}}}, error(nil)
			if tc.status == 0 {
				res, err = nil, errors.New("connection reset")
			}
			wait, again := retryPolicy{4, 65 * time.Second}.nextPause(tc.attempt, false, res, err)
			if again != tc.again || again && (wait < tc.least || wait > tc.least+11*time.Second) {
				t.Errorf("waits %s, again %t; want at least %s, %t", wait, again, tc.least, tc.again)
			}
		})
	}
	for status, want := range map[int]bool{http.StatusServiceUnavailable: true, http.StatusTooManyRequests: true, http.StatusBadGateway: false, http.StatusGatewayTimeout: false} {
		if _, again := (retryPolicy{4, time.Minute}).nextPause(0, true, &http.Response{StatusCode: status}, nil); again != want {
			t.Errorf("a change with If-Match is sent again after %d: %t", status, again)
		}
	}
	if _, again := (retryPolicy{4, time.Minute}).nextPause(0, true, nil, errors.New("connection reset")); again {
		t.Error("a change with If-Match is sent again after a lost answer")
	}
	untrusted := fmt.Errorf("get: %w", &tls.CertificateVerificationError{Err: errors.New("expired")})
	if _, again := (retryPolicy{4, time.Minute}).nextPause(0, false, nil, untrusted); again {
		t.Error("a server whose certificate is not valid is asked again")
	}
}
