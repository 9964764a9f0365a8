package reference

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/wire"
)

// habitFaults are what platforms get wrong that were made for people and not
// for the contract. now is the world's time.
func habitFaults(now func() time.Time) []breach {
	lists := []string{endpointTraders, endpointAccounts, endpointTrades, endpointPayouts}
	return slices.Concat(answerHabits(), fault.At(lists, slices.Concat(pageHabits(), sinceHabits(now))), recordHabits())
}

// answerHabits concern single answers.
func answerHabits() []breach {
	return []breach{
		{Name: "any-key", AnyKey: true, Description: "wants an Authorization header, but takes any"},
		rateLimit(),
		{
			Name: "bare-errors", Description: "sends errors as plain text instead of the error body",
			Body: func(_ *fault.Exchange, status int, body []byte, _ *fault.Options) []byte {
				if status < http.StatusBadRequest {
					return body
				}
				return []byte(http.StatusText(status))
			},
		},
		{
			Name: "unknown-trader-200", Endpoints: []string{endpointTrader}, Description: "answers 200 with {} for a trader who does not exist",
			Write: func(x *fault.Exchange, status int, _ []byte, _ *fault.Options) bool {
				if status != http.StatusNotFound {
					return false
				}
				x.Header().Set("Content-Length", "2")
				x.WriteHeader(http.StatusOK)
				_, _ = x.Write([]byte("{}"))
				return true
			},
		},
		{
			Name: "trader-envelope", Endpoints: []string{endpointTrader}, Description: "wraps a single trader in data",
			Body: func(_ *fault.Exchange, status int, body []byte, _ *fault.Options) []byte {
				if status != http.StatusOK {
					return body
				}
				return append(append([]byte(`{"data":`), body...), '}')
			},
		},
	}
}

// rateLimit counts the requests of the last second.
func rateLimit() breach {
	var mu sync.Mutex
	var recent []time.Time
	return breach{
		Name: "rate-limit", Description: "answers 429 with Retry-After: 1 beyond size=2 requests in a second", Defaults: fault.Options{Size: 2},
		Answer: func(x *fault.Exchange, o *fault.Options) bool {
			mu.Lock()
			now := time.Now()
			recent = slices.DeleteFunc(recent, func(t time.Time) bool { return now.Sub(t) > time.Second })
			over := int64(len(recent)) >= o.Size
			if !over {
				recent = append(recent, now)
			}
			mu.Unlock()
			if over {
				x.Header().Set("Retry-After", "1")
				x.Fail(http.StatusTooManyRequests, "throttled", "There are too many requests.")
			}
			return over
		},
	}
}

// pageHabits make pages of other records than the contract's.
func pageHabits() []breach {
	return []breach{
		{
			Name: "large-default", Description: "sends size=500 records a page when limit is absent or 100", Defaults: fault.Options{Size: maxLimit},
			Query: func(q *listQuery, o *fault.Options) {
				if q.limit == defaultLimit {
					q.limit = int(min(o.Size, maxLimit))
				}
			},
		},
		{
			Name: "limit-refused", Description: "answers 400 to a limit above size=200", Defaults: fault.Options{Size: 200},
			Answer: func(x *fault.Exchange, o *fault.Options) bool {
				limit, _ := strconv.ParseInt(x.Request.URL.Query().Get("limit"), 10, 64)
				if limit <= o.Size {
					return false
				}
				x.Fail(http.StatusBadRequest, "invalid_parameter", "limit is too large.")
				return true
			},
		},
		{
			Name: "ties-lost", Description: "continues after the last record's updated_at, so that others with the same time are skipped between pages",
			Page: func(q *listQuery, p *listPage, _ *fault.Options) {
				if p.next != "" {
					p.next = encodeCursor(q.list, firm.Position{Updated: p.places[len(p.places)-1].Updated, ID: "\U0010ffff"})
				}
			},
		},
		{
			Name: "no-cursor", Description: "sends next_cursor: null on every page",
			Page: func(_ *listQuery, p *listPage, _ *fault.Options) { p.next = "" },
		},
		{
			Name: "hides-open-trades", Endpoints: []string{endpointTrades}, Description: "lists trades only when they have closed",
			Page: func(q *listQuery, p *listPage, _ *fault.Options) {
				if q.list == Trades {
					p.Records = slices.DeleteFunc(p.Records, func(record []byte) bool { return bytes.Contains(record, []byte(`"close_time":null`)) })
				}
			},
		},
	}
}

// sinceHabits read updated_since in ways of their own.
func sinceHabits(now func() time.Time) []breach {
	refuse := func(name, description string, refused func(since string) bool) breach {
		return breach{Name: name, Description: description, Answer: func(x *fault.Exchange, _ *fault.Options) bool {
			if !refused(x.Request.URL.Query().Get("updated_since")) {
				return false
			}
			x.Fail(http.StatusBadRequest, "invalid_parameter", "updated_since cannot be read.")
			return true
		}}
	}
	return []breach{
		refuse("refuses-offsets", "answers 400 to an updated_since with another offset than Z", func(since string) bool {
			return since != "" && !strings.HasSuffix(since, "Z")
		}),
		refuse("refuses-future", "answers 400 to an updated_since that has not come yet", func(since string) bool {
			at, err := time.Parse(time.RFC3339, since)
			return err == nil && at.After(now())
		}),
		{
			Name: "since-rounded-up", Description: "rounds updated_since up to whole seconds",
			Query: func(q *listQuery, _ *fault.Options) {
				const second = int64(time.Second / time.Microsecond)
				q.since = (q.since + second - 1) / second * second
			},
		},
		{
			Name: "short-history", Description: "reaches back delay=720h with updated_since, however old that is", Defaults: fault.Options{Delay: 30 * 24 * time.Hour},
			Query: func(q *listQuery, o *fault.Options) {
				if q.since > 0 {
					q.since = max(q.since, wire.Micros(now().Add(-o.Delay)))
				}
			},
		},
		{
			Name: "cursor-drops-since", Description: "begins with the whole list again when it is given both a cursor and updated_since",
			Query: func(q *listQuery, _ *fault.Options) {
				if q.since > 0 && q.cursor != "" {
					q.since, q.cursor = 0, ""
				}
			},
		},
	}
}

// recordHabits say things in records that do not fit together.
func recordHabits() []breach {
	records := []string{endpointTraders, endpointTrader, endpointAccounts, endpointTrades, endpointPayouts}
	return fault.At(records, []breach{
		{Name: "orphans", Description: "refers to traders and accounts that no list holds", Record: onMembers(map[string]string{"trader_id": `"gone"`, "account_id": `"gone"`})},
		{Name: "reused-ids", Description: "gives two records each one id", Record: reusedIDs},
		{Name: "mixed-ids", Description: "sends ids as numbers in records whose id is odd", Record: func(list string, i int, record []byte, o *fault.Options) []byte {
			odd := false
			wire.EditMember(record, "id", func(value []byte) []byte {
				odd = len(value) > 2 && value[len(value)-2]%2 == 1
				return value
			})
			if !odd {
				return record
			}
			return numericIDs("")(list, i, record, o)
		}},
		{Name: "wrong-types", Description: "sends n/a for amounts and a text for tags", Record: onMembers(map[string]string{
			"tags": `"vip"`, "balance": `"n/a"`, "profit": `"n/a"`, "amount": `"n/a"`,
		})},
		{Name: "free-codes", Description: "sends names of countries and small letters for currencies", Record: onMembers(map[string]string{"country": `"Germany"`, "currency": `"usd"`})},
		{Name: "unix-times", Description: "sends times as seconds since 1970", Record: editTimes(func(t time.Time) []byte { return strconv.AppendInt(nil, t.Unix(), 10) })},
		{Name: "zero-close-price", Description: "sends open trades with close_price 0", Record: onTrades(func(trade map[string]json.RawMessage, record []byte) []byte {
			if string(trade["close_time"]) != "null" {
				return record
			}
			return setMember("close_price", "0")("", 0, record, nil)
		})},
		{Name: "closes-before-opening", Description: "sends a close_time of thirty days before, as confused days and months do", Record: onTrades(closedEarlier)},
		{Name: "closes-renamed", Description: "lists a trade under another id as soon as it has closed", Record: onTrades(func(trade map[string]json.RawMessage, record []byte) []byte {
			var id string
			if string(trade["close_time"]) == "null" || json.Unmarshal(trade["id"], &id) != nil {
				return record
			}
			return setMember("id", string(wire.AppendString(nil, id+"-closed")))("", 0, record, nil)
		})},
		{Name: "paid-early", Description: "sends paid_at with payouts that are not paid", Record: func(list string, _ int, record []byte, _ *fault.Options) []byte {
			var payout map[string]json.RawMessage
			if list != string(Payouts) || json.Unmarshal(record, &payout) != nil {
				return record
			}
			return setMember("paid_at", string(payout["updated_at"]))("", 0, record, nil)
		}},
	})
}

// onMembers sets members that a record has and that are not null.
func onMembers(values map[string]string) fault.Hook {
	return func(_ string, _ int, record []byte, _ *fault.Options) []byte {
		return wire.Edit(record, func(name string, value []byte) (string, []byte) {
			if changed, ok := values[name]; ok && string(value) != "null" {
				return name, []byte(changed)
			}
			return name, value
		})
	}
}

// onTrades changes trades.
func onTrades(change func(trade map[string]json.RawMessage, record []byte) []byte) fault.Hook {
	return func(list string, _ int, record []byte, _ *fault.Options) []byte {
		var trade map[string]json.RawMessage
		if list != string(Trades) || json.Unmarshal(record, &trade) != nil {
			return record
		}
		return change(trade, record)
	}
}

func closedEarlier(trade map[string]json.RawMessage, record []byte) []byte {
	closed, err := time.Parse(`"`+time.RFC3339+`"`, string(trade["close_time"]))
	if err != nil {
		return record
	}
	return setMember("close_time", string(wire.AppendTime(nil, closed.AddDate(0, 0, -30))))("", 0, record, nil)
}

// reusedIDs makes the last digit of an id even.
func reusedIDs(_ string, _ int, record []byte, _ *fault.Options) []byte {
	return wire.EditMember(record, "id", func(value []byte) []byte {
		changed := bytes.Clone(value)
		if end := len(changed) - 2; end > 0 && changed[end] >= '0' && changed[end] <= '9' {
			changed[end] -= changed[end] % 2
		}
		return changed
	})
}
