package route

import (
	"fmt"
	"net/http"
	"time"
)

// DeprecationNotice is how long a deprecated operation works at least, so that callers who
// release twice a year have the time to change.
const DeprecationNotice = 180 * 24 * time.Hour

// deprecationPolicy explains to callers what a deprecation means for them.
const deprecationPolicy = "https://github.com/assayhq/assay/blob/main/docs/deprecation.md"

// Deprecation announces that an operation will be removed. The document and the headers of
// every response are made from it.
type Deprecation struct {
	Since time.Time
	// Sunset is when the operation may be removed; zero if that is not decided. It is
	// DeprecationNotice after Since or later.
	Sunset time.Time
	// Instead says in a sentence what to use, in Markdown.
	Instead string
}

// Check returns an error if the deprecation does not follow the policy.
func (d *Deprecation) Check() error {
	switch {
	case d.Since.IsZero() || d.Instead == "":
		return fmt.Errorf("a deprecation says since when and what to use instead")
	case !d.Sunset.IsZero() && d.Sunset.Sub(d.Since) < DeprecationNotice:
		return fmt.Errorf("the sunset is earlier than %d days after the deprecation", DeprecationNotice/(24*time.Hour))
	}
	return nil
}

// Describe returns what the document says about it.
func (d *Deprecation) Describe() string {
	text := "**Deprecated** since " + d.Since.UTC().Format(time.DateOnly)
	if !d.Sunset.IsZero() {
		text += ", works until " + d.Sunset.UTC().Format(time.DateOnly)
	}
	return text + ". " + d.Instead
}

// setHeaders adds the headers of RFC 9745 and RFC 8594. d may be nil.
func (d *Deprecation) setHeaders(h http.Header) {
	if d == nil {
		return
	}
	h.Set("Deprecation", fmt.Sprintf("@%d", d.Since.Unix()))
	if !d.Sunset.IsZero() {
		h.Set("Sunset", d.Sunset.UTC().Format(http.TimeFormat))
	}
	h.Add("Link", "<"+deprecationPolicy+`>; rel="deprecation"`)
}
