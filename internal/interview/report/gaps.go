package report

import (
	"fmt"
	"strings"

	"github.com/assayhq/assay/internal/analysis"
)

// gaps says what is missing, for a reader who would otherwise take silence for
// an answer.
func (a *assembly) gaps(telemetry bool) []string {
	gaps := []string{}
	add := func(missing bool, text string) {
		if missing {
			gaps = append(gaps, text)
		}
	}
	add(a.in.MediaFailed, "The recording could not be made playable.")
	add(a.in.Transcript == nil && a.in.TranscriptFailed, "The transcript could not be made: nothing that was said was checked.")
	add(a.in.Transcript == nil && !a.in.TranscriptFailed, "There is no transcript: nothing that was said was checked.")
	add(a.in.Transcript != nil && a.in.Transcript.Quality == qualityDraft, "The transcript is a draft: claims that differ count as low until a reviewer has confirmed their words.")
	add(a.in.Activity == nil && a.in.ActivityFailed, "The trades could not be analysed.")
	add(a.in.Activity == nil && !a.in.ActivityFailed, "There are no trades.")
	if a.in.Activity != nil {
		gaps = append(gaps, activityGaps(a.in.Activity)...)
	}
	gaps = append(gaps, a.sharedEmail()...)
	add(!telemetry, "The browser gave no sign of life for a part of the recordings: events may be missing.")
	return gaps
}

// sharedEmail is the gap of an email that several platforms know: the trades are
// those of one trader, and another one may be meant.
func (a *assembly) sharedEmail() []string {
	if len(a.in.SameEmail) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Several platforms have a trader with the email of this interview (%s). Only the trades of the trader whom the interview is about were analysed; "+
		"whether the others are the same person cannot be told from the data.", strings.Join(a.in.SameEmail, ", "))}
}

// activityGaps says what the trades cannot tell.
func activityGaps(act *analysis.Activity) (gaps []string) {
	for _, g := range act.DataGaps {
		gaps = append(gaps, g.Detail)
	}
	if n := act.Totals.Trades; n < leastTrades {
		gaps = append(gaps, fmt.Sprintf("There are %d trades, fewer than the %d from which on they tell something.", n, leastTrades))
	}
	for _, s := range act.Sources {
		if s.Kind == "integration" && s.LastSync == nil {
			gaps = append(gaps, "A platform has never been read completely: trades may be missing.")
			break
		}
	}
	for _, x := range act.Excluded {
		if x.Count > 0 && x.Reason != analysis.ExcludedOutsideWindow && x.Reason != analysis.ExcludedDuplicate {
			gaps = append(gaps, fmt.Sprintf("%d trades were left out: %s.", x.Count, x.Reason))
		}
	}
	// The first limitation holds for every analysis, and the disclaimer says it.
	for i, l := range act.Limitations {
		if i > 0 {
			gaps = append(gaps, l)
		}
	}
	reasons := map[string]string{
		analysis.ReasonNoCalendar: "There is no calendar of scheduled news: trading around it was not checked.",
		analysis.ReasonNoBalance:  "The initial balance of an account is not known: what depends on it was not checked.",
	}
	for _, d := range act.Detectors {
		if d.Reason != nil && reasons[*d.Reason] != "" {
			gaps = append(gaps, reasons[*d.Reason])
			delete(reasons, *d.Reason)
		}
	}
	return gaps
}
