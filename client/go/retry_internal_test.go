package assay

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
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

// TestSendRepeatedly checks which attempts are made, in the order of what they get: 0 is a lost answer.
func TestSendRepeatedly(t *testing.T) {
	t.Parallel()
	many := slices.Repeat([]int{409}, 100)
	for _, tc := range []struct {
		name, method string
		conditional  bool
		outcomes     []int
		attempts     int
		want         int
	}{
		{"lost", "POST", false, []int{0, 201}, 2, 201},
		{"lost again and again", "POST", false, []int{0, 0, 0, 0, 0, 201}, 5, 0},
		{"lost while it is carried out", "POST", false, append([]int{0, 0, 0, 0}, append(many, 201)...), 105, 201},
		{"carried out for too long", "POST", false, slices.Repeat([]int{409}, 1000), 0, 409},
		{"deleted by the attempt that was lost", "DELETE", false, []int{0, 404}, 2, 204},
		{"deleted behind a proxy that gave up", "DELETE", false, []int{504, 503, 404}, 3, 204},
		{"deleted before", "DELETE", false, []int{404}, 1, 404},
		{"deleted before a busy server's answer", "DELETE", false, []int{503, 404}, 2, 404},
		{"read after it was deleted", "GET", false, []int{0, 404}, 2, 404},
		{"conditional and lost", "PATCH", true, []int{0, 200}, 1, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				attempts, begun := 0, time.Now()
				res, err := retryPolicy{4, 65 * time.Second}.sendRepeatedly(t.Context(), tc.method, tc.conditional, func() (*http.Response, error) {
					status := tc.outcomes[attempts]
					attempts++
					if status == 0 {
						return nil, errors.New("connection reset")
					}
					header := http.Header{"Content-Type": {"application/problem+json"}}
					if status == http.StatusConflict {
						header.Set("Retry-After", "1")
					}
					return &http.Response{StatusCode: status, Header: header, Body: http.NoBody}, nil
				})
				got := 0
				if err == nil {
					got = res.StatusCode
				}
				if got != tc.want || tc.attempts != 0 && attempts != tc.attempts {
					t.Errorf("%d after %d attempts, want %d after %d", got, attempts, tc.want, tc.attempts)
				}
				if waited := time.Since(begun); waited > slowestAnswer+10*time.Second {
					t.Errorf("waited %s", waited)
				}
			})
		})
	}
}
