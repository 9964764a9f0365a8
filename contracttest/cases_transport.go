package contracttest

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// trustedFix is the hint for an untrusted certificate, whichever case finds it first.
const trustedFix = "Serve a certificate of a public authority for the host of the base URL, with all intermediate certificates (the full chain). To check a test platform, pass its authority with --ca-file."

// probeLimit limits the connections that are opened in addition to the requests.
const probeLimit = 5 * time.Second

func transportCases() []Case {
	const clause = "Conventions of the customer platform contract"
	return []Case{
		{
			ID: "transport.tls", Title: "the certificate is trusted", Clause: clause, Level: Must, Profile: Core, always: true,
			Rule:  "HTTPS only, TLS 1.2 or later.",
			Why:   "assay sends the key only to a server whose certificate it can verify. Without a trusted certificate, nothing is read.",
			Fix:   trustedFix,
			check: (*run).checkCertificate,
		},
		{
			ID: "transport.tls-version", Title: "TLS before 1.2 is refused", Clause: clause, Level: Should, Profile: Core,
			Rule:  "HTTPS only, TLS 1.2 or later.",
			Why:   "TLS 1.0 and 1.1 are broken (RFC 8996), so an attacker on the network may read the key.",
			Fix:   "Set the server's minimum protocol version to TLS 1.2 (nginx: ssl_protocols TLSv1.2 TLSv1.3).",
			check: (*run).oldTLS,
		},
		{
			ID: "transport.https-only", Title: "nothing is served without TLS", Clause: clause, Level: Should, Profile: Core,
			Rule:  "HTTPS only, TLS 1.2 or later.",
			Why:   "A client with http:// in its URL by mistake would send its key in clear text, and nobody would notice.",
			Fix:   "Close the port without TLS, or answer every request there with a redirect or an error, never with 200.",
			check: (*run).checkPlainHTTP,
		},
	}
}

func (r *run) checkCertificate() outcome {
	a, _ := r.requestHealth()
	switch {
	case errors.Is(a.err, errTLS):
		return failedOutcome(a)
	case a.tls == nil:
		return dependsOn("live.health", "there was no response")
	}
	if name := missingIntermediate(a.tls); name != "" {
		return fail("the server does not send the intermediate certificate " + truncateLine(name, 120) + ", which this machine has found elsewhere")
	}
	return pass(tls.VersionName(a.tls.Version) + ", " + tls.CipherSuiteName(a.tls.CipherSuite))
}

// missingIntermediate returns the subject of a certificate that is needed to verify the server's and
// that the server has not sent; empty if there is none. Some systems download such certificates, and
// assay does not.
func missingIntermediate(state *tls.ConnectionState) string {
	missing := ""
	for _, chain := range state.VerifiedChains {
		missing = ""
		for _, cert := range chain[:len(chain)-1] {
			if !slices.ContainsFunc(state.PeerCertificates, cert.Equal) {
				missing = cert.Subject.String()
			}
		}
		if missing == "" {
			break
		}
	}
	return missing
}

// baseAddress returns the host and port of the base URL.
func (r *run) baseAddress() (u *url.URL, host string) {
	u, _ = url.Parse(r.o.URL) // validated
	port := u.Port()
	if port == "" {
		port = "443"
	}
	return u, net.JoinHostPort(u.Hostname(), port)
}

func (r *run) oldTLS() outcome {
	_, host := r.baseAddress()
	ctx, cancel := context.WithTimeout(r.client.ctx, probeLimit)
	defer cancel()
	dialer := tls.Dialer{Config: &tls.Config{ //nolint:gosec // what has to be refused
		RootCAs: r.o.RootCAs, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11,
	}}
	conn, err := dialer.DialContext(ctx, "tcp", host)
	if err != nil {
		return pass("a handshake of TLS 1.1 fails")
	}
	defer conn.Close()
	return fail("a handshake of TLS 1.1 succeeds")
}

// checkPlainHTTP requests the health over HTTP, without the key: on the same port, or on port 80
// if that is 443.
func (r *run) checkPlainHTTP() outcome {
	u, host := r.baseAddress()
	if strings.HasSuffix(host, ":443") {
		host = net.JoinHostPort(u.Hostname(), "80")
	}
	ctx, cancel := context.WithTimeout(r.client.ctx, probeLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+u.Path+"/health", nil)
	if err != nil {
		return skip(SkipUnseen, "there is no address to connect to")
	}
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return pass("nothing answers at http://" + host)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		return fail("http://" + host + u.Path + "/health answers 200")
	}
	return pass(fmt.Sprintf("http://%s answers %d", host, resp.StatusCode))
}

// route is one of the six routes, as the authentication cases name it.
type route struct {
	name, path, shown string
	needs             string // the case that shows whether it works with the key
}

// listRoutes returns the six routes. The route of a single trader needs an id.
func (r *run) listRoutes() []route {
	return []route{
		{"health", "/health", "/health", "live.health"},
		{"traders", "/traders", "/traders", "traders.readable"},
		{"trader", "/traders/" + url.PathEscape(r.someTrader()), "/traders/{id}", "trader.by-id"},
		{"accounts", "/accounts", "/accounts", "accounts.readable"},
		{"trades", "/trades", "/trades", "trades.readable"},
		{"payouts", "/payouts", "/payouts", "payouts.readable"},
	}
}

// unknownTrader is an id that no trader has.
const unknownTrader = "contracttest-no-such-trader"

// someTrader returns the id of a trader, or an id that does not exist if no trader is known.
func (r *run) someTrader() string {
	if p := r.firstPage(listNamed("traders")); p.page != nil {
		for i := range p.page.heads {
			if id := p.page.heads[i].id; id != "" && id != "." && id != ".." {
				return id
			}
		}
	}
	return unknownTrader
}

// authCases request every route without the key and with a wrong one.
func authCases() []Case {
	var cases []Case
	for i, name := range []string{"/health", "/traders", "/traders/{id}", "/accounts", "/trades", "/payouts"} {
		for _, key := range []keyUse{noKey, wrongKey} {
			how := map[keyUse]string{noKey: "without a key", wrongKey: "with a wrong key"}[key]
			id := "auth." + map[keyUse]string{noKey: "no-key.", wrongKey: "wrong-key."}[key] +
				[]string{"health", "traders", "trader", "accounts", "trades", "payouts"}[i]
			cases = append(cases, Case{
				ID: id, Title: "GET " + name + " " + how + " is refused", Clause: "Authentication", Level: Must, Profile: Core,
				Rule:  "Every route requires the bearer key and answers 401 (or 403) without it.",
				Why:   "An open route gives customers' data to anybody who finds it. The status also tells assay that a key was rotated, rather than that the platform is down.",
				Fix:   "Before routing, compare the whole Authorization header with “Bearer ” and the key in constant time, and answer 401 with the error body.",
				check: func(r *run) outcome { return r.checkRefused(i, key, how) },
			})
		}
	}
	return append(cases, Case{
		ID: "errors.unauthorized", Title: "a refusal has the error body", Clause: "Errors", Level: Should, Profile: Core,
		Rule: "Error body of the customer platform: { error: { code, message } }, sent with the matching HTTP status.",
		Why:  "assay shows people what the platform says. Without a code and a message, they see a number.",
		Fix:  `Answer 401 with {"error":{"code":"unauthorized","message":"…"}}.`,
		check: func(r *run) outcome {
			return errorBody(r.requestStatus("/traders", url.Values{"limit": {"1"}}, noKey))
		},
	})
}

func (r *run) checkRefused(i int, key keyUse, how string) outcome {
	at := r.listRoutes()[i]
	r.seen = nil // the page that the id came from says nothing about keys
	if at.name == "payouts" && r.firstPage(listNamed("payouts")).status == http.StatusNotFound {
		return skip(SkipHidden, "the platform has no payouts")
	}
	r.seen = nil
	var query url.Values
	if at.name == "traders" && key == noKey {
		query = url.Values{"limit": {"1"}} // as in the live check
	}
	a := r.requestStatus(at.path, query, key)
	switch {
	case a.status == http.StatusUnauthorized || a.status == http.StatusForbidden:
		return pass(fmt.Sprintf("the platform answered %d", a.status))
	case a.status == 0, errors.Is(a.err, errThrottle):
		return unjudgedOutcome(a)
	case at.name == "trader" && r.someTrader() == unknownTrader && a.status == http.StatusNotFound:
		return skip(SkipNoData, "there is no trader to request, and the platform answered 404")
	case a.status != http.StatusOK && a.status == r.authorizedStatus(at):
		return dependsOn(at.needs, fmt.Sprintf("the route answers %d to everybody", a.status))
	}
	return fail(fmt.Sprintf("GET %s %s was answered with status %d instead of 401", at.shown, how, a.status))
}

// authorizedStatus returns the status of a route with the key.
func (r *run) authorizedStatus(at route) int {
	seen := r.seen
	defer func() { r.seen = seen }()
	switch at.name {
	case "health":
		a, _ := r.requestHealth()
		return a.status
	case "trader":
		return r.requestStatus(at.path, nil, withKey).status
	default:
		return r.firstPage(listNamed(at.name)).status
	}
}

// errorBody judges the body of an error.
func errorBody(a *answer) outcome {
	if a.status < 400 || a.status > 499 || errors.Is(a.err, errThrottle) {
		return skip(SkipUnseen, "the platform did not answer with an error")
	}
	var body struct{ Error json.RawMessage }
	if err := json.Unmarshal(bytes.TrimPrefix(a.body, []byte("\ufeff")), &body); err != nil || body.Error == nil {
		return fail(fmt.Sprintf("the body of status %d is not a JSON object with error", a.status))
	}
	var said struct{ Code, Message *string }
	switch err := json.Unmarshal(body.Error, &said); {
	case err != nil:
		return fail(fmt.Sprintf("in the body of status %d, error is no object whose code and message are strings", a.status))
	case said.Code == nil || said.Message == nil:
		return fail(fmt.Sprintf("the body of status %d has no error with code and message", a.status))
	}
	return pass("code " + truncateLine(*said.Code, 60))
}

// traderCases check the route of a single trader.
func traderCases() []Case {
	const clause = "Endpoints"
	return []Case{
		{
			ID: "trader.by-id", Title: "a trader can be requested by id", Clause: clause, Level: Must, Profile: Core,
			Rule:  "/traders/{id}: one Trader, no envelope.",
			Why:   "assay requests the trader when an interview begins, to get the current name and status.",
			Fix:   "Answer GET /traders/{id} with the same object as in the list, neither under data nor in an array. Decode the id in the path, which is percent-encoded.",
			check: (*run).traderByID,
		},
		{
			ID: "trader.unknown", Title: "an unknown trader returns 404", Clause: clause, Level: Must, Profile: Core,
			Rule:  "404 with the error body when the id is unknown.",
			Why:   "A 404 tells assay that a trader is gone. Any other status counts as a failure of the platform and is retried.",
			Fix:   "Answer 404 if no trader has the id, not 200 with null or {}, and not 500.",
			check: (*run).traderUnknown,
		},
		{
			ID: "errors.not-found", Title: "an unknown trader has the error body", Clause: "Errors", Level: Should, Profile: Core,
			Rule:  "Error body of the customer platform: { error: { code, message } }, sent with the matching HTTP status; not_found for an unknown single resource.",
			Why:   "Without the body, a 404 from a proxy or a mistyped base URL looks the same.",
			Fix:   `Answer 404 with {"error":{"code":"not_found","message":"…"}}.`,
			check: func(r *run) outcome { return r.notFoundBody() },
		},
	}
}

func (r *run) traderByID() outcome {
	l := listNamed("traders")
	if o := r.requireReadable(l); o != nil {
		return *o
	}
	id := r.someTrader()
	if id == unknownTrader {
		return skip(SkipNoData, "there is no trader to request")
	}
	a, raw := r.readObject("/traders/" + url.PathEscape(id))
	switch {
	case a.err != nil:
		return unjudgedOutcome(a)
	case a.status != http.StatusOK:
		return fail(r.client.describeStatus(a.status, a.header) + " for a trader that is in its list")
	}
	found := make(problems)
	h := l.judgeRecord(raw, found)
	switch {
	case h.key == "" && strings.Contains(string(raw[:min(len(raw), 20)]), `"data"`):
		return fail("the trader is wrapped in data")
	case h.key == "":
		return fail("assay cannot use the trader: " + found[ruleRequired].detail)
	case h.id != id:
		return fail("the answer is about the trader " + truncateLine(h.id, 60) + " and not about " + truncateLine(id, 60))
	}
	return pass("trader " + truncateLine(id, 60))
}

// requestUnknownTrader requests a trader that does not exist: with an id of the platform's own
// form, because it may refuse any other, and with a made-up one if that trader exists.
func (r *run) requestUnknownTrader() *answer {
	a := r.requestStatus("/traders/"+url.PathEscape(alterID(r.someTrader())), nil, withKey)
	if a.status == http.StatusOK {
		a = r.requestStatus("/traders/"+unknownTrader, nil, withKey)
	}
	return a
}

// alterID returns an id of the same form that probably nothing has: a short number becomes a
// thousand times as large, and of any other id up to three letters and digits at its end change.
func alterID(id string) string {
	if len(id) <= 6 && strings.Trim(id, "0123456789") == "" {
		return id + "999"
	}
	altered := []byte(id)
	for i := len(altered) - 1; i >= max(len(altered)-3, 0); i-- {
		switch c := altered[i]; {
		case c == '9':
			altered[i] = '8'
		case c >= '0' && c <= '8':
			altered[i] = '9'
		case c == 'a' || c == 'A':
			altered[i] = c + 1
		case c >= 'b' && c <= 'z':
			altered[i] = 'a'
		case c >= 'B' && c <= 'Z':
			altered[i] = 'A'
		}
	}
	return string(altered)
}

func (r *run) traderUnknown() outcome {
	a := r.requestUnknownTrader()
	switch {
	case a.status == http.StatusNotFound:
		return pass("the platform answered 404")
	case a.status != http.StatusOK && a.status == r.firstPage(listNamed("traders")).status:
		return dependsOn("traders.readable", fmt.Sprintf("the platform answers %d to everything", a.status))
	case a.status == 0, errors.Is(a.err, errThrottle):
		return unjudgedOutcome(a)
	}
	return fail(fmt.Sprintf("the platform answered %d for a trader who does not exist", a.status))
}

func (r *run) notFoundBody() outcome {
	a := r.requestUnknownTrader()
	if a.status != http.StatusNotFound {
		return dependsOn("trader.unknown", "the platform did not answer 404")
	}
	return errorBody(a)
}

// requestHealth requests the health, or returns the earlier answer.
func (r *run) requestHealth() (*answer, json.RawMessage) {
	if r.healthAnswer == nil {
		r.healthAnswer, r.healthBody = r.readObject("/health")
	}
	r.recordUse(r.healthAnswer)
	return r.healthAnswer, r.healthBody
}

// discardBody reads the beginning of a body.
func discardBody(body io.Reader) error {
	_, err := io.CopyN(io.Discard, body, maxExcerpt)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
