package page

import (
	"net/http"

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
