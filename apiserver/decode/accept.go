package decode

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// Accepts reports whether the Accept header lets a request be answered with
// the media type.
func Accepts(header http.Header, media string) bool { return Quality(header, media) > 0 }

// Quality returns how strongly the Accept header asks for the media type, from 0, which excludes
// it, to 1 (RFC 9110, 12.5.1). The most specific range that includes the type decides. A header
// that is absent, empty or malformed excludes nothing: the sender's intention cannot be known,
// and a response is more useful than none.
//
// Parameters of a range other than q never exclude a type: the media types here have none that
// matter, and many clients send application/json; charset=utf-8.
func Quality(header http.Header, media string) float64 {
	var (
		named   bool // the header contains a range
		best    specificity
		quality float64
	)
	for element := range splitList(strings.Join(header.Values("Accept"), ",")) {
		if trimSpace(element) == "" {
			continue
		}
		r, ok := parseRange(element)
		if !ok {
			return 1
		}
		named = true
		how := r.specificityFor(media)
		if how > best || how == best && how != other && r.quality > quality {
			best, quality = how, r.quality
		}
	}
	if !named {
		return 1
	}
	return quality
}

// specificity is how closely a range matches a media type.
type specificity int

const (
	other      specificity = iota // another type
	anyType                       // */*
	anySubtype                    // application/*
	exact
)

// mediaRange is one element of Accept.
type mediaRange struct {
	kind    string // in lower case, with its subtype; either may be *
	params  bool   // has parameters besides q
	quality float64
}

// specificityFor returns how closely the range describes the media type.
func (r mediaRange) specificityFor(media string) specificity {
	if r.params && r.quality == 0 {
		return other // excludes a variant that does not exist
	}
	group, _, _ := strings.Cut(media, "/")
	switch r.kind {
	case media:
		return exact
	case group + "/*":
		return anySubtype
	case "*/*":
		return anyType
	}
	return other
}

// parseRange parses a media range and its quality.
func parseRange(element string) (r mediaRange, ok bool) {
	kind, params, err := mime.ParseMediaType(element)
	group, subtype, slash := strings.Cut(kind, "/")
	if err != nil || !slash || group == "" || subtype == "" || group == "*" && subtype != "*" {
		return r, false
	}
	r = mediaRange{kind: kind, quality: 1}
	if q, given := params["q"]; given {
		delete(params, "q")
		if r.quality, ok = parseQuality(q); !ok {
			return r, false
		}
	}
	r.params = len(params) > 0
	return r, true
}

// parseQuality parses a qvalue: from 0 to 1 with at most three decimals.
func parseQuality(text string) (float64, bool) {
	const longest = len("0.000")
	if len(text) > longest || strings.Trim(text, "0123456789.") != "" || text == "" || text[0] != '0' && text[0] != '1' {
		return 0, false
	}
	q, err := strconv.ParseFloat(text, 64)
	return q, err == nil && q <= 1
}

// splitList yields the elements of a list. Commas within quotes do not separate elements.
func splitList(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start, quoted := 0, false
		for i := 0; i < len(text); i++ {
			switch c := text[i]; {
			case c == '\\' && quoted:
				i++ // the next character is escaped
			case c == '"':
				quoted = !quoted
			case c == ',' && !quoted:
				if !yield(text[start:i]) {
					return
				}
				start = i + 1
			}
		}
		yield(text[start:])
	}
}
