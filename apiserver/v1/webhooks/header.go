package webhooks

import (
	"net/textproto"
	"regexp"
	"strings"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/webhooks"
)

// Limits of headers that an endpoint's owner adds. Together they stay below the 8 KiB that
// servers commonly accept.
const (
	maxHeaders     = 10
	maxHeaderName  = 100
	maxHeaderValue = 500
)

// headerName is a token of RFC 9110, and headerValue what every server takes as a value:
// visible ASCII, and spaces inside.
var (
	headerName  = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
	headerValue = regexp.MustCompile(`^[!-~]([ -~]*[!-~])?$`)
)

// reservedHeaders are those that assay or the connection sets. What ends with a hyphen is the
// beginning of a name.
var reservedHeaders = []string{
	"accept-encoding", "baggage", "connection", "content-", "date", "expect", "host", "http2-settings", "keep-alive", "proxy-", "te", "trace", "trailer",
	"traceparent", "tracestate", "transfer-encoding", "upgrade", "user-agent", "via", "webhook-",
}

// isReserved reports whether the owner of an endpoint may not set a header.
func isReserved(name string) bool {
	name = strings.ToLower(name)
	for _, r := range reservedHeaders {
		if name == r || strings.HasSuffix(r, "-") && strings.HasPrefix(name, r) {
			return true
		}
	}
	return false
}

// readHeaders reads the headers to add to an endpoint's requests.
func readHeaders(o *decode.Object) decode.Field[[]webhooks.Header] {
	headers := decode.Objects(o, "headers", maxHeaders, readHeader)
	o.Note("headers", decode.Note{
		About: "Headers to add to each request, such as the credential of a gateway in front of your endpoint. They replace all earlier ones. Their values are encrypted and never returned.",
	})
	if headers.State != decode.Set {
		return headers
	}
	seen := make(map[string]bool)
	for _, h := range headers.Value {
		name := textproto.CanonicalMIMEHeaderKey(h.Name)
		if seen[name] {
			o.Fault("headers", problem.InvalidFormat, "Must not name a header twice, in any case.")
			headers.State = decode.Faulty
			break
		}
		seen[name] = true
	}
	return headers
}

func readHeader(o *decode.Object) webhooks.Header {
	name := o.Text("name", maxHeaderName)
	o.Note("name", decode.Note{
		About:   "Name of the header. Headers that assay or the connection sets are refused: `Content-*`, `Webhook-*`, `Host`, `User-Agent`, `Connection` and the like.",
		Example: "Authorization", Least: 1, Pattern: headerName.String(),
	})
	switch {
	case name.State != decode.Set:
	case !headerName.MatchString(name.Value):
		name = decode.NoteFormatFault(o, "name", "Must be a name of a header, such as X-Tenant: letters, digits and hyphens.")
	case isReserved(name.Value):
		name = decode.NoteFormatFault(o, "name", "Is set by assay or by the connection. Use another name.")
	}
	o.Require("name", name.State)
	value := o.Text("value", maxHeaderValue)
	o.Note("value", decode.Note{About: "Value of the header: ASCII without control characters, and without spaces at its ends.", Example: "Bearer 5f2c9a71", Least: 1, Pattern: headerValue.String()})
	if value.State == decode.Set && !headerValue.MatchString(value.Value) {
		value = decode.NoteFormatFault(o, "value", "Must be ASCII without line breaks and other control characters, and without spaces at its ends.")
	}
	o.Require("value", value.State)
	return webhooks.Header{Name: name.Value, Value: seal.NewSecret(value.Value)}
}
