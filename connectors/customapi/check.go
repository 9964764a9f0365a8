package customapi

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/alias"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/livecheck"
	"github.com/assayhq/assay/connectors/record"
)

// Names of the steps of the live check, in the contract's order (platform
// contract, Live check).
const (
	stepHealth             = "health"
	stepWithoutCredentials = "traders_without_credentials"
	stepTraders            = "traders"
	stepNextPage           = "traders_next_page"
	stepAccounts           = "accounts"
	stepTrades             = "trades"
	stepPayouts            = "payouts"
)

// Hints that replace a code's own, which would mislead.
const (
	hintWithoutCredentials = "Refuse requests without the API key with 401 or 403. Otherwise anybody can read the traders."
	hintEmptyPage          = "Send next_cursor null on the last page, even if it is empty. A list that never ends is never read completely."
	hintNextCursor         = "Send next_cursor beside data on every page: a string, or null on the last one."
)

// Check implements connectors.Source.
func (s *source) Check(ctx context.Context, onStep func(connectors.Step)) connectors.Report {
	return livecheck.Check{Platform: s.platform, Kind: record.CustomAPI, Slow: s.slow, Probes: s.listProbes(), OnStep: onStep}.Run(ctx)
}

// failStep fails the step without credentials, whose request was answered.
func failStep(step *connectors.Step) {
	livecheck.Reject(step, "a request without an API key was answered with status 200")
	step.Hint = hintWithoutCredentials
}

// listProbes returns the steps in their order. All are required: a platform that
// exposes no payouts passes with a warning.
func (s *source) listProbes() []livecheck.Probe {
	traders := &listProbe{codec: s.codec, stream: record.StreamTraders}
	payouts := (&listProbe{codec: s.codec, stream: record.StreamPayouts}).newProbe(stepPayouts)
	payouts.Failed = livecheck.PayoutsMissing
	return []livecheck.Probe{
		s.healthProbe(),
		withoutCredentials(),
		traders.newProbe(stepTraders),
		s.nextPageProbe(traders),
		(&listProbe{codec: s.codec, stream: record.StreamAccounts}).newProbe(stepAccounts),
		(&listProbe{codec: s.codec, stream: record.StreamTrades}).newProbe(stepTrades),
		payouts,
	}
}

// healthProbe checks that the status is the string "ok", in exactly that spelling.
func (s *source) healthProbe() livecheck.Probe {
	decode := func(a fetch.Answer) error {
		text, err := alias.ReadObject(a.Body)
		if err != nil {
			return err
		}
		raw := alias.NewDecoder(s.codec.tables.health, "").Next(text).Raw(healthStatus)
		if status, err := jsontext.AppendUnquote(nil, raw); err != nil || string(status) != "ok" {
			return &connectors.Error{Code: connectors.CodeUnexpectedResponse, Message: `the member status is not the string "ok"`}
		}
		return nil
	}
	return livecheck.Probe{
		Name: stepHealth, Required: true, Gate: true,
		Request: livecheck.Always(fetch.Request{Path: "/health", Resource: "health"}), Decode: decode,
	}
}

// withoutCredentials checks that the platform does not answer requests without the
// key.
func withoutCredentials() livecheck.Probe {
	req := listRequest(record.StreamTraders, 1, time.Time{}, "")
	req.Anonymous = true
	return livecheck.Probe{
		Name: stepWithoutCredentials, Required: true, Request: livecheck.Always(req),
		Judge: func(step *connectors.Step) {
			switch step.HTTPStatus {
			case http.StatusUnauthorized, http.StatusForbidden:
			case http.StatusOK:
				failStep(step)
			default:
				livecheck.Warn(step, statusCode(step.HTTPStatus), "a request without an API key was answered with status "+
					strconv.Itoa(step.HTTPStatus)+" instead of 401", hintWithoutCredentials)
			}
		},
		Failed: func(step *connectors.Step) {
			if step.HTTPStatus == http.StatusOK {
				failStep(step)
			}
		},
	}
}

// statusCode returns the code of an answer whose status has no better meaning.
func statusCode(status int) connectors.Code {
	switch {
	case status == http.StatusNotFound:
		return connectors.CodeNotFound
	case status == http.StatusTooManyRequests:
		return connectors.CodeThrottled
	case status >= 300 && status < 400 && status != http.StatusNotModified:
		return connectors.CodeUnexpectedRedirect
	case status >= 500:
		return connectors.CodeServerError
	}
	return connectors.CodeUnexpectedResponse
}

// listProbe reads the first records of a list.
type listProbe struct {
	codec  *codec
	stream record.Stream
	page   *connectors.Page // nil until it has been read
}

func (l *listProbe) newProbe(name string) livecheck.Probe {
	return livecheck.Probe{
		Name: name, Required: true, Request: livecheck.Always(listRequest(l.stream, checkLimit, time.Time{}, "")),
		Decode: l.decodeAnswer, Judge: l.judgeRecords,
	}
}

func (l *listProbe) decodeAnswer(a fetch.Answer) error {
	page, err := l.codec.decodePage(a.Body, pageRequest{stream: l.stream, limit: checkLimit, strict: true})
	l.page = page
	return err
}

// nextCursor returns the cursor of the next page, or "" if there is none or the
// page has not been read.
func (l *listProbe) nextCursor() string {
	if l.page == nil {
		return ""
	}
	return l.page.Next
}

// judgeRecords fails the step when a record cannot be used: a field that the contract
// requires is missing, null or unreadable. An empty list is fine. A full page without
// a place for a cursor is a warning, because a sync may end there without an error.
func (l *listProbe) judgeRecords(step *connectors.Step) {
	if bad := livecheck.Unusable(l.page); bad != "" {
		livecheck.Reject(step, bad)
		return
	}
	l.warnEmpty(step)
	for _, f := range l.page.Findings {
		if f.Rule == ruleNextCursorMissing || f.Rule == ruleBareArrayFull {
			livecheck.Warn(step, connectors.CodeUnexpectedResponse, fmt.Sprintf(
				"the page has %d records and no next_cursor; if there are more, they would never be read", l.page.Seen), hintNextCursor)
		}
	}
}

// warnEmpty warns about an empty page that leads on. It may be what is left of a
// page whose records were filtered, or the end of a list that never ends.
func (l *listProbe) warnEmpty(step *connectors.Step) {
	if l.page.Seen == 0 && l.page.Next != "" {
		livecheck.Warn(step, connectors.CodeUnexpectedResponse, "the page is empty and has a next_cursor", hintEmptyPage)
	}
}

// nextPageProbe asks for the page after the one that the previous step has read. It
// passes any list, but fails one that leads back to itself, because a sync would
// never get past it.
func (s *source) nextPageProbe(first *listProbe) livecheck.Probe {
	next := &listProbe{codec: s.codec, stream: record.StreamTraders}
	return livecheck.Probe{
		Name: stepNextPage, Required: true,
		Request: func() (fetch.Request, bool) {
			cursor := first.nextCursor()
			return listRequest(record.StreamTraders, checkLimit, time.Time{}, cursor), cursor != ""
		},
		Decode: next.decodeAnswer,
		Judge: func(step *connectors.Step) {
			next.warnEmpty(step)
			if next.nextCursor() == first.nextCursor() {
				code := connectors.CodeCursorLoop
				step.Status, step.Code, step.Hint = connectors.StepFailed, code, code.Hint()
				step.Message = "the next page returned the same next_cursor that it was requested with"
			}
		},
	}
}
