package interview_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/interviews/invite"
	"github.com/assayhq/assay/store/storetest"
)

// oneTake creates an interview with one required question and one take for it.
func oneTake() invite.New {
	n := zoe()
	n.Questions, n.AnswerModes = n.Questions[:1], []interviews.AnswerMode{interviews.AnswerVideo}
	n.Questions[0].MaxTakes, n.Questions[0].Required = 1, true
	return n
}

// breakOff opens a take of the question, breaks it off after a number of milliseconds, and
// returns the resulting state.
func (b *browser) breakOff(t testing.TB, question uuid.UUID, ms int) state {
	t.Helper()
	take := b.open(t, question)
	return decodeInto[state](t, b.post(t, "answers/"+question.String()+"/abort", map[string]any{"take": take, "recorded_ms": ms}).want(t, "200 OK"))
}

// TestBrokenOffTakeIsOfferedAgain breaks off the only take of a question until none is left, and
// submits without an answer.
func TestBrokenOffTakeIsOfferedAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := storetest.Interview(t, b.DB, b.Org, oneTake())
	p := b.trader(t, made)
	q := p.started(t).Questions[0].ID
	leave := map[string]any{"unanswered": []uuid.UUID{q}}
	for n, broken := range []struct {
		ms               int
		counts, finished bool // finished: nothing can be recorded any more
	}{{3000, false, false}, {12_000, false, false}, {5000, false, false}, {12_000, true, true}} {
		s := p.breakOff(t, q, broken.ms)
		if a := s.Answers[n]; a.Status != "aborted" || a.Counts != broken.counts || s.Questions[0].Unanswerable != broken.finished {
			t.Errorf("broken off for the %dth time, after %d ms: %+v of %+v", n+1, broken.ms, a, s.Questions[0])
		}
		p.post(t, "submit", empty).want(t, "409 conflict")
		if !broken.finished {
			p.post(t, "submit", leave).want(t, "409 conflict")
		}
	}
	p.post(t, "answers/"+q.String()+"/takes", map[string]any{"mode": "video", "media_type": webm}).want(t, "409 conflict")
	p.post(t, "submit", leave).want(t, "204 No Content")

	d, err := interviews.Read(t.Context(), b.DB, b.Org, made.ID)
	check(t, err)
	var told []string
	for _, e := range d.AllEvents {
		told = append(told, strings.TrimSpace(e.Kind+" "+string(e.Data)))
	}
	want := `take_broken_off {"take": 1, "offered_again": true},take_broken_off {"take": 2, "offered_again": true},` +
		`take_broken_off {"take": 3, "offered_again": true},take_broken_off {"take": 4, "offered_again": false},question_unanswered`
	if got := strings.Join(told, ","); got != want {
		t.Errorf("events %s\nwant %s", got, want)
	}
	if d.Questions[0].UnansweredAt == nil || d.Status != interviews.Processing {
		t.Errorf("%s, unanswered at %v", d.Status, d.Questions[0].UnansweredAt)
	}
}

// TestPageCannotMakeATakeShorter checks that a page cannot claim to have recorded nothing if it
// sent bytes for longer.
func TestPageCannotMakeATakeShorter(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := storetest.Interview(t, b.DB, b.Org, oneTake())
	s, i := storetest.Started(t, b.DB, made)
	q := i.Questions[0].ID
	for n, counts := range []bool{false, true} {
		take, err := answering.BeginTake(t.Context(), b.DB, s, answering.NewTake{QuestionID: q, Mode: interviews.AnswerVideo, MediaType: webm})
		check(t, err)
		b.Exec(t, `UPDATE interview_takes SET recorded_at = recorded_at - interval '20 seconds' WHERE id = $1`, take.ID)
		take, err = answering.AbortTake(t.Context(), b.DB, s, take.ID, 0)
		check(t, err)
		if take.Counts != counts || *take.DurationMS < 20_000 {
			t.Errorf("take %d counts: %t, and lasted %d ms", n+1, take.Counts, *take.DurationMS)
		}
	}
}

// overridden claims that the devices do not work.
func overridden(t testing.TB, p *browser, _ uuid.UUID) {
	t.Helper()
	p.post(t, "device-check", map[string]any{"outcome": "overridden"}).want(t, "200 OK")
}

// TestUnanswered checks who may submit without an answer.
func TestUnanswered(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		allowed bool
		written bool // answers may be in writing
		before  func(t testing.TB, p *browser, q uuid.UUID)
		want    string
	}{
		{"while it can be answered", true, false, nil, "409 conflict"},
		{"without working devices", true, false, overridden, "204 No Content"},
		{"without working devices, but a keyboard", true, true, overridden, "409 conflict"},
		{"where the firm does not allow it", false, false, overridden, "409 conflict"},
		{"while it is being recorded", true, false, func(t testing.TB, p *browser, q uuid.UUID) { p.open(t, q) }, "409 conflict"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			n := oneTake()
			n.AllowUnanswered = tc.allowed
			if tc.written {
				n.AnswerModes = append(n.AnswerModes, interviews.AnswerText)
			}
			made := storetest.Interview(t, b.DB, b.Org, n)
			p := b.trader(t, made)
			q := p.started(t).Questions[0].ID
			if tc.before != nil {
				tc.before(t, p, q)
			}
			p.post(t, "submit", map[string]any{"unanswered": []uuid.UUID{q}}).want(t, tc.want)
			for _, e := range b.readEvents(t, made.ID) {
				if e.Severity != "info" {
					t.Errorf("the event %s is %s", e.Kind, e.Severity)
				}
			}
		})
	}
}

// TestLandingCountsAutomaticQuestions checks that the announced number of questions includes
// those that may be added from the trader's data.
func TestLandingCountsAutomaticQuestions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	landing := func(n invite.New) (told struct {
		QuestionCount int `json:"question_count"`
		Minutes       int `json:"minutes"`
	},
	) {
		p := b.trader(t, storetest.Interview(t, b.DB, b.Org, n))
		return decodeInto[struct {
			QuestionCount int `json:"question_count"`
			Minutes       int `json:"minutes"`
		}](t, p.send(t, "GET", "interview", nil).want(t, "200 OK"))
	}
	n := oneTake() // 30 s to think and 120 s to answer
	if got := landing(n); got.QuestionCount != 1 || got.Minutes != 3 {
		t.Errorf("without automatic questions: %+v", got)
	}
	n.AutoQuestions = 3 // also 30 s and 120 s
	if got := landing(n); got.QuestionCount != 4 || got.Minutes != 10 {
		t.Errorf("with three automatic questions: %+v", got)
	}
	n.Questions[0].MaxSeconds, n.Questions[0].MaxTakes = 600, 5
	n.Questions = append(n.Questions, n.Questions[0], n.Questions[0]) // 9000 of 10,800 s are used
	n.Questions = append(n.Questions, invite.Question{Prompt: "?", Topic: invite.TopicGeneral, MaxSeconds: 500, MaxTakes: 3})
	if got := landing(n); got.QuestionCount != 6 {
		t.Errorf("with room for two automatic questions: %+v", got)
	}
}

// TestLinkThatHasEndedSaysWhomToAsk checks that each ended link says why it ended, and whom its
// holder can ask.
func TestLinkThatHasEndedSaysWhomToAsk(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		end  func(t *testing.T, b *testServer, made invite.Made)
		why  string
	}{
		{"declined", func(t *testing.T, b *testServer, made invite.Made) {
			b.trader(t, made).opened(t).post(t, "decline", empty).want(t, "204 No Content")
		}, "You declined"},
		{"expired", func(t *testing.T, b *testServer, made invite.Made) {
			b.Exec(t, `UPDATE interviews SET invite_expires_at = now() WHERE id = $1`, made.ID)
			_, err := invite.Expire(t.Context(), b.DB)
			check(t, err)
		}, "The deadline to start"},
		{"replaced", func(t *testing.T, b *testServer, made invite.Made) {
			_, err := invite.Reissue(t.Context(), b.DB, store.SystemChange(b.Org), made.ID, nil)
			check(t, err)
		}, "This link was replaced."},
		{"time over without an answer", func(t *testing.T, b *testServer, made invite.Made) {
			storetest.Started(t, b.DB, made)
			b.Exec(t, `UPDATE interviews SET complete_by = now() WHERE id = $1`, made.ID)
			_, err := answering.CloseOverdue(t.Context(), b.DB)
			check(t, err)
		}, "ran out before you sent an answer"},
		{"time over", func(t *testing.T, b *testServer, made invite.Made) {
			s, i := storetest.Started(t, b.DB, made)
			storetest.Recorded(t, b.DB, s, i.Questions[0].ID, "bytes")
			b.Exec(t, `UPDATE interviews SET complete_by = now() WHERE id = $1`, made.ID)
			_, err := answering.CloseOverdue(t.Context(), b.DB)
			check(t, err)
		}, "were submitted for you"},
		{"submitted", func(t *testing.T, b *testServer, made invite.Made) {
			s, i := storetest.Started(t, b.DB, made)
			storetest.Recorded(t, b.DB, s, i.Questions[0].ID, "bytes")
			check(t, answering.Submit(t.Context(), b.DB, s))
		}, "Your answers have been submitted"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.Exec(t, `UPDATE organizations SET contact = 'risk@alpha.example' WHERE id = $1`, b.Org)
			made := storetest.Interview(t, b.DB, b.Org, oneTake())
			tc.end(t, b, made)
			detail := decodeInto[struct {
				Detail string `json:"detail"`
			}](t, b.trader(t, made).send(t, "GET", "interview", nil).want(t, "410 link_over")).Detail
			if !strings.Contains(detail, tc.why) || !strings.Contains(detail, "(risk@alpha.example)") {
				t.Errorf("it says %q", detail)
			}
		})
	}
}

// TestTimeLeft checks that the page counts down by the server's clock.
func TestTimeLeft(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.trader(t, storetest.Interview(t, b.DB, b.Org, oneTake()))
	if s := p.started(t); s.TimeLeftMS == nil || *s.TimeLeftMS > (73*time.Hour).Milliseconds() || *s.TimeLeftMS < time.Hour.Milliseconds() {
		t.Errorf("left %v ms", s.TimeLeftMS)
	}
	b.Exec(t, `UPDATE interviews SET complete_by = now() - interval '1 minute'`)
	if s := p.state(t); s.TimeLeftMS == nil || *s.TimeLeftMS != 0 {
		t.Errorf("left %v ms after the end", s.TimeLeftMS)
	}
}
