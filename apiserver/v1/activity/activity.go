package activity

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/internal/analysis/load"
	"github.com/assayhq/assay/internal/analysis/ruleset"
	"github.com/assayhq/assay/internal/statement/value"
	"github.com/assayhq/assay/store/activity"
)

const (
	defaultWindow = 90  // days
	maxWindow     = 365 // days, for window_days
	// maxSpan limits the time between from and to, which may be longer than window_days allows.
	maxSpan     = 10 * 366 * 24 * time.Hour
	maxTimezone = 64 // characters
	// activityLimit is how long an analysis may take, including the wait for its turn.
	activityLimit = 60 * time.Second
	// maxAnalyses limits how many analyses and file imports run at the same time in this process,
	// because each may use some hundreds of megabytes.
	maxAnalyses = 2
)

// activityQuery is the query of GET /v1/traders/{id}/activity.
type activityQuery struct {
	from, to  time.Time
	location  *time.Location // nil means UTC, which was not requested explicitly
	accountID *uuid.UUID
	preset    string
}

func readActivityQuery(q *decode.Query) activityQuery {
	days, from, to := q.Count("window_days", defaultWindow, maxWindow), q.Time("from"), q.Time("to")
	in := activityQuery{location: readTimezone(q), accountID: q.UUID("account_id"), preset: q.Choice("preset", ruleset.PresetNames()...)}
	q.Note("window_days", decode.Note{About: "How many days before `to` the analysis begins, if `from` is absent."})
	q.Note("from", decode.Note{About: "Only trades opened at or after this time."})
	q.Note("to", decode.Note{About: "Only trades opened before this time. The default is the end of today in `timezone`, so that the analysis stays the same all day unless something changes."})
	q.Note("account_id", decode.Note{About: "Only this account of the trader."})
	q.Note("preset", decode.Note{About: "The preset of thresholds to judge by. The default is the organization's thresholds, or `neutral` if it has none."})
	if from != nil && q.Has("window_days") {
		q.Parameter("window_days", problem.InvalidFormat, "Send either from or window_days, not both.")
	}
	in.to = endOfDay(time.Now(), in.location)
	if to != nil {
		in.to = *to
	}
	in.from = in.to.AddDate(0, 0, -days)
	if from != nil {
		in.from = *from
	}
	switch {
	case in.from.Year() < 1:
		q.Parameter("to", problem.OutOfRange, "Must be later: the analysis would begin before the year 1.")
	case in.from.Before(in.to) && in.to.Sub(in.from) <= maxSpan:
	case to != nil:
		q.Parameter("to", problem.OutOfRange, "Must be after from, and at most ten years after it.")
	default:
		q.Parameter("from", problem.OutOfRange, "Must be in the past, and at most ten years ago. Send to for an earlier period.")
	}
	return in
}

// endOfDay returns the end of the day of a time in a time zone, or in UTC if the zone is nil.
func endOfDay(at time.Time, zone *time.Location) time.Time {
	if zone == nil {
		zone = time.UTC
	}
	year, month, day := at.In(zone).Date()
	return time.Date(year, month, day+1, 0, 0, 0, 0, zone).UTC()
}

func readTimezone(q *decode.Query) *time.Location {
	name := q.Text("timezone", maxTimezone)
	q.Note("timezone", decode.Note{About: "The time zone of hours, weekdays and days: an IANA name, an offset such as `+02:00` (encode the plus as `%2B`), `ny_close` or `eet`. The default is UTC, or that of the files if all trades come from them.", Example: "Europe/Prague"})
	if name == "" {
		return nil
	}
	location := value.LoadZone(name)
	if location == nil {
		q.Parameter("timezone", problem.InvalidFormat, "Must be an IANA name such as Europe/Prague, an offset such as +02:00, ny_close or eet.")
	}
	return location
}

// getActivity answers GET /v1/traders/{id}/activity with an analysis of a trader's data from all
// platforms and files.
func (a *API) getActivity(w http.ResponseWriter, r *http.Request, q activityQuery) error {
	id, err := route.ObjectID(r)
	if err != nil {
		return err
	}
	ask := load.Request{TraderID: id, From: q.from, To: q.to, Location: q.location, Preset: q.preset}
	if q.accountID != nil {
		ask.AccountIDs = []uuid.UUID{*q.accountID}
	}
	leave, err := a.beginAnalysis(r)
	if err != nil {
		return err
	}
	defer leave()
	found, err := load.Analyse(r.Context(), a.store, route.CallerOrganization(r), ask)
	if err != nil {
		return activityProblem(err)
	}
	return response.AnswerItem(w, r, found)
}

// activityProblem returns the problem of a query that is invalid because of stored data.
func activityProblem(err error) error {
	if _, unknown := errors.AsType[*load.UnknownAccountError](err); unknown {
		return problem.Validation(problem.Fault{Parameter: "account_id", Code: problem.InvalidFormat, Detail: "Must be one of the trader's accounts."})
	}
	if errors.Is(err, activity.ErrTooManyTrades) {
		return problem.Validation(problem.Fault{
			Parameter: "window_days", Code: problem.OutOfRange,
			Detail: fmt.Sprintf("This period has more than %d trades. Choose a shorter one, or one account.", load.MaxTrades),
		})
	}
	return err
}

// beginAnalysis waits for a place among the analyses, until the request's context ends.
func (a *API) beginAnalysis(r *http.Request) (leave func(), err error) {
	leave, err = a.analyses.Take(r.Context(), route.CallerOrganization(r).String())
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, problem.Unavailable("Too many analyses are in progress. Try again later.", retryAnalysis, err)
	}
	return leave, err
}

// retryAnalysis is how long callers are asked to wait if too many analyses are in progress.
const retryAnalysis = 10 * time.Second
