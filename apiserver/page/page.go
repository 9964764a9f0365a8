// Package page serves content for browsers that does not change while the process runs: pages,
// and the scripts, stylesheets and pictures that they load.
package page

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"

	"github.com/assayhq/assay/apiserver/decode"
)

// How long caches may keep a page.
const (
	CacheHour    = "public, max-age=3600"
	CacheForever = "public, max-age=31536000, immutable" // its address always stands for the same content
	CacheNever   = "no-store"
)

// Page is a response that stays the same while the process runs.
type Page struct {
	body   []byte
	media  string
	policy string // Content-Security-Policy
	cache  string // Cache-Control
	coding string // Content-Encoding; empty if there is none
	etag   string
}

// HTML returns a page with the Content-Security-Policy and with cache as its Cache-Control.
func HTML(body []byte, policy, cache string) Page {
	return Page{body: body, media: "text/html; charset=utf-8", policy: policy, cache: cache, etag: etagOf(body)}
}

// etagOf returns a strong entity tag.
func etagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// Serve answers with the page, or with 304 if the client has it.
func (p Page) Serve(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", p.cache)
	w.Header().Set("ETag", p.etag)
	// A malformed header matches no tag, so the client gets the page.
	if tags := new(decode.Faults).EntityTags(r.Header, "If-None-Match"); tags != nil && tags.Weak(p.etag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return p.Write(w, http.StatusOK)
}

// Write answers with the page and the status.
func (p Page) Write(w http.ResponseWriter, status int) error {
	h := w.Header()
	h.Set("Content-Type", p.media)
	h.Set("Content-Length", strconv.Itoa(len(p.body)))
	if p.coding != "" {
		h.Set("Content-Encoding", p.coding)
	}
	h.Set("Content-Security-Policy", p.policy)
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
	// An error means that the client has gone.
	_, _ = w.Write(p.body)
	return nil
}
