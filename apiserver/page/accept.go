package page

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
)

// PrefersHTML reports whether the Accept header prefers HTML to JSON. Browsers' headers do. curl
// and API clients send */* or application/json, which do not.
func PrefersHTML(header http.Header) bool {
	json := max(decode.Quality(header, "application/json"), decode.Quality(header, problem.MediaType))
	return decode.Quality(header, "text/html") > json
}
