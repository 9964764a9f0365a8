package fault

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Status returns the faults that answer with another status than the contract's.
func Status[Q, P any]() []Fault[Q, P] {
	return slices.Concat(refusalFaults[Q, P](), throttleFaults[Q, P](), disguiseFaults[Q, P]())
}

// refusalFaults refuse requests that they should answer, or answer requests that
// they should refuse.
func refusalFaults[Q, P any]() []Fault[Q, P] {
	return []Fault[Q, P]{
		{
			Name: "open-auth", OpenAuth: true,
			Description: "answers without looking at the key, so that a request without one gets 200",
		},
		statusFault[Q, P]("status-401", http.StatusUnauthorized, "unauthorized", "answers 401 as if the key were wrong"),
		statusFault[Q, P]("status-403", http.StatusForbidden, "forbidden", "answers 403 as if the address were not on the allowlist"),
		statusFault[Q, P]("status-404", http.StatusNotFound, "not_found", "answers 404 on every route it strikes"),
		statusFault[Q, P]("status-500", http.StatusInternalServerError, "internal", "answers 500"),
		statusFault[Q, P]("status-502", http.StatusBadGateway, "bad_gateway", "answers 502"),
		statusFault[Q, P]("status-503", http.StatusServiceUnavailable, "unavailable", "answers 503; value=TEXT is sent as Retry-After"),
	}
}

// throttleFaults answer 429, with every kind of Retry-After.
func throttleFaults[Q, P any]() []Fault[Q, P] {
	faults := []Fault[Q, P]{
		statusFault[Q, P]("status-429", http.StatusTooManyRequests, "throttled", "answers 429 with Retry-After: 1, or value=TEXT"),
		statusFault[Q, P]("status-429-zero", http.StatusTooManyRequests, "throttled", "answers 429 with Retry-After: 0"),
		statusFault[Q, P]("status-429-absent", http.StatusTooManyRequests, "throttled", "answers 429 without Retry-After"),
		statusFault[Q, P]("status-429-date", http.StatusTooManyRequests, "throttled", "answers 429 with an HTTP date, delay=2s ahead, as Retry-After"),
		statusFault[Q, P]("status-429-fraction", http.StatusTooManyRequests, "throttled", "answers 429 with Retry-After: 0.5"),
		statusFault[Q, P]("status-429-negative", http.StatusTooManyRequests, "throttled", "answers 429 with Retry-After: -5"),
		statusFault[Q, P]("status-429-huge", http.StatusTooManyRequests, "throttled", "answers 429 with Retry-After: 99999999999999999999"),
	}
	retryAfter := map[string]string{
		"status-429": "1", "status-429-zero": "0", "status-429-fraction": "0.5",
		"status-429-negative": "-5", "status-429-huge": "99999999999999999999",
	}
	for i := range faults {
		faults[i].Defaults.Value += retryAfter[faults[i].Name]
		if faults[i].Name == "status-429-date" {
			faults[i].Defaults.Delay = 2 * time.Second
		}
	}
	return faults
}

// Hidden returns a fault that answers 404 on one route.
func Hidden[Q, P any](name, endpoint, description, message string) Fault[Q, P] {
	return Fault[Q, P]{
		Name: name, Description: description, Endpoints: []string{endpoint},
		Answer: func(x *Exchange, _ *Options) bool {
			x.Fail(http.StatusNotFound, "not_found", message)
			return true
		},
	}
}

// disguiseFaults answer as a proxy or another server in front of a platform does: not with an
// error, and not with JSON.
func disguiseFaults[Q, P any]() []Fault[Q, P] {
	return []Fault[Q, P]{
		{
			Name: "redirect", Description: "answers 302 to value=URL, /login by default",
			Defaults: Options{Value: "/login"},
			Answer: func(x *Exchange, o *Options) bool {
				x.Header().Set("Location", o.Value)
				x.WriteHeader(http.StatusFound)
				return true
			},
		},
		{
			Name: "status-204", Description: "answers 204 without a body",
			Answer: func(x *Exchange, _ *Options) bool {
				x.WriteHeader(http.StatusNoContent)
				return true
			},
		},
		{
			Name: "html-200", Description: "answers 200 with an HTML page, as proxies and captive portals do",
			Answer: func(x *Exchange, _ *Options) bool {
				const page = "<!DOCTYPE html>\n<html><head><title>Maintenance</title></head><body><h1>We will be back soon</h1></body></html>\n"
				x.Header().Set("Content-Type", "text/html; charset=utf-8")
				x.Header().Set("Content-Length", strconv.Itoa(len(page)))
				_, _ = x.Write([]byte(page))
				return true
			},
		},
	}
}

// statusFault answers with a status and the error body.
func statusFault[Q, P any](name string, status int, code, description string) Fault[Q, P] {
	return Fault[Q, P]{Name: name, Description: description, Answer: func(x *Exchange, o *Options) bool {
		retryAfter := o.Value
		if o.Delay > 0 {
			retryAfter = time.Now().Add(o.Delay).UTC().Format(http.TimeFormat)
		}
		if retryAfter != "" {
			x.Header().Set("Retry-After", retryAfter)
		}
		x.Fail(status, code, "This answer comes from a fault that is switched on.")
		return true
	}}
}
