package page

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
)

// PrefersHTML reports whether the Accept header asks for HTML more than for
// JSON. That of a browser does; curl and API clients, which send */* or
// application/json, do not.
func PrefersHTML(header http.Header) bool {
	json := max(decode.Quality(header, "application/json"), decode.Quality(header, problem.MediaType))
	return decode.Quality(header, "text/html") > json
}

// acceptsGzip reports whether the Accept-Encoding header asks for gzip.
func acceptsGzip(header http.Header) bool {
	for element := range strings.SplitSeq(strings.Join(header.Values("Accept-Encoding"), ","), ",") {
		coding, weight, weighted := strings.Cut(element, ";")
		if !strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			continue
		}
		name, text, _ := strings.Cut(weight, "=")
		quality, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		return !weighted || err == nil && quality > 0 && strings.EqualFold(strings.TrimSpace(name), "q")
	}
	return false
}
