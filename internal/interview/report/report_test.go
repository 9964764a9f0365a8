package report_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/tradertest"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/check"
	"github.com/assayhq/assay/internal/interview/claims/extract"
	"github.com/assayhq/assay/internal/interview/report"
)

// TestReports compares whole reports with files.
func TestReports(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name      string
		character tradertest.Character
		change    func(in *report.Input)
	}{
		{"honest_scalper", tradertest.HonestScalper, nil},
		{"martingale", tradertest.Martingale, nil},
		{"copier", tradertest.CopierPair, nil},
		{"draft", tradertest.Grid, func(in *report.Input) { in.Transcript.Quality = "draft" }},
		{"nothing", tradertest.HonestScalper, func(in *report.Input) {
			*in = report.Input{Version: 1, GeneratedAt: moment, Partial: true, TranscriptFailed: true, MediaFailed: true, ActivityFailed: true}
		}},
		{"written_answers_only", tradertest.HonestScalper, func(in *report.Input) { in.TranscriptFailed = true }},
		{"restless_browser", tradertest.SwingTrader, func(in *report.Input) {
			for s := range 4 {
				in.Events = append(in.Events, event("tab_hidden", "low", moment.Add(time.Duration(10+5*s)*time.Second), 3*time.Second))
			}
			in.Events = append(in.Events, event("camera_lost", "medium", moment.Add(40*time.Second), 0))
			in.Draft = &report.Draft{Model: "m", PromptSHA256: strings.Repeat("0", 64), Raw: "{}", Text: "The trader trades."}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			in := interview(tc.character)
			if tc.change != nil {
				tc.change(&in)
			}
			golden(t, tc.name, report.Assemble(in))
		})
	}
}

// TestSame compares reports of the same facts: only the version, the time and the
// model's draft may differ.
func TestSame(t *testing.T) {
	t.Parallel()
	for _, c := range tradertest.Characters() {
		t.Run(string(c), func(t *testing.T) {
			t.Parallel()
			in := interview(c)
			want := report.Assemble(in)
			again := in
			again.Version, again.GeneratedAt = 2, moment.Add(time.Hour)
			found, _ := extract.Suggested(in.Transcript.Segments, extract.Suggestion{Topic: claims.TradesPerDay, Value: 1, High: 1, Unit: "count", Quote: "I have 1 account"})
			again.Draft = &report.Draft{Model: "m", Problem: "It wrote no summary.", Claims: []claims.Claim{found}}
			again.Events = slices.Clone(in.Events)
			rand.Shuffle(len(again.Events), func(i, j int) { again.Events[i], again.Events[j] = again.Events[j], again.Events[i] })
			shuffled := *in.Trades
			shuffled.Trades = slices.Clone(in.Trades.Trades)
			rand.Shuffle(len(shuffled.Trades), func(i, j int) { shuffled.Trades[i], shuffled.Trades[j] = shuffled.Trades[j], shuffled.Trades[i] })
			again.Trades, again.Activity = &shuffled, analysis.Analyse(shuffled)
			got := report.Assemble(again)
			if got.Engines.LLM == nil || got.SummaryDraft == nil || len(got.SummaryDraft.ClaimChecks) != 1 || got.Version != 2 {
				t.Errorf("the draft is lost: %+v", got.Engines)
			}
			got.Version, got.GeneratedAt, got.SummaryDraft, got.Engines.LLM = want.Version, want.GeneratedAt, nil, nil
			if !bytes.Equal(encoded(t, want), encoded(t, got)) {
				t.Error("the same facts give another report")
			}
			holds(t, in, want)
		})
	}
}

// holds checks what must be true of every report.
func holds(t *testing.T, in report.Input, r *report.Report) {
	t.Helper()
	peers := map[string]string{}
	for _, a := range in.Trades.Accounts {
		if a.Peer {
			peers[a.ID] = a.Login
		}
	}
	seen := map[string]bool{}
	checkEvidence := func(list []report.Evidence) {
		for _, e := range list {
			_, peer := peers[e.AccountID]
			if e.Type == "trade" && (e.Own == nil || *e.Own == peer) {
				t.Errorf("evidence %+v does not tell whose it is", e)
			}
		}
	}
	for _, f := range r.Findings {
		if seen[f.ID] || f.ID == "" || f.Title == "" || f.Detail == "" || f.EvidenceTotal < len(f.Evidence) || len(f.Evidence) > report.MaxEvidence {
			t.Errorf("finding %+v", f)
		}
		seen[f.ID] = true
		checkEvidence(f.Evidence)
		for id, login := range peers {
			if strings.Contains(f.Detail, id) || login != "" && strings.Contains(f.Detail, login) {
				t.Errorf("%s names another trader's account: %s", f.Kind, f.Detail)
			}
		}
	}
	for _, c := range r.ClaimChecks {
		checkEvidence(c.Evidence)
	}
	if utf8.RuneCountInString(r.Summary) > report.MaxSummary {
		t.Errorf("the summary has %d characters", utf8.RuneCountInString(r.Summary))
	}
	if r.ReviewPriority < 0 || r.ReviewPriority > 100 {
		t.Errorf("priority %d", r.ReviewPriority)
	}
}

func TestIntegrity(t *testing.T) {
	t.Parallel()
	during := func(kind, severity string, n int, lasted time.Duration) (events []report.Event) {
		for i := range n {
			events = append(events, event(kind, severity, moment.Add(time.Duration(5+i)*time.Second), lasted))
		}
		return events
	}
	long := report.Take{QuestionID: "q1", Recorded: true, At: moment, Lasted: 5 * time.Minute}
	for _, tc := range []struct {
		name     string
		change   func(in *report.Input)
		kind     string
		severity result.Severity // none: no finding
	}{
		{"hidden once", func(in *report.Input) {
			in.Events = append(in.Events, during("tab_hidden", "low", 1, 3*time.Second)...)
		}, "tab_hidden", result.Low},
		{"hidden for a moment", func(in *report.Input) { in.Events = append(in.Events, during("tab_hidden", "info", 2, time.Second)...) }, "tab_hidden", result.None},
		{"hidden three times", func(in *report.Input) { in.Events = append(in.Events, during("tab_hidden", "info", 3, time.Second)...) }, "tab_hidden", result.Medium},
		{"hidden three times between answers", func(in *report.Input) {
			for i := range 3 {
				in.Events = append(in.Events, event("tab_hidden", "info", moment.Add(time.Hour+time.Duration(i)*time.Minute), time.Second))
			}
		}, "tab_hidden", result.None},
		{"hidden three times into answers", func(in *report.Input) {
			for range 3 {
				in.Events = append(in.Events, event("tab_hidden", "low", moment.Add(-time.Minute), 70*time.Second))
			}
		}, "tab_hidden", result.Medium},
		{"left four times", func(in *report.Input) {
			in.Events = append(in.Events, during("window_blur", "info", 4, 3*time.Second)...)
		}, "window_blur", result.None},
		{"left five times", func(in *report.Input) {
			in.Events = append(in.Events, during("window_blur", "info", 5, 3*time.Second)...)
		}, "window_blur", result.Low},
		{"left five times for a moment", func(in *report.Input) {
			in.Events = append(in.Events, during("window_blur", "info", 5, time.Second)...)
		}, "window_blur", result.None},
		{"full screen was asked for", func(in *report.Input) { in.Events = append(in.Events, during("fullscreen_exit", "low", 3, 0)...) }, "fullscreen_exit", result.None},
		{"full screen was required", func(in *report.Input) {
			in.FullscreenRequired, in.Events = true, append(in.Events, during("fullscreen_exit", "low", 2, 0)...)
		}, "fullscreen_exit", result.Low},
		{"and left three times", func(in *report.Input) {
			in.FullscreenRequired, in.Events = true, append(in.Events, during("fullscreen_exit", "low", 3, 0)...)
		}, "fullscreen_exit", result.Medium},
		{"a kind that nobody knows", func(in *report.Input) { in.Events = append(in.Events, during("other", "info", 9, 0)...) }, "other", result.None},
		{"signs of life", nil, "telemetry_gap", result.None},
		{"silent for 40 seconds", func(in *report.Input) {
			in.Takes, in.Events = []report.Take{{QuestionID: "q1", Recorded: true, At: moment, Lasted: 60 * time.Second}}, beats(moment, 0, 10, 20)
		}, "telemetry_gap", result.Low},
		{"silent for more than two minutes", func(in *report.Input) {
			in.Takes, in.Events = []report.Take{long}, beats(moment, 0, 10, 20, 200, 210, 220, 230, 240, 250, 260, 270, 280, 290)
		}, "telemetry_gap", result.Medium},
		{"silent throughout", func(in *report.Input) { in.Takes, in.Events = []report.Take{long}, nil }, "telemetry_gap", result.Medium},
		{"a written answer", func(in *report.Input) {
			in.Takes, in.Events = []report.Take{{QuestionID: "q1", At: moment, Lasted: time.Hour}}, nil
		}, "telemetry_gap", result.None},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			in := interview(tradertest.SwingTrader)
			if tc.change != nil {
				tc.change(&in)
			}
			r := report.Assemble(in)
			got := result.None
			for _, f := range r.Findings {
				if f.Kind == tc.kind {
					got = f.Severity
				}
			}
			if got != tc.severity {
				t.Errorf("%s is %s, want %s", tc.kind, got, tc.severity)
			}
			if complete := tc.kind != "telemetry_gap" || tc.severity == result.None; r.IntegritySummary.TelemetryComplete != complete {
				t.Errorf("telemetry complete is %t", r.IntegritySummary.TelemetryComplete)
			}
		})
	}
}

// TestMeasuredOnce checks that what the browser noticed and the recording shows as well counts once.
func TestMeasuredOnce(t *testing.T) {
	t.Parallel()
	in := interview(tradertest.SwingTrader)
	noticed := event("audio_silent", "medium", moment.Add(time.Minute), 0)
	noticed.QuestionID = "q1"
	measured := report.Event{ID: "measured", Kind: "audio_silent", Severity: "medium", QuestionID: "q1", At: moment, Lasted: time.Minute, Measured: true}
	before := event("audio_silent", "medium", moment.Add(-time.Hour), 0) // in a take that was given up
	before.QuestionID = "q1"
	in.Events = append(in.Events, noticed, measured, before)
	var details []string
	for _, f := range report.Assemble(in).Findings {
		if f.Kind == "audio_silent" {
			details = append(details, f.Detail)
		}
	}
	if want := []string{"Seen twice, once during an answer. Total duration: 1 minute."}; !slices.Equal(details, want) {
		t.Errorf("silence is told as %q, want %q", details, want)
	}
}

// TestWritten checks that a report of written answers says so, and asks nobody to listen.
func TestWritten(t *testing.T) {
	t.Parallel()
	in := interview(tradertest.HonestScalper)
	in.Transcript.Segments = append(in.Transcript.Segments, claims.Segment{ID: "s5", QuestionID: "q4", StartMS: 40_000, EndMS: 40_000, Text: "I take 50 trades a day."})
	for i := range in.Transcript.Segments {
		in.Transcript.Segments[i].Typed = true
	}
	kinds := map[string]bool{}
	for _, f := range report.Assemble(in).Findings {
		kinds[f.Kind] = true
		if f.Area != report.AreaClaims {
			continue
		}
		if !strings.HasPrefix(f.Detail, "The trader wrote “") {
			t.Errorf("%s is told as %q", f.Kind, f.Detail)
		}
		for _, l := range f.Limitations {
			if strings.Contains(l, "Listen") {
				t.Errorf("%s is limited by %q", f.Kind, l)
			}
		}
	}
	if !kinds["claim_inconsistent"] || !kinds["self_contradiction"] {
		t.Errorf("findings are of the kinds %v, want a difference and a contradiction", kinds)
	}
}

// What happens in the browser never changes what is said about a claim.
func TestIntegrityTouchesNoClaim(t *testing.T) {
	t.Parallel()
	in := interview(tradertest.Martingale)
	want, err := json.Marshal(report.Assemble(in).ClaimChecks)
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		in.Events = append(in.Events, event("session_taken_over", "medium", moment, 0))
	}
	got, err := json.Marshal(report.Assemble(in).ClaimChecks)
	if err != nil || !bytes.Equal(want, got) {
		t.Errorf("claims differ: %v", err)
	}
}

// TestOtherLanguages checks that only English words are read as statements, and that the report says so.
func TestOtherLanguages(t *testing.T) {
	t.Parallel()
	const gap = "Statements were not compared with the trades, because only English ones can be."
	for language, read := range map[string]bool{"": true, "en": true, "en-GB": true, "EN": true, "de": false, "pt-BR": false} {
		in := interview(tradertest.HonestScalper)
		in.Transcript = spoken("draft", "Ich hold so 20 min, maximal 2 hours.")
		in.Transcript.Language = language
		r := report.Assemble(in)
		if found := len(r.ClaimChecks) > 0; found != read || slices.Contains(r.DataGaps, gap) == read {
			t.Errorf("%q: statements %+v, gaps %q", language, r.ClaimChecks, r.DataGaps)
		}
	}
	if r := report.Assemble(report.Input{GeneratedAt: moment, Transcript: &report.Transcript{Language: "de"}}); r.AttentionLevel != report.InsufficientData {
		t.Errorf("of words that are not read: %s", r.AttentionLevel)
	}
}

func TestAttention(t *testing.T) {
	t.Parallel()
	if r := report.Assemble(report.Input{GeneratedAt: moment}); r.AttentionLevel != report.InsufficientData || r.ReviewPriority != 0 || len(r.DataGaps) == 0 {
		t.Errorf("of nothing: %s, %d, %v", r.AttentionLevel, r.ReviewPriority, r.DataGaps)
	}
	if r := report.Assemble(report.Input{GeneratedAt: moment, Transcript: spoken("standard", "Hello.")}); r.AttentionLevel != "none" {
		t.Errorf("of words alone: %s", r.AttentionLevel)
	}
	in := interview(tradertest.Martingale)
	r := report.Assemble(in)
	if r.AttentionLevel != string(r.Findings[0].Severity) {
		t.Errorf("level %s with %s on top", r.AttentionLevel, r.Findings[0].Severity)
	}
	sum := 0
	for _, f := range r.Findings {
		sum += map[result.Severity]int{result.Low: 5, result.Medium: 15, result.High: 35}[f.Severity]
	}
	if r.ReviewPriority != min(sum, 100) {
		t.Errorf("priority %d, want %d", r.ReviewPriority, min(sum, 100))
	}
}

// A confirmed claim counts in full, and the report of a partial interview says that
// it is partial.
func TestConfirmed(t *testing.T) {
	t.Parallel()
	in := interview(tradertest.SwingTrader)
	in.Partial = true
	severity := func() (id string, s result.Severity) {
		r := report.Assemble(in)
		if !slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return f.Kind == "partial_interview" }) {
			t.Error("the report does not say that the interview is partial")
		}
		for _, c := range r.ClaimChecks {
			if c.Topic == string(claims.HoldingTime) && c.Verdict == string(check.Inconsistent) {
				return c.ID, c.Severity
			}
		}
		t.Fatal("no difference")
		return "", ""
	}
	id, s := severity()
	if s != result.Low {
		t.Errorf("unconfirmed: %s", s)
	}
	in.Confirmed = []string{id}
	if _, s := severity(); s != result.Medium {
		t.Errorf("confirmed: %s", s)
	}
}

// TestUnreadableRecordings checks that the report names the answers whose recording could
// not be used, or not in full.
func TestUnreadableRecordings(t *testing.T) {
	t.Parallel()
	in := interview(tradertest.SwingTrader)
	in.Questions = slices.Clone(in.Questions)
	in.Questions[0].Cut, in.Questions[1].Unreadable = true, true
	gaps := report.Assemble(in).DataGaps
	for _, want := range []string{"The recording of question 2 could not be read", "The recording of question 1 was too long"} {
		if !slices.ContainsFunc(gaps, func(g string) bool { return strings.HasPrefix(g, want) }) {
			t.Errorf("the gaps lack %q: %q", want, gaps)
		}
	}
}

// TestEmailOfSeveralPlatforms: the firm sees which platforms know the email, and
// the shared report does not show it.
func TestEmailOfSeveralPlatforms(t *testing.T) {
	t.Parallel()
	in := interview(tradertest.SwingTrader)
	telling := func(gaps []string) bool {
		return slices.ContainsFunc(gaps, func(g string) bool { return strings.Contains(g, "Funded") })
	}
	if r := report.Assemble(in); slices.ContainsFunc(r.DataGaps, func(g string) bool { return strings.Contains(g, "email") }) {
		t.Errorf("one platform knows the email, and the gaps are %q", r.DataGaps)
	}
	in.SameEmail = []report.SameEmail{{Name: "Adam", ExternalID: "B-1", Platform: "Funded", Analyzed: true}, {ExternalID: "C-1", Platform: "Broker"}}
	r := report.Assemble(in)
	for _, want := range []string{
		"Adam (B-1) on the platform Funded has the same email as the interviewed trader, and may be another person. The trades there are included. ",
		"C-1 on the platform Broker has the same email as the interviewed trader, and may be another person. The trades there are not included.",
	} {
		if !slices.ContainsFunc(r.DataGaps, func(g string) bool { return strings.HasPrefix(g, want) }) {
			t.Errorf("the gaps lack %q: %q", want, r.DataGaps)
		}
	}
	if telling(r.Shared.DataGaps) || strings.Contains(r.Shared.Summary, "Funded") {
		t.Errorf("the shared report tells which platforms know the email: %q", r.Shared)
	}
}

// TestUnansweredQuestions: the report names the required questions that the trader
// could not answer.
func TestUnansweredQuestions(t *testing.T) {
	t.Parallel()
	in := interview(tradertest.SwingTrader)
	finding := func() *report.Finding {
		for _, f := range report.Assemble(in).Findings {
			if f.Kind == "question_unanswered" {
				return &f
			}
		}
		return nil
	}
	if f := finding(); f != nil {
		t.Errorf("everything was answered, and the report has %+v", f)
	}
	in.Questions[1].Unanswered, in.Questions[3].Unanswered = true, true
	f := finding()
	if f == nil {
		t.Fatal("the report does not tell of the unanswered questions")
	}
	if !strings.Contains(f.Detail, "question 2, question 4.") || f.Severity != result.Low || f.Area != report.AreaData || !f.Shareable || len(f.Limitations) == 0 {
		t.Errorf("%+v", f)
	}
}

// Questions state facts about the trader's own data and accuse nobody.
func TestQuestions(t *testing.T) {
	t.Parallel()
	asked := 0
	for _, c := range tradertest.Characters() {
		in := tradertest.New(c, tradertest.NewMarket(1), 7)
		list := report.Questions(&in, analysis.Analyse(in))
		asked += len(list)
		kinds := map[string]bool{}
		for _, q := range list {
			if kinds[q.FindingKind] || len(list) > report.MaxAutoQuestions || utf8.RuneCountInString(q.Prompt) > report.MaxPrompt || !strings.HasSuffix(q.Prompt, "?") {
				t.Errorf("%s: %+v", c, q)
			}
			kinds[q.FindingKind] = true
			if q.Topic != "general" && !slices.Contains(claims.Topics(), claims.Topic(q.Topic)) {
				t.Errorf("%s: topic %q", c, q.Topic)
			}
			lower := strings.ToLower(q.Prompt)
			for _, word := range []string{"martingale", "revenge", "cheat", "abuse", "suspicious", "violat", "breach", "rule", "bot ", "copied", "limit of", "preset", "forbidden"} {
				if strings.Contains(lower, word) {
					t.Errorf("%s: %q accuses: %s", c, word, q.Prompt)
				}
			}
			for _, a := range in.Accounts {
				if strings.Contains(q.Prompt, a.ID) || a.Login != "" && strings.Contains(q.Prompt, a.Login) {
					t.Errorf("%s names an account: %s", c, q.Prompt)
				}
			}
		}
		if c == tradertest.Martingale && len(list) == 0 {
			t.Error("a martingale is asked nothing")
		}
	}
	if asked == 0 {
		t.Error("nobody is asked anything")
	}
}

// TestQuestionsStateTheirBounds: a number of the question names what it is about.
func TestQuestionsStateTheirBounds(t *testing.T) {
	t.Parallel()
	value := 360.0
	found, severity := result.OK, result.Low
	act := &result.Activity{
		Metrics: map[string]result.Metric{
			"burst_count":        {Status: found, Value: new(3.0), Params: map[string]any{"window_seconds": 600.0}},
			"max_in_120s":        {Status: found, Value: new(4.0)},
			"reentry_after_loss": {Status: found, Value: &value},
			"revenge_rate":       {Status: found, Params: map[string]any{"max_gap_seconds": 14400.0}},
		},
		Detectors: []result.Detection{{Kind: "bursts", Status: found, Severity: &severity}, {Kind: "revenge", Status: found, Severity: &severity}},
	}
	var got []string
	for _, q := range report.Questions(&trades.Input{}, act) {
		got = append(got, q.Prompt)
	}
	for i, want := range []string{
		"3 times you opened several positions within 10 minutes. The most within two minutes were 4. ",
		"When you traded again within 4 hours of a loss, half of these trades followed within 6 minutes. ",
	} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Errorf("questions %q, want one that begins with %q", got, want)
		}
	}
}

// BenchmarkReport is the promise of three seconds for 10,000 words and 100,000
// trades, the analysis included.
func BenchmarkReport(b *testing.B) {
	in := interview(tradertest.HonestScalper)
	base := in.Trades.Trades
	all := make([]trades.Trade, 0, 100_000)
	for n := 0; len(all) < 100_000; n++ {
		for _, t := range base {
			t.ID += string(rune('a' + n%26))
			t.Open += int64(n) * 7_000_003
			t.Close += int64(n) * 7_000_003
			all = append(all, t)
		}
	}
	in.Trades.Trades = all[:100_000]
	text := "I hold my trades for about twenty minutes and I never risk more than half a percent, and I trade gold from eight to eleven in the morning. "
	var sentences []string
	for words := 0; words < 10_000; words += len(strings.Fields(text)) {
		sentences = append(sentences, text)
	}
	in.Transcript = spoken("standard", sentences...)
	for b.Loop() {
		in.Activity = analysis.Analyse(*in.Trades)
		report.Assemble(in)
	}
}
