package report

import (
	"fmt"
	"strings"

	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/wording"
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
	for n, q := range a.in.Questions {
		add(q.Unreadable, wording.FormatText("The recording of question %d could not be read, so its answer is missing from playback and transcript.", n+1))
		add(q.Cut, wording.FormatText("The recording of question %d was too long, so its end is missing from playback and transcript.", n+1))
	}
	add(a.in.Transcript == nil && a.in.TranscriptFailed, "Transcription failed, so no statements were checked.")
	add(a.in.Transcript == nil && !a.in.TranscriptFailed, "There is no transcript, so no statements were checked.")
	add(a.in.Transcript != nil && a.in.TranscriptFailed, "Transcription failed, so only written answers were checked.")
	add(a.in.Transcript != nil && !a.in.Transcript.isRead(), "Statements were not compared with the trades, because only English ones can be.")
	add(a.in.Transcript.isRead() && a.in.Transcript.Quality == qualityDraft, "The transcript is a draft, so words may be wrong. Listen to the recording before you rely on them.")
	add(a.in.Activity == nil && a.in.ActivityFailed, "The trades could not be analyzed.")
	add(a.in.Activity == nil && !a.in.ActivityFailed, "There are no trades.")
	if a.in.Activity != nil {
		gaps = append(gaps, activityGaps(a.in.Activity)...)
	}
	gaps = append(gaps, a.sharedEmail()...)
	add(!telemetry, "The browser sent no data during part of the recordings, so some events may be missing.")
	return gaps
}

// sharedEmail returns a gap for each trader of another platform with the same email,
// because the data does not show whether that is the interviewed person.
func (a *assembly) sharedEmail() (gaps []string) {
	for _, t := range a.in.SameEmail {
		who := t.ExternalID
		if t.Name != "" {
			who = fmt.Sprintf("%s (%s)", t.Name, t.ExternalID)
		}
		trades := "The trades there are not included."
		if t.Analyzed {
			trades = "The trades there are included. If that is another person, dismiss the duplicate on the trader's page and regenerate the report."
		}
		gaps = append(gaps, fmt.Sprintf("%s on the platform %s has the same email as the interviewed trader, and may be another person. %s", who, t.Platform, trades))
	}
	return gaps
}

// activityGaps lists what the trades cannot show.
func activityGaps(act *result.Activity) (gaps []string) {
	for _, g := range act.DataGaps {
		gaps = append(gaps, g.Detail)
	}
	switch n := act.Totals.Trades; {
	case n == 0:
		gaps = append(gaps, "There are no trades in the period that was analyzed.")
	case n < leastTrades:
		gaps = append(gaps, wording.FormatText("The analysis has only %s. At least %d are needed for meaningful results.", countThings(n, "trade"), leastTrades))
	}
	for _, s := range act.Sources {
		if s.Kind == "integration" && s.LastSync == nil {
			gaps = append(gaps, "A platform has not completed its first sync, so trades may be missing.")
			break
		}
	}
	for _, x := range act.Excluded {
		if x.Count > 0 && x.Reason != result.ExcludedOutsideWindow && x.Reason != result.ExcludedDuplicate {
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
		result.ReasonNoCalendar: "There is no news calendar, so trading around scheduled news was not checked.",
		result.ReasonNoBalance:  "The initial balance of an account is unknown, so checks that depend on it were skipped.",
	}
	for _, d := range act.Detectors {
		if d.Reason != nil && reasons[*d.Reason] != "" {
			gaps = append(gaps, reasons[*d.Reason])
			delete(reasons, *d.Reason)
		}
	}
	return gaps
}
