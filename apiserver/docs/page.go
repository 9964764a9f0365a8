package docs

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"

	"github.com/assayhq/assay/apiserver/decode"
)

// How long caches may keep what is served.
const (
	cachePage  = "public, max-age=3600"
	cacheAsset = "public, max-age=31536000, immutable" // its address holds its version
)

// page is an answer that stays the same while the process lives.
type page struct {
	body   []byte
	media  string
	policy string // Content-Security-Policy
	cache  string // Cache-Control
	coding string // Content-Encoding; empty: none
	etag   string
}

// newPage returns an HTML page.
func newPage(body []byte, policy string) page {
	return page{body: body, media: "text/html; charset=utf-8", policy: policy, cache: cachePage, etag: etagOf(body)}
}

// etagOf is a strong entity tag.
func etagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// styleHash is a stylesheet as a source of a Content-Security-Policy.
func styleHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// serve answers with the page, or with 304 to somebody who has it.
func (p page) serve(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", p.cache)
	w.Header().Set("ETag", p.etag)
	// A header that breaks the grammar lists no tag: a person gets the page.
	if tags := new(decode.Faults).EntityTags(r.Header, "If-None-Match"); tags != nil && tags.Weak(p.etag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return p.write(w, http.StatusOK)
}

func (p page) write(w http.ResponseWriter, status int) error {
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
