package store_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/storetest"
)

// head reads an interview.
func (b bundle) head(t *testing.T, id uuid.UUID) store.Interview {
	t.Helper()
	i, err := b.InterviewHead(t.Context(), b.org, id)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// interview makes an interview of Zoe's.
func (b bundle) interview(t *testing.T) store.MadeInterview {
	t.Helper()
	return storetest.Interview(t, b.DB, b.org, storetest.NewInterview("Zoe Miller", "zoe@example.com"))
}

// pipeline shows the steps of an interview.
func pipeline(i store.Interview) string {
	var steps []string
	for _, s := range i.Steps {
		steps = append(steps, fmt.Sprintf("%s %s", s.Step, s.Status))
	}
	return strings.Join(steps, ", ")
}

// TestRetakeKeepsAllowUnanswered: whether a question may be left unanswered is the
// firm's choice for the retake as well.
func TestRetakeKeepsAllowUnanswered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, allowed := range []bool{false, true} {
		n := storetest.NewInterview("Zoe Miller", "zoe@example.com")
		n.AllowUnanswered = allowed
		first := storetest.Completed(t, b.DB, b.org, n, "words")
		again, err := b.RetakeInterview(t.Context(), b.by("Ann"), first.ID, store.Retake{})
		if err != nil {
			t.Fatal(err)
		}
		if got := b.head(t, again.ID).AllowUnanswered; got != allowed {
			t.Errorf("the retake of an interview with allow_unanswered %t has %t", allowed, got)
		}
	}
}

// TestInterviewLife takes an interview from its invite to a decision.
func TestInterviewLife(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.interview(t)
	if made.Status != store.InterviewInvited || len(made.Questions) != 2 || len(made.Token.Reveal()) != 43 || *made.TraderEmail != "zoe@example.com" {
		t.Fatalf("made %+v", made.Interview)
	}
	opened, err := b.OpenInvite(t.Context(), made.Token.Reveal())
	if err != nil || opened.Over || opened.Interview.Status != store.InterviewInvited || opened.Interview.OpenedAt == nil {
		t.Fatalf("opened %+v, %v", opened.Interview, err)
	}
	s, i := storetest.Started(t, b.DB, made)
	if i.Status != store.InterviewInProgress || i.CompleteBy.Sub(*i.StartedAt) < 2*time.Hour {
		t.Errorf("started %s, to be complete by %s", i.Status, i.CompleteBy)
	}
	if err := b.SubmitInterview(t.Context(), s); !errors.Is(err, store.ErrUnanswered) {
		t.Errorf("submitted without an answer: %v", err)
	}
	take, _ := storetest.Recorded(t, b.DB, s, i.Questions[0].ID, "bytes of a video")
	if again, err := b.SealTake(t.Context(), s, take.ID, store.Sealing{Bytes: take.Received, DurationMS: 1}); err != nil || *again.DurationMS != 5000 {
		t.Errorf("sealed again: %+v, %v", again, err)
	}
	if written, err := b.SealWritten(t.Context(), s, i.Questions[1].ID, "Nothing."); err != nil || written.Status != store.TakeSealed {
		t.Errorf("written: %+v, %v", written, err)
	}
	if err := b.SubmitInterview(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if err := b.SubmitInterview(t.Context(), s); !errors.Is(err, store.ErrInviteOver) {
		t.Errorf("submitted twice: %v", err)
	}
	i = b.head(t, made.ID)
	if got, want := pipeline(i), "prepare skipped, media queued, transcript pending, subtitles pending, activity queued, report pending"; got != want || i.Status != store.InterviewProcessing {
		t.Errorf("%s: %s", i.Status, got)
	}
	if jobs := one[int](t, b, `SELECT count(*) FROM river_job WHERE kind IN ('interview_media', 'interview_report')`); jobs != 2 {
		t.Errorf("%d jobs", jobs)
	}
	storetestPipeline(t, b, made.ID)
	d, err := b.Interview(t.Context(), b.org, made.ID)
	if err != nil || d.Status != store.InterviewCompleted || d.ReportVersion != 1 || *d.AttentionLevel != "medium" || d.Report == nil || d.Transcript == nil || !d.HasVTT {
		t.Errorf("completed: %+v, %v", d, err)
	}
	if got, want := pipeline(d.Interview), "prepare skipped, media done, transcript done, subtitles done, activity done, report done"; got != want {
		t.Error(got)
	}
	i, err = b.DecideInterview(t.Context(), b.by("Ann"), made.ID, store.DecisionApproved, new("Fine."))
	if err != nil || len(i.Decisions) != 1 || i.Decisions[0].Decision != store.DecisionApproved || i.Decisions[0].DecidedBy != "Ann" {
		t.Errorf("decided: %+v, %v", i.Decisions, err)
	}
}

// storetestPipeline lets every step succeed.
func storetestPipeline(t *testing.T, b bundle, id uuid.UUID) {
	t.Helper()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	claim := func(step store.StepName) store.StepClaim { return storetest.Claim(t, b.DB, b.org, id, step) }
	c := claim(store.StepMedia)
	ok(b.FinishMedia(t.Context(), c, store.MadeMedia{Version: c.NextMediaVersion(), Kind: store.AnswerVideo, DurationMS: 5000, Playlist: "index.m3u8"}))
	ok(b.FinishTranscript(t.Context(), claim(store.StepTranscript), store.MadeTranscript{Engine: "e", Quality: "draft", Transcript: []byte(`{}`)}))
	ok(b.FinishSubtitles(t.Context(), claim(store.StepSubtitles), "WEBVTT\n"))
	ok(b.FinishActivity(t.Context(), claim(store.StepActivity), []byte(`{}`)))
	ok(b.FinishReport(t.Context(), claim(store.StepReport), storetest.Report("hello")))
}

// TestWorkerDiedBeforeItsClaim lets a worker die that has taken a step's job from
// the queue and not yet claimed the step.
func TestWorkerDiedBeforeItsClaim(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := storetest.Submitted(t, b.DB, b.org, storetest.NewInterview("Zoe", "zoe@example.com"))
	take := `UPDATE river_job SET state = 'running', attempt = 1, attempted_by = '{dead}', attempted_at = now() - interval '%d seconds' WHERE args->>'step' = 'media'`
	b.exec(t, fmt.Sprintf(take, 20))
	if n, err := b.RequeueSteps(t.Context()); err != nil || n != 0 {
		t.Fatalf("requeued %d, %v: its worker may still live", n, err)
	}
	b.exec(t, fmt.Sprintf(take, 31))
	if n, err := b.RequeueSteps(t.Context()); err != nil || n != 1 {
		t.Fatalf("requeued %d, %v", n, err)
	}
	if n, err := b.RequeueSteps(t.Context()); err != nil || n != 0 {
		t.Errorf("requeued %d more, %v", n, err)
	}
	old := store.StepJob{InterviewID: made.ID, Step: store.StepMedia, Token: 1}
	if _, err := b.ClaimStep(t.Context(), old, time.Minute); !errors.Is(err, store.ErrFenced) {
		t.Errorf("claimed by the late worker: %v", err)
	}
	storetest.Claim(t, b.DB, b.org, made.ID, store.StepMedia)
}

// TestStepsAreFenced lets two workers have the same step, and one of them be late.
func TestStepsAreFenced(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := storetest.Submitted(t, b.DB, b.org, storetest.NewInterview("Zoe", "zoe@example.com"))
	late := storetest.Claim(t, b.DB, b.org, made.ID, store.StepMedia)
	if _, err := b.ClaimStep(t.Context(), late.StepJob, time.Minute); !errors.Is(err, store.ErrFenced) {
		t.Errorf("claimed by two: %v", err)
	}
	b.exec(t, `UPDATE interview_steps SET leased_until = now() - interval '1 second' WHERE step = 'media'`)
	if n, err := b.RequeueSteps(t.Context()); err != nil || n != 1 {
		t.Fatalf("requeued %d, %v", n, err)
	}
	c := storetest.Claim(t, b.DB, b.org, made.ID, store.StepMedia)
	if c.Attempts != 2 || c.NextMediaVersion() == late.NextMediaVersion() {
		t.Errorf("second claim %+v", c)
	}
	m := store.MadeMedia{Version: 1, Kind: store.AnswerVideo, Playlist: "index.m3u8"}
	for name, err := range map[string]error{
		"finish": b.FinishMedia(t.Context(), late, m), "fail": b.FailStep(t.Context(), late, errors.New("x"), false),
		"give up": b.FailStep(t.Context(), late, errors.New("x"), true), "skip": b.SkipStep(t.Context(), late), "hold": b.HeartbeatStep(t.Context(), late, time.Minute),
	} {
		if !errors.Is(err, store.ErrFenced) {
			t.Errorf("%s by a late worker: %v", name, err)
		}
	}
	if err := b.HeartbeatStep(t.Context(), c, time.Minute); err != nil {
		t.Error(err)
	}
	m.Version = c.NextMediaVersion()
	if err := b.FinishMedia(t.Context(), c, m); err != nil {
		t.Error(err)
	}
	if err := b.FinishMedia(t.Context(), c, m); !errors.Is(err, store.ErrFenced) {
		t.Errorf("finished twice: %v", err)
	}
	if err := b.DeleteInterview(t.Context(), b.by("x"), made.ID); err != nil {
		t.Fatal(err)
	}
	if err := b.FinishMedia(t.Context(), c, m); !errors.Is(err, store.ErrFenced) {
		t.Errorf("finished when it was gone: %v", err)
	}
	if _, err := b.ClaimStep(t.Context(), c.StepJob, time.Minute); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("claimed when it was gone: %v", err)
	}
}

// TestStepsFail tries steps until they are given up.
func TestStepsFail(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := storetest.Submitted(t, b.DB, b.org, storetest.NewInterview("Zoe", "zoe@example.com"))
	fail := func(step store.StepName, hopeless bool) store.Step {
		t.Helper()
		if err := b.FailStep(t.Context(), storetest.Claim(t, b.DB, b.org, made.ID, step), errors.New("no disk"), hopeless); err != nil {
			t.Fatal(err)
		}
		return b.head(t, made.ID).Step(step)
	}
	for n := 1; n < store.StepTries; n++ {
		if s := fail(store.StepActivity, false); s.Status != store.StepQueued || s.Attempts != n || *s.LastError != "no disk" {
			t.Fatalf("try %d: %+v", n, s)
		}
		if due := one[time.Duration](t, b, `SELECT job_at - now() FROM interview_steps WHERE step = 'activity'`); due < 50*time.Second || due > time.Hour {
			t.Errorf("try %d is repeated in %s", n, due)
		}
	}
	if s := fail(store.StepActivity, false); s.Status != store.StepFailed {
		t.Fatalf("after the last try: %+v", s)
	}
	fail(store.StepMedia, true)
	fail(store.StepTranscript, true)
	for range store.StepTries {
		fail(store.StepReport, false)
	}
	if i := b.head(t, made.ID); i.Status != store.InterviewFailed {
		t.Errorf("%s: %s", i.Status, pipeline(i))
	}
	job, err := b.RegenerateReport(t.Context(), b.by("Ann"), made.ID)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := b.RegenerateReport(t.Context(), b.by("Ann"), made.ID); err != nil || again != job {
		t.Errorf("asked again: %s and %s, %v", job, again, err)
	}
	if err := b.FinishActivity(t.Context(), storetest.Claim(t, b.DB, b.org, made.ID, store.StepActivity), []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	fail(store.StepSubtitles, true)
	if _, err := b.RegenerateReport(t.Context(), b.by("Ann"), made.ID); err != nil {
		t.Fatal(err)
	}
	if err := b.FinishActivity(t.Context(), storetest.Claim(t, b.DB, b.org, made.ID, store.StepActivity), []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	fail(store.StepMedia, true)
	fail(store.StepTranscript, true)
	if err := b.FinishReport(t.Context(), storetest.Claim(t, b.DB, b.org, made.ID, store.StepReport), storetest.Report("x")); err != nil {
		t.Fatal(err)
	}
	if i := b.head(t, made.ID); i.Status != store.InterviewCompleted || i.ReportVersion != 1 {
		t.Errorf("after another report: %s, version %d", i.Status, i.ReportVersion)
	}
}

// TestTimeEndsInterviews lets several processes look for what is due.
func TestTimeEndsInterviews(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const each = 10
	made := make(map[string][]uuid.UUID)
	for n := range each {
		email := fmt.Sprintf("t%d@example.com", n)
		expired := storetest.Interview(t, b.DB, b.org, storetest.NewInterview("T", email))
		made["expired"] = append(made["expired"], expired.ID)
		nothing := storetest.Interview(t, b.DB, b.org, storetest.NewInterview("T", email))
		storetest.Started(t, b.DB, nothing)
		made["incomplete"] = append(made["incomplete"], nothing.ID)
		some := storetest.Interview(t, b.DB, b.org, storetest.NewInterview("T", email))
		s, i := storetest.Started(t, b.DB, some)
		storetest.Recorded(t, b.DB, s, i.Questions[1].ID, "x")
		made["processing"] = append(made["processing"], some.ID)
	}
	waiting := b.interview(t)
	b.exec(t, `UPDATE interviews SET invite_expires_at = now() - interval '1 second', complete_by = now() - interval '1 second' WHERE id <> $1`, waiting.ID)
	var (
		mu                sync.Mutex
		expired, finished int
		wg                sync.WaitGroup
	)
	for range 4 {
		wg.Go(func() {
			e, err := b.ExpireInvites(t.Context())
			if err != nil {
				t.Error(err)
			}
			c, err := b.CloseInterviews(t.Context())
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			expired, finished = expired+e, finished+c
		})
	}
	wg.Wait()
	if expired != each || finished != 2*each {
		t.Errorf("%d expired and %d closed, want %d and %d", expired, finished, each, 2*each)
	}
	for status, ids := range made {
		for _, id := range ids {
			if i := b.head(t, id); string(i.Status) != status || i.Partial != (status == "processing") {
				t.Errorf("%s, want %s; partial %v", i.Status, status, i.Partial)
			}
		}
	}
	if i := b.head(t, waiting.ID); i.Status != store.InterviewInvited {
		t.Errorf("one that is not due: %s", i.Status)
	}
	if jobs := one[int](t, b, `SELECT count(*) FROM river_job WHERE args->>'step' = 'media'`); jobs != each {
		t.Errorf("%d jobs for media, want %d", jobs, each)
	}
}

// TestRecordingMayArrive gives what is being recorded when the time is over a
// quarter of an hour.
func TestRecordingMayArrive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, i := storetest.Started(t, b.DB, b.interview(t))
	take, err := b.BeginTake(t.Context(), s, store.NewTake{QuestionID: i.Questions[0].ID, Mode: store.AnswerVideo, MediaType: "video/webm"})
	if err != nil {
		t.Fatal(err)
	}
	b.exec(t, `UPDATE interviews SET complete_by = now() - interval '14 minutes'`)
	if n, err := b.CloseInterviews(t.Context()); err != nil || n != 0 {
		t.Fatalf("%d closed, %v", n, err)
	}
	if _, err := b.BeginTake(t.Context(), s, store.NewTake{QuestionID: i.Questions[1].ID, Mode: store.AnswerVideo}); !errors.Is(err, store.ErrTimeOver) {
		t.Errorf("another take: %v", err)
	}
	if _, err := b.AppendTake(t.Context(), s, take.ID, store.TakePart{Bytes: 5, Blob: "interviews/x/takes/y/0"}, nil); err != nil {
		t.Error(err)
	}
	if _, err := b.SealTake(t.Context(), s, take.ID, store.Sealing{Bytes: 5, DurationMS: 100}); err != nil {
		t.Error(err)
	}
	if n, err := b.CloseInterviews(t.Context()); err != nil || n != 1 {
		t.Errorf("%d closed, %v", n, err)
	}
	if i := b.head(t, i.ID); i.Status != store.InterviewProcessing || !i.Partial {
		t.Errorf("%s, partial %v", i.Status, i.Partial)
	}
}

// TestSecondBrowserTakesOver opens the link in another browser.
func TestSecondBrowserTakesOver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.interview(t)
	first, _ := storetest.Started(t, b.DB, made)
	same, err := b.BeginTrial(t.Context(), made.Token.Reveal(), store.Browser{DeviceHash: []byte("one")})
	if err != nil || !same.Resumed || same.Evicted {
		t.Errorf("the same browser: %+v, %v", same, err)
	}
	other, err := b.BeginTrial(t.Context(), made.Token.Reveal(), store.Browser{DeviceHash: []byte("two")})
	if err != nil || !other.Evicted {
		t.Errorf("another browser: %+v, %v", other, err)
	}
	if err := b.SubmitInterview(t.Context(), first); !errors.Is(err, store.ErrTakenOver) {
		t.Errorf("the first browser goes on: %v", err)
	}
	s, _, err := b.TrialBySecret(t.Context(), other.Secret.Reveal())
	if err != nil || s.Over || s.ID != other.ID {
		t.Errorf("by its cookie: %+v, %v", s, err)
	}
	d, err := b.Interview(t.Context(), b.org, made.ID)
	var kinds []string
	for _, e := range d.AllEvents {
		kinds = append(kinds, e.Kind+" "+e.Severity)
	}
	if diff := cmp.Diff([]string{"session_resumed info", "session_taken_over medium"}, kinds); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := b.ReissueInvite(t.Context(), b.by("x"), made.ID, nil); !errors.Is(err, store.ErrInterviewStarted) {
		t.Errorf("reissued: %v", err)
	}
}

// TestReissueKillsTheOldLink replaces an invite.
func TestReissueKillsTheOldLink(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.interview(t)
	s := storetest.Opened(t, b.DB, made)
	fresh, err := b.ReissueInvite(t.Context(), b.by("Ann"), made.ID, new(5))
	if err != nil || time.Until(fresh.ExpiresAt) > 5*time.Hour {
		t.Fatalf("%+v, %v", fresh, err)
	}
	if o, err := b.OpenInvite(t.Context(), made.Token.Reveal()); err != nil || !o.Over {
		t.Errorf("the old link: over %v, %v", o.Over, err)
	}
	if _, err := b.BeginTrial(t.Context(), made.Token.Reveal(), store.Browser{}); !errors.Is(err, store.ErrInviteOver) {
		t.Errorf("begun by the old link: %v", err)
	}
	if _, err := b.StartInterview(t.Context(), s); !errors.Is(err, store.ErrInviteOver) {
		t.Errorf("started in the old session: %v", err)
	}
	if _, err := b.BeginTrial(t.Context(), "x"+fresh.Token.Reveal()[1:], store.Browser{}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("begun by a link that never was: %v", err)
	}
	if o, err := b.OpenInvite(t.Context(), fresh.Token.Reveal()); err != nil || o.Over || o.Interview.ReissueCount != 1 {
		t.Errorf("the new link: %+v, %v", o, err)
	}
}
