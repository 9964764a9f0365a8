package report

import (
	"fmt"
	"strings"

	"github.com/assayhq/assay/internal/analysis"
)

// listGaps lists what is missing, because a reader would otherwise take silence for
// an answer.
func (a *assembly) listGaps(telemetry bool) []string {
	gaps := []string{}
	add := func(missing bool, text string) {
		if missing {
			gaps = append(gaps, text)
		}
	}
	add(a.in.MediaFailed, "The recording could not be processed for playback.")
	add(a.in.Transcript == nil && a.in.TranscriptFailed, "Transcription failed, so no statements were checked.")
	add(a.in.Transcript == nil && !a.in.TranscriptFailed, "There is no transcript, so no statements were checked.")
	add(a.in.Transcript != nil && a.in.TranscriptFailed, "Transcription failed, so only written answers were checked.")
	add(a.in.Transcript != nil && !a.in.Transcript.isRead(), "Statements were not compared with the trades, because only English ones can be.")
	add(a.in.Transcript.isRead() && a.in.Transcript.Quality == qualityDraft, "The transcript is a draft. Inconsistent statements are rated low until a reviewer confirms their words.")
	add(a.in.Activity == nil && a.in.ActivityFailed, "The trades could not be analyzed.")
	add(a.in.Activity == nil && !a.in.ActivityFailed, "There are no trades.")
	if a.in.Activity != nil {
		gaps = append(gaps, activityGaps(a.in.Activity)...)
	}
	gaps = append(gaps, a.sharedEmail()...)
	add(!telemetry, "The browser sent no data during part of the recordings, so some events may be missing.")
	return gaps
}

// sharedEmail returns the gap of an email that several platforms know: the trades
// belong to one trader, and another one may be meant.
func (a *assembly) sharedEmail() []string {
	if len(a.in.SameEmail) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Several platforms have a trader with the email of this interview (%s). Only the trades of the interviewed trader were analyzed. "+
		"The data does not show whether the others are the same person.", strings.Join(a.in.SameEmail, ", "))}
}

// activityGaps lists what the trades cannot show.
func activityGaps(act *analysis.Activity) (gaps []string) {
	for _, g := range act.DataGaps {
		gaps = append(gaps, g.Detail)
	}
	if n := act.Totals.Trades; n < leastTrades {
		gaps = append(gaps, analysis.FormatText("There are only %d trades. At least %d are needed for meaningful results.", n, leastTrades))
	}
	for _, s := range act.Sources {
		if s.Kind == "integration" && s.LastSync == nil {
			gaps = append(gaps, "A platform has not completed its first sync, so trades may be missing.")
			break
		}
	}
	for _, x := range act.Excluded {
		if x.Count > 0 && x.Reason != analysis.ExcludedOutsideWindow && x.Reason != analysis.ExcludedDuplicate {
			gaps = append(gaps, fmt.Sprintf("%s excluded: %s.", countThings(x.Count, "trade"), strings.ReplaceAll(x.Reason, "_", " ")))
		}
	}
	// The first limitation holds for every analysis, and the disclaimer says it.
	for i, l := range act.Limitations {
		if i > 0 {
			gaps = append(gaps, l)
		}
	}
	reasons := map[string]string{
		analysis.ReasonNoCalendar: "There is no news calendar, so trading around scheduled news was not checked.",
		analysis.ReasonNoBalance:  "The initial balance of an account is unknown, so checks that depend on it were skipped.",
	}
	for _, d := range act.Detectors {
		if d.Reason != nil && reasons[*d.Reason] != "" {
			gaps = append(gaps, reasons[*d.Reason])
			delete(reasons, *d.Reason)
		}
	}
	return gaps
}
