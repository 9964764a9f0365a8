package refplatform

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// statusFaults answer with another status than the contract's.
func statusFaults() []fault {
	return slices.Concat(refusalFaults(), throttleFaults(), routeFaults(), disguiseFaults())
}

// refusalFaults refuse what they are asked for, or refuse nobody.
func refusalFaults() []fault {
	return []fault{
		{
			name: "open-auth", openAuth: true,
			description: "answers without looking at the key, so that a request without one gets 200",
		},
		statusFault("status-401", http.StatusUnauthorized, "unauthorized", "answers 401 as if the key were wrong"),
		statusFault("status-403", http.StatusForbidden, "forbidden", "answers 403 as if the address were not on the allowlist"),
		statusFault("status-404", http.StatusNotFound, "not_found", "answers 404 on every route it strikes"),
		statusFault("status-500", http.StatusInternalServerError, "internal", "answers 500"),
		statusFault("status-502", http.StatusBadGateway, "bad_gateway", "answers 502"),
		statusFault("status-503", http.StatusServiceUnavailable, "unavailable", "answers 503; value=TEXT is sent as Retry-After"),
	}
}

// throttleFaults answer 429, with every kind of Retry-After.
func throttleFaults() []fault {
	faults := []fault{
		statusFault("status-429", http.StatusTooManyRequests, "throttled", "answers 429 with Retry-After: 1, or value=TEXT"),
		statusFault("status-429-zero", http.StatusTooManyRequests, "throttled", "answers 429 with Retry-After: 0"),
		statusFault("status-429-absent", http.StatusTooManyRequests, "throttled", "answers 429 without Retry-After"),
		statusFault("status-429-date", http.StatusTooManyRequests, "throttled", "answers 429 with an HTTP date, delay=2s ahead, as Retry-After"),
		statusFault("status-429-fraction", http.StatusTooManyRequests, "throttled", "answers 429 with Retry-After: 0.5"),
		statusFault("status-429-negative", http.StatusTooManyRequests, "throttled", "answers 429 with Retry-After: -5"),
		statusFault("status-429-huge", http.StatusTooManyRequests, "throttled", "answers 429 with Retry-After: 99999999999999999999"),
	}
	retryAfter := map[string]string{
		"status-429": "1", "status-429-zero": "0", "status-429-fraction": "0.5",
		"status-429-negative": "-5", "status-429-huge": "99999999999999999999",
	}
	for i := range faults {
		faults[i].defaults.Value += retryAfter[faults[i].name]
		if faults[i].name == "status-429-date" {
			faults[i].defaults.Delay = 2 * time.Second
		}
	}
	return faults
}

// routeFaults give some routes an answer that means something there.
func routeFaults() []fault {
	return []fault{
		{
			name: "payouts-404", endpoints: []endpoint{endpointPayouts}, description: "does not expose payouts: answers 404, which the contract allows",
			answer: func(x *exchange, _ *FaultOptions) bool {
				x.fail(http.StatusNotFound, "not_found", "Payouts are not exposed.")
				return true
			},
		},
		{
			name: "health-not-ok", endpoints: []endpoint{endpointHealth}, description: `answers {"status": TEXT} with value=TEXT, degraded by default`,
			defaults: FaultOptions{Value: "degraded"},
			answer: func(x *exchange, o *FaultOptions) bool {
				x.send(http.StatusOK, append(appendString([]byte(`{"status":`), o.Value), '}'))
				return true
			},
		},
		{
			name: "expired-cursor", endpoints: []endpoint{endpointTraders, endpointAccounts, endpointTrades, endpointPayouts}, description: "answers 400 to every request with a cursor",
			answer: func(x *exchange, _ *FaultOptions) bool {
				if !x.r.URL.Query().Has("cursor") {
					return false
				}
				x.fail(http.StatusBadRequest, "invalid_cursor", "The cursor has expired.")
				return true
			},
		},
	}
}

// disguiseFaults answer as what stands in front of a platform does: not with
// an error, and not with JSON.
func disguiseFaults() []fault {
	return []fault{
		{
			name: "redirect", description: "answers 302 to value=URL, /login by default",
			defaults: FaultOptions{Value: "/login"},
			answer: func(x *exchange, o *FaultOptions) bool {
				x.Header().Set("Location", o.Value)
				x.WriteHeader(http.StatusFound)
				return true
			},
		},
		{
			name: "status-204", description: "answers 204 without a body",
			answer: func(x *exchange, _ *FaultOptions) bool {
				x.WriteHeader(http.StatusNoContent)
				return true
			},
		},
		{
			name: "html-200", description: "answers 200 with an HTML page, as proxies and captive portals do",
			answer: func(x *exchange, _ *FaultOptions) bool {
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
func statusFault(name string, status int, code, description string) fault {
	return fault{name: name, description: description, answer: func(x *exchange, o *FaultOptions) bool {
		retryAfter := o.Value
		if o.Delay > 0 {
			retryAfter = time.Now().Add(o.Delay).UTC().Format(http.TimeFormat)
		}
		if retryAfter != "" {
			x.Header().Set("Retry-After", retryAfter)
		}
		x.fail(status, code, "This answer comes from a fault that is switched on.")
		return true
	}}
}
