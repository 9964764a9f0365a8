package activity

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/internal/analysis/calendar"
	"github.com/assayhq/assay/internal/analysis/ruleset"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/activity"
)

// getRuleset answers GET /v1/analysis/ruleset with the thresholds by which activity is judged:
// the organization's, or those of the neutral preset.
func (a *API) getRuleset(w http.ResponseWriter, r *http.Request) error {
	kept, err := activity.ReadRuleset(r.Context(), a.store, route.CallerOrganization(r))
	if errors.Is(err, store.ErrNotFound) {
		return response.AnswerItem(w, r, ruleset.Neutral())
	}
	if err != nil {
		return err
	}
	shown, err := rulesetOf(&kept)
	if err != nil {
		return err
	}
	return response.AnswerItem(w, r, shown)
}

// rulesetOf parses a stored ruleset. nil is the neutral preset.
func rulesetOf(kept *activity.Ruleset) (*ruleset.Ruleset, error) {
	if kept == nil {
		return ruleset.Neutral(), nil
	}
	return ruleset.Decode(kept.Body)
}

// replaceRuleset answers PUT /v1/analysis/ruleset with the new ruleset.
func (a *API) replaceRuleset(w http.ResponseWriter, r *http.Request) error {
	given, err := readRuleset(r)
	if err != nil {
		return err
	}
	condition, err := response.IfMatch(r, func(kept *activity.Ruleset) *ruleset.Ruleset {
		before, _ := rulesetOf(kept) // a stored ruleset was validated when it was set
		return before
	})
	if err != nil {
		return err
	}
	body, err := json.Marshal(given, json.Deterministic(true))
	if err != nil {
		return err
	}
	if _, err := activity.ReplaceRuleset(r.Context(), a.store, route.NewChange(r), body, condition); err != nil {
		return err
	}
	return response.Reply{Status: http.StatusOK, Body: given, Item: true}.Write(w)
}

// readRuleset reads a ruleset and reports all its faults.
func readRuleset(r *http.Request) (*ruleset.Ruleset, error) {
	text, err := decode.Raw(r)
	if err != nil {
		return nil, err
	}
	if _, err := decode.Body(r); err != nil { // a body that is not a JSON object is reported as on other routes
		return nil, err
	}
	given, err := ruleset.Decode(text)
	if faults, wrong := errors.AsType[ruleset.Faults](err); wrong {
		return nil, problem.Validation(rulesetFaults(faults)...)
	}
	return given, err
}

// rulesetFaults converts the errors of a ruleset to faults, each with its place.
func rulesetFaults(faults ruleset.Faults) []problem.Fault {
	list := make([]problem.Fault, len(faults))
	for i, fault := range faults {
		path, detail, placed := strings.Cut(fault, ": ")
		if !placed {
			path, detail = "", fault
		}
		var at problem.Pointer
		if path != "" && path != "the whole" {
			for member := range strings.SplitSeq(path, ".") {
				at = at.Member(member)
			}
		}
		list[i] = problem.Fault{Pointer: at.String(), Code: problem.InvalidFormat, Detail: makeSentence(detail)}
	}
	return list
}

// makeSentence turns an error text into a sentence.
func makeSentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// noCalendar is the calendar of an organization that has set none.
const noCalendar = "time,currency,impact\n"

// getCalendar answers GET /v1/analysis/calendar with the calendar as it was set.
func (a *API) getCalendar(w http.ResponseWriter, r *http.Request) error {
	kept, err := activity.ReadCalendar(r.Context(), a.store, route.CallerOrganization(r))
	if errors.Is(err, store.ErrNotFound) {
		hash := sha256.Sum256([]byte(noCalendar))
		kept, err = activity.Calendar{Body: []byte(noCalendar), Hash: hash[:]}, nil
	}
	if err != nil {
		return err
	}
	return response.AnswerTagged(w, r, response.Representation{Body: kept.Body, Tag: response.SumTag(kept.Hash)}, func() error {
		response.WriteBody(w, http.StatusOK, decode.MediaCSV+"; charset=utf-8", kept.Body)
		return nil
	})
}

// replaceCalendar answers PUT /v1/analysis/calendar with a summary of the new calendar.
func (a *API) replaceCalendar(w http.ResponseWriter, r *http.Request) error {
	text, err := decode.Text(r, decode.MediaCSV)
	if err != nil {
		return err
	}
	given, err := calendar.Parse(bytes.NewReader(text))
	if faults, wrong := errors.AsType[calendar.Faults](err); wrong {
		return problem.Validation(calendarFaults(faults)...)
	}
	if err != nil {
		return err
	}
	first, last := time.UnixMicro(given.Events[0].Time).UTC(), time.UnixMicro(given.Events[len(given.Events)-1].Time).UTC()
	kept, err := activity.ReplaceCalendar(r.Context(), a.store, route.NewChange(r), activity.Calendar{Body: text, Events: len(given.Events), FirstAt: &first, LastAt: &last})
	if err != nil {
		return err
	}
	return response.AnswerJSON(w, calendarBody{Number: kept.Number, Events: kept.Events, From: kept.FirstAt, To: kept.LastAt, CreatedBy: kept.CreatedBy, CreatedAt: kept.CreatedAt})
}

// calendarFaults converts the errors of a calendar to faults. Pointers only exist in JSON, so for
// other formats the detail names the line.
func calendarFaults(faults calendar.Faults) []problem.Fault {
	list := make([]problem.Fault, len(faults))
	for i, fault := range faults {
		list[i] = problem.Fault{Pointer: problem.Pointer{}.String(), Code: problem.InvalidFormat, Detail: makeSentence(fault)}
	}
	return list
}

// calendarBody is a version of the organization's calendar of scheduled news.
type calendarBody struct {
	Number    int        `json:"number" api:"min=1"`                      // Version number. It increases with each replacement.
	Events    int        `json:"events"`                                  // number of events in the calendar
	From      *time.Time `json:"from"`                                    // time of the earliest event
	To        *time.Time `json:"to"`                                      // time of the latest event
	CreatedBy string     `json:"created_by" api:"max=200" example:"Desk"` // name of the API key or person that uploaded the calendar
	CreatedAt time.Time  `json:"created_at"`                              // when the calendar was uploaded
}
