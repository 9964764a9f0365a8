package report_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/tradertest"
	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/report"
)

var update = flag.Bool("update", false, "write the golden files anew")

// moment is when the tests' interviews take place.
var moment = time.Date(2026, 3, 30, 10, 0, 0, 0, time.UTC)

// spoken is a transcript of sentences, one for each question.
func spoken(quality string, sentences ...string) *report.Transcript {
	t := &report.Transcript{Engine: "test", Quality: quality}
	for n, s := range sentences {
		t.Segments = append(t.Segments, claims.Segment{ID: fmt.Sprintf("s%d", n+1), QuestionID: fmt.Sprintf("q%d", n+1), StartMS: 10_000 * n, EndMS: 10_000*n + 8000, Text: s})
	}
	return t
}

// interview is an interview with somebody of a character.
func interview(c tradertest.Character) report.Input {
	in := tradertest.New(c, tradertest.NewMarket(1), 7)
	in.Basis = result.Given
	return report.Input{
		Version: 1, GeneratedAt: moment, Trades: &in, Activity: analysis.Analyse(in), Accounts: new(1),
		Transcript: spoken("standard",
			"I hold my trades for about twenty minutes, and I never risk more than half a percent.",
			"I have 1 account, nobody else has access to my account, and I trade everything manually.",
			"I don't use martingale and I never average down.", "I trade from 8 am to 5 pm utc and take 5 trades a day."),
		Questions: []report.Question{{ID: "q1", Topic: "holding_time"}, {ID: "q2", Topic: "account_sharing"}, {ID: "q3", Topic: "martingale_hedging"}, {ID: "q4", Topic: "hours_timezone"}},
		Takes:     []report.Take{{QuestionID: "q1", Recorded: true, At: moment, Lasted: time.Minute}},
		Events:    beats(moment, 0, 10, 20, 30, 40, 50, 60),
	}
}

// beats are heartbeats at seconds after a moment.
func beats(at time.Time, seconds ...int) (events []report.Event) {
	for _, s := range seconds {
		events = append(events, event("heartbeat", "info", at.Add(time.Duration(s)*time.Second), 0))
	}
	return events
}

func event(kind, severity string, at time.Time, lasted time.Duration) report.Event {
	return report.Event{
		ID: kind + at.Format("150405"), Kind: kind, Severity: severity, At: at.Add(300 * time.Millisecond), Lasted: lasted,
	}
}

func encoded(t testing.TB, r *report.Report) []byte {
	t.Helper()
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// golden compares a report with the file of that name.
func golden(t *testing.T, name string, r *report.Report) {
	t.Helper()
	path, got := filepath.Join("testdata", name+".json"), encoded(t, r)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("report (-want +got):\n%s", cmp.Diff(string(want), string(got)))
	}
}
