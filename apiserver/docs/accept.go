package docs

import (
	"mime"
	"strconv"
	"strings"

	"github.com/assayhq/assay/apiserver/problem"
)

// prefersHTML reports whether the Accept header asks for HTML, by name, at
// least as much as for JSON. A browser does; curl and API clients, which send
// */* or application/json, do not.
func prefersHTML(accept []string) bool {
	html, json := 0.0, 0.0
	for element := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		media, params, err := mime.ParseMediaType(element)
		if err != nil {
			continue
		}
		switch media {
		case "text/html", "application/xhtml+xml":
			html = max(html, quality(params))
		case "application/json", problem.MediaType:
			json = max(json, quality(params))
		}
	}
	return html > 0 && html >= json
}

// acceptsGzip reports whether the Accept-Encoding header asks for gzip.
func acceptsGzip(accept []string) bool {
	for element := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		coding, params, _ := strings.Cut(element, ";")
		if !strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			continue
		}
		name, weight, given := strings.Cut(params, "=")
		if !given || !strings.EqualFold(strings.TrimSpace(name), "q") {
			return true
		}
		return quality(map[string]string{"q": strings.TrimSpace(weight)}) > 0
	}
	return false
}

// quality is the weight of an element (RFC 9110, section 12.4.2); a malformed
// one counts as none.
func quality(params map[string]string) float64 {
	text, ok := params["q"]
	if !ok {
		return 1
	}
	q, err := strconv.ParseFloat(text, 64)
	if err != nil || !(q >= 0 && q <= 1) {
		return 0
	}
	return q
}
