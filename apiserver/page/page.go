// Package page serves what browsers show and does not change while the process
// lives: pages, and the scripts, stylesheets and pictures that they load.
package page

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"

	"github.com/assayhq/assay/apiserver/decode"
)

// How long caches may keep what is served.
const (
	CacheHour    = "public, max-age=3600"
	CacheForever = "public, max-age=31536000, immutable" // its address stands for one content
	CacheNever   = "no-store"
)

// Page is an answer that stays the same while the process lives.
type Page struct {
	body   []byte
	media  string
	policy string // Content-Security-Policy
	cache  string // Cache-Control
	coding string // Content-Encoding; empty: none
	etag   string
}

// HTML returns a page with the Content-Security-Policy that caches may keep as
// cache says.
func HTML(body []byte, policy, cache string) Page {
	return Page{body: body, media: "text/html; charset=utf-8", policy: policy, cache: cache, etag: etagOf(body)}
}

// etagOf is a strong entity tag.
func etagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// Serve answers with the page, or with 304 to somebody who has it.
func (p Page) Serve(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", p.cache)
	w.Header().Set("ETag", p.etag)
	// A header that breaks the grammar lists no tag: a person gets the page.
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
