// Package platformtest asks simulated platforms for pages in tests.
package platformtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// Key is the key of the platforms that tests ask.
const Key = "test-key"

// Wednesday returns a busy moment of the markets.
func Wednesday() time.Time { return time.Date(2026, 3, 4, 15, 0, 0, 0, time.UTC) }

// Get asks a platform for a path with the key.
func Get(t testing.TB, p http.Handler, path string) *http.Response {
	t.Helper()
	return Do(t, p, http.MethodGet, path, "Bearer "+Key)
}

// Do sends a request without a body. authorization is its header of that name, which it lacks if that
// is empty.
func Do(t testing.TB, p http.Handler, method, path, authorization string) *http.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, http.NoBody)
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Result()
}

// ReadBody reads the body of a response.
func ReadBody(t testing.TB, r *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
