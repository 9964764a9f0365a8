package interviews_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/interviews/invite"
	"github.com/assayhq/assay/store/interviews/review"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/interviews/worker"
	"github.com/assayhq/assay/store/privacy"
	"github.com/assayhq/assay/store/storetest"
)

// head reads an interview.
func (b orgDB) head(t *testing.T, id uuid.UUID) interviews.Interview {
	t.Helper()
	i, err := interviews.ReadHead(t.Context(), b.DB, b.Org, id)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// interview creates an interview with Zoe.
func (b orgDB) interview(t *testing.T) invite.Made {
	t.Helper()
	return storetest.Interview(t, b.DB, b.Org, storetest.NewInterview("Zoe Miller", "zoe@example.com"))
}

// pipeline returns the state of an interview's steps as text.
func pipeline(i interviews.Interview) string {
	var steps []string
	for _, s := range i.Steps {
		steps = append(steps, fmt.Sprintf("%s %s", s.Step, s.Status))
	}
	return strings.Join(steps, ", ")
}

// TestRetakeKeepsAllowUnanswered checks that a retake keeps the firm's choice whether a question
// may be left unanswered.
func TestRetakeKeepsAllowUnanswered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, allowed := range []bool{false, true} {
		n := storetest.NewInterview("Zoe Miller", "zoe@example.com")
		n.AllowUnanswered = allowed
		first := storetest.Completed(t, b.DB, b.Org, n, "words")
		again, err := invite.CreateRetake(t.Context(), b.DB, b.By("Ann"), first.ID, invite.Retake{})
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
	if made.Status != interviews.Invited || len(made.Questions) != 2 || len(made.Token.Reveal()) != 43 || *made.TraderEmail != "zoe@example.com" {
		t.Fatalf("made %+v", made.Interview)
	}
	opened, err := answering.OpenInvite(t.Context(), b.DB, made.Token.Reveal())
	if err != nil || opened.Over || opened.Interview.Status != interviews.Invited || opened.Interview.OpenedAt == nil {
		t.Fatalf("opened %+v, %v", opened.Interview, err)
	}
	s, i := storetest.Started(t, b.DB, made)
	if i.Status != interviews.InProgress || i.CompleteBy.Sub(*i.StartedAt) < 2*time.Hour {
		t.Errorf("started %s, to be complete by %s", i.Status, i.CompleteBy)
	}
	if err := answering.Submit(t.Context(), b.DB, s); !errors.Is(err, answering.ErrUnanswered) {
		t.Errorf("submitted without an answer: %v", err)
	}
	take, _ := storetest.Recorded(t, b.DB, s, i.Questions[0].ID, "bytes of a video")
	if again, err := answering.SealTake(t.Context(), b.DB, s, take.ID, answering.Sealing{Bytes: take.Received, DurationMS: 1}); err != nil || *again.DurationMS != 5000 {
		t.Errorf("sealed again: %+v, %v", again, err)
	}
	if written, err := answering.SealWritten(t.Context(), b.DB, s, i.Questions[1].ID, "Nothing."); err != nil || written.Status != interviews.TakeSealed {
		t.Errorf("written: %+v, %v", written, err)
	}
	if err := answering.Submit(t.Context(), b.DB, s); err != nil {
		t.Fatal(err)
	}
	if err := answering.Submit(t.Context(), b.DB, s); !errors.Is(err, interviews.ErrInviteOver) {
		t.Errorf("submitted twice: %v", err)
	}
	i = b.head(t, made.ID)
	if got, want := pipeline(i), "prepare skipped, media queued, transcript pending, subtitles pending, activity queued, report pending"; got != want || i.Status != interviews.Processing {
		t.Errorf("%s: %s", i.Status, got)
	}
	if due, _, err := worker.CountDue(t.Context(), b.DB, worker.Selection{Steps: steps.All()}); err != nil || due != 2 {
		t.Errorf("%d steps are due, %v", due, err)
	}
	storetestPipeline(t, b, made.ID)
	d, err := interviews.Read(t.Context(), b.DB, b.Org, made.ID)
	if err != nil || d.Status != interviews.Completed || d.ReportVersion != 1 || *d.AttentionLevel != "medium" || d.Report == nil || d.Transcript == nil || !d.HasVTT {
		t.Errorf("completed: %+v, %v", d, err)
	}
	if got, want := pipeline(d.Interview), "prepare skipped, media done, transcript done, subtitles done, activity done, report done"; got != want {
		t.Error(got)
	}
	i, err = review.Decide(t.Context(), b.DB, b.By("Ann"), made.ID, interviews.DecisionApproved, new("Fine."))
	if err != nil || len(i.Decisions) != 1 || i.Decisions[0].Decision != interviews.DecisionApproved || i.Decisions[0].DecidedBy != "Ann" {
		t.Errorf("decided: %+v, %v", i.Decisions, err)
	}
}

// storetestPipeline completes every step.
func storetestPipeline(t *testing.T, b orgDB, id uuid.UUID) {
	t.Helper()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	claim := func(step steps.Name) worker.Claim { return storetest.Claim(t, b.DB, b.Org, id, step) }
	c := claim(steps.Media)
	ok(worker.FinishMedia(t.Context(), b.DB, c, worker.Media{Version: c.NextMediaVersion(), Kind: interviews.AnswerVideo, DurationMS: 5000, Playlist: "index.m3u8"}))
	ok(worker.FinishTranscript(t.Context(), b.DB, claim(steps.Transcript), worker.Transcript{Engine: "e", Quality: "draft", Transcript: []byte(`{}`)}))
	ok(worker.FinishSubtitles(t.Context(), b.DB, claim(steps.Subtitles), "WEBVTT\n"))
	ok(worker.FinishActivity(t.Context(), b.DB, claim(steps.Activity), []byte(`{}`)))
	ok(worker.FinishReport(t.Context(), b.DB, claim(steps.Report), storetest.Report("hello")))
}

// TestStepsAreFenced gives two workers the same step, one of which is late.
func TestStepsAreFenced(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := storetest.Submitted(t, b.DB, b.Org, storetest.NewInterview("Zoe", "zoe@example.com"))
	late := storetest.Claim(t, b.DB, b.Org, made.ID, steps.Media)
	if _, err := worker.ClaimOne(t.Context(), b.DB, made.ID, steps.Media, time.Minute); !errors.Is(err, store.ErrFenced) {
		t.Errorf("claimed by two: %v", err)
	}
	b.Exec(t, `UPDATE interview_steps SET leased_until = now() - interval '1 second' WHERE step = 'media'`)
	c := storetest.Claim(t, b.DB, b.Org, made.ID, steps.Media)
	if c.Attempts != 2 || !c.Revived || late.Revived || c.NextMediaVersion() == late.NextMediaVersion() {
		t.Errorf("second claim %+v", c)
	}
	m := worker.Media{Version: 1, Kind: interviews.AnswerVideo, Playlist: "index.m3u8"}
	for name, err := range map[string]error{
		"finish": worker.FinishMedia(t.Context(), b.DB, late, m), "fail": worker.Fail(t.Context(), b.DB, late, errors.New("x"), false),
		"give up": worker.Fail(t.Context(), b.DB, late, errors.New("x"), true), "skip": worker.Skip(t.Context(), b.DB, late), "hold": worker.Heartbeat(t.Context(), b.DB, late, time.Minute),
	} {
		if !errors.Is(err, store.ErrFenced) {
			t.Errorf("%s by a late worker: %v", name, err)
		}
	}
	if err := worker.Heartbeat(t.Context(), b.DB, c, time.Minute); err != nil {
		t.Error(err)
	}
	m.Version = c.NextMediaVersion()
	if err := worker.FinishMedia(t.Context(), b.DB, c, m); err != nil {
		t.Error(err)
	}
	if err := worker.FinishMedia(t.Context(), b.DB, c, m); !errors.Is(err, store.ErrFenced) {
		t.Errorf("finished twice: %v", err)
	}
	if err := privacy.DeleteInterview(t.Context(), b.DB, b.By("x"), made.ID); err != nil {
		t.Fatal(err)
	}
	if err := worker.FinishMedia(t.Context(), b.DB, c, m); !errors.Is(err, store.ErrFenced) {
		t.Errorf("finished when it was gone: %v", err)
	}
	if _, err := worker.ClaimOne(t.Context(), b.DB, made.ID, steps.Media, time.Minute); !errors.Is(err, store.ErrFenced) {
		t.Errorf("claimed when it was gone: %v", err)
	}
}

// TestStepsFail retries steps until they are given up.
func TestStepsFail(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := storetest.Submitted(t, b.DB, b.Org, storetest.NewInterview("Zoe", "zoe@example.com"))
	fail := func(step steps.Name, permanent bool) steps.Step {
		t.Helper()
		if err := worker.Fail(t.Context(), b.DB, storetest.Claim(t, b.DB, b.Org, made.ID, step), errors.New("no disk"), permanent); err != nil {
			t.Fatal(err)
		}
		return b.head(t, made.ID).Step(step)
	}
	for n := 1; n < worker.Tries; n++ {
		if s := fail(steps.Activity, false); s.Status != steps.Queued || s.Attempts != n || *s.LastError != "no disk" {
			t.Fatalf("try %d: %+v", n, s)
		}
		if due := storetest.One[time.Duration](t, b.Conn, `SELECT job_at - now() FROM interview_steps WHERE step = 'activity'`); due < 50*time.Second || due > time.Hour {
			t.Errorf("try %d is repeated in %s", n, due)
		}
	}
	if s := fail(steps.Activity, false); s.Status != steps.Failed {
		t.Fatalf("after the last try: %+v", s)
	}
	fail(steps.Media, true)
	fail(steps.Transcript, true)
	for range worker.Tries {
		fail(steps.Report, false)
	}
	if i := b.head(t, made.ID); i.Status != interviews.Failed {
		t.Errorf("%s: %s", i.Status, pipeline(i))
	}
	job, err := review.RegenerateReport(t.Context(), b.DB, b.By("Ann"), made.ID)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := review.RegenerateReport(t.Context(), b.DB, b.By("Ann"), made.ID); err != nil || again != job {
		t.Errorf("asked again: %s and %s, %v", job, again, err)
	}
	if err := worker.FinishActivity(t.Context(), b.DB, storetest.Claim(t, b.DB, b.Org, made.ID, steps.Activity), []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	fail(steps.Subtitles, true)
	if _, err := review.RegenerateReport(t.Context(), b.DB, b.By("Ann"), made.ID); err != nil {
		t.Fatal(err)
	}
	if err := worker.FinishActivity(t.Context(), b.DB, storetest.Claim(t, b.DB, b.Org, made.ID, steps.Activity), []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	fail(steps.Media, true)
	fail(steps.Transcript, true)
	report := storetest.Report("x")
	report.Activity = nil
	if err := worker.FinishReport(t.Context(), b.DB, storetest.Claim(t, b.DB, b.Org, made.ID, steps.Report), report); err != nil {
		t.Fatal(err)
	}
	if n := storetest.One[int](t, b.Conn, `SELECT count(*) FROM interview_activities WHERE interview_id = $1`, made.ID); n != 1 {
		t.Errorf("%d analyses after a report without one, want the earlier one", n)
	}
	if i := b.head(t, made.ID); i.Status != interviews.Completed || i.ReportVersion != 1 {
		t.Errorf("after another report: %s, version %d", i.Status, i.ReportVersion)
	}
}

// TestOutage checks how a step waits for a disk or a server: with growing pauses, without using up its
// attempts, visible to operators, and not forever.
func TestOutage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := storetest.Submitted(t, b.DB, b.Org, storetest.NewInterview("Zoe", "zoe@example.com"))
	away := errors.New("the bucket does not answer")
	meet := func(outage string) (steps.Step, time.Duration) {
		t.Helper()
		b.Exec(t, `UPDATE interview_steps SET outage_since = now() - $1::interval WHERE step = 'media'`, outage)
		if err := worker.Postpone(t.Context(), b.DB, storetest.Claim(t, b.DB, b.Org, made.ID, steps.Media), away); err != nil {
			t.Fatal(err)
		}
		i := b.head(t, made.ID)
		return i.Step(steps.Media), storetest.One[time.Duration](t, b.Conn, `SELECT coalesce(job_at - now(), '0') FROM interview_steps WHERE step = 'media'`)
	}
	waiting := func() int64 {
		t.Helper()
		n, err := worker.CountOutages(t.Context(), b.DB, worker.Selection{Steps: steps.All()})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := waiting(); n != 0 {
		t.Errorf("%d wait in an outage before it begins", n)
	}
	for _, tc := range []struct {
		outage string
		delay  time.Duration
	}{{"0 seconds", time.Minute}, {"10 seconds", time.Minute}, {"5 minutes", 5 * time.Minute}, {"20 hours", 15 * time.Minute}} {
		s, delay := meet(tc.outage)
		if s.Status != steps.Queued || s.Attempts != 0 || *s.LastError != away.Error() {
			t.Errorf("after %s: %+v", tc.outage, s)
		}
		if off := tc.delay - delay; off.Abs() > 10*time.Second {
			t.Errorf("after %s the next attempt is in %s, want %s", tc.outage, delay, tc.delay)
		}
	}
	if n := waiting(); n != 1 {
		t.Errorf("%d wait in an outage, want 1", n)
	}
	// A failure of its own shows that the outage is over.
	if err := worker.Fail(t.Context(), b.DB, storetest.Claim(t, b.DB, b.Org, made.ID, steps.Media), errors.New("too loud"), false); err != nil {
		t.Fatal(err)
	}
	if n := waiting(); n != 0 {
		t.Errorf("%d wait in an outage that is over", n)
	}
	if s, _ := meet("48 hours"); s.Status != steps.Failed || *s.LastError != away.Error() {
		t.Errorf("after two days: %+v", s)
	}
	// Somebody has repaired it, and starts again.
	for _, step := range []steps.Name{steps.Transcript, steps.Subtitles} {
		if err := worker.Skip(t.Context(), b.DB, storetest.Claim(t, b.DB, b.Org, made.ID, step)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := review.RegenerateReport(t.Context(), b.DB, b.By("Ann"), made.ID); err != nil {
		t.Fatal(err)
	}
	if c := storetest.Claim(t, b.DB, b.Org, made.ID, steps.Media); c.Attempts != 1 || c.OutageSince != nil {
		t.Errorf("started again: %+v", c)
	}
}

// TestTimeEndsInterviews looks for due interviews from several processes.
func TestTimeEndsInterviews(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const each = 10
	made := make(map[string][]uuid.UUID)
	for n := range each {
		email := fmt.Sprintf("t%d@example.com", n)
		expired := storetest.Interview(t, b.DB, b.Org, storetest.NewInterview("T", email))
		made["expired"] = append(made["expired"], expired.ID)
		nothing := storetest.Interview(t, b.DB, b.Org, storetest.NewInterview("T", email))
		storetest.Started(t, b.DB, nothing)
		made["incomplete"] = append(made["incomplete"], nothing.ID)
		some := storetest.Interview(t, b.DB, b.Org, storetest.NewInterview("T", email))
		s, i := storetest.Started(t, b.DB, some)
		storetest.Recorded(t, b.DB, s, i.Questions[1].ID, "x")
		made["processing"] = append(made["processing"], some.ID)
	}
	waiting := b.interview(t)
	b.Exec(t, `UPDATE interviews SET invite_expires_at = now() - interval '1 second', complete_by = now() - interval '1 second' WHERE id <> $1`, waiting.ID)
	var (
		mu                sync.Mutex
		expired, finished int
		wg                sync.WaitGroup
	)
	for range 4 {
		wg.Go(func() {
			e, err := invite.Expire(t.Context(), b.DB)
			if err != nil {
				t.Error(err)
			}
			c, err := answering.CloseOverdue(t.Context(), b.DB)
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
	if i := b.head(t, waiting.ID); i.Status != interviews.Invited {
		t.Errorf("one that is not due: %s", i.Status)
	}
	if jobs := storetest.One[int](t, b.Conn, `SELECT count(*) FROM interview_steps WHERE step = 'media' AND status = 'queued'`); jobs != each {
		t.Errorf("media is queued for %d, want %d", jobs, each)
	}
}

// TestAllDueInterviewsAreReached has more interviews due than one query reads, of which the first
// always fail.
func TestAllDueInterviewsAreReached(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.interview(t)
	const due, failing = 450, 250
	b.Exec(t, `UPDATE interviews SET invite_expires_at = now() - interval '1 hour'`)
	b.Exec(t, `INSERT INTO interviews SELECT (jsonb_populate_record(i, jsonb_build_object('id', gen_random_uuid(), 'reference', 'due-' || n))).* FROM interviews AS i, generate_series(2, $1) AS n`, due)
	calls := map[uuid.UUID]int{}
	changed, err := interviews.ForEachDue(t.Context(), b.DB, `SELECT id, organization_id, invite_expires_at AS at FROM interviews`,
		func(_ context.Context, _ *store.Tx, id uuid.UUID) (bool, error) {
			if calls[id]++; len(calls) <= failing {
				return false, errors.New("always fails")
			}
			return true, nil
		})
	if changed != due-failing || len(calls) != due {
		t.Errorf("%d of %d reached, %d changed, want %d", len(calls), due, changed, due-failing)
	}
	for id, n := range calls {
		if n != 1 {
			t.Errorf("interview %s was processed %d times", id, n)
		}
	}
	if err == nil || !strings.Contains(err.Error(), "always fails") || strings.Count(err.Error(), "\n") > 20 {
		t.Errorf("errors: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	n := 0
	_, err = interviews.ForEachDue(ctx, b.DB, `SELECT id, organization_id, invite_expires_at AS at FROM interviews`,
		func(context.Context, *store.Tx, uuid.UUID) (bool, error) { n++; stop(); return true, nil })
	if n != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context %d were processed, %v", n, err)
	}
}

// beginRecording starts an interview, and a recording of its first answer.
func (b orgDB) beginRecording(t *testing.T) (answering.Session, interviews.Interview, interviews.Take) {
	t.Helper()
	s, i := storetest.Started(t, b.DB, b.interview(t))
	take, err := answering.BeginTake(t.Context(), b.DB, s, answering.NewTake{QuestionID: i.Questions[0].ID, Mode: interviews.AnswerVideo, MediaType: "video/webm"})
	if err != nil {
		t.Fatal(err)
	}
	return s, i, take
}

// TestRecordingMayArrive checks that a recording may arrive up to a quarter of an hour after the
// time is over.
func TestRecordingMayArrive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, i, take := b.beginRecording(t)
	b.Exec(t, `UPDATE interviews SET complete_by = now() - interval '14 minutes'`)
	if n, err := answering.CloseOverdue(t.Context(), b.DB); err != nil || n != 0 {
		t.Fatalf("%d closed, %v", n, err)
	}
	if _, err := answering.BeginTake(t.Context(), b.DB, s, answering.NewTake{QuestionID: i.Questions[1].ID, Mode: interviews.AnswerVideo}); !errors.Is(err, answering.ErrTimeOver) {
		t.Errorf("another take: %v", err)
	}
	if _, err := answering.AppendTake(t.Context(), b.DB, s, take.ID, answering.TakePart{Bytes: 5, Blob: "interviews/x/takes/y/0"}, nil); err != nil {
		t.Error(err)
	}
	if _, err := answering.SealTake(t.Context(), b.DB, s, take.ID, answering.Sealing{Bytes: 5, DurationMS: 100}); err != nil {
		t.Error(err)
	}
	if n, err := answering.CloseOverdue(t.Context(), b.DB); err != nil || n != 1 {
		t.Errorf("%d closed, %v", n, err)
	}
	if i := b.head(t, i.ID); i.Status != interviews.Processing || !i.Partial {
		t.Errorf("%s, partial %v", i.Status, i.Partial)
	}
}

// TestWholeRecordingCounts checks that a recording that arrived whole is an answer, even if the browser
// was closed before it could seal it.
func TestWholeRecordingCounts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, i, take := b.beginRecording(t)
	if _, err := answering.AppendTake(t.Context(), b.DB, s, take.ID, answering.TakePart{Bytes: 5, Blob: "interviews/x/takes/y/0"}, new(int64(5))); err != nil {
		t.Fatal(err)
	}
	if n, err := answering.CloseOverdue(t.Context(), b.DB); err != nil || n != 0 {
		t.Fatalf("%d closed before the time is over, %v", n, err)
	}
	b.Exec(t, `UPDATE interviews SET complete_by = now() - interval '16 minutes'`)
	if n, err := answering.CloseOverdue(t.Context(), b.DB); err != nil || n != 1 {
		t.Fatalf("%d closed, %v", n, err)
	}
	if i := b.head(t, i.ID); i.Status != interviews.Processing || !i.Partial || i.Answered(i.Questions[0].ID) == nil {
		t.Errorf("%s, partial %v, answers %+v", i.Status, i.Partial, i.Takes)
	}
}

// TestSecondBrowserTakesOver opens the link in another browser.
func TestSecondBrowserTakesOver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.interview(t)
	first, _ := storetest.Started(t, b.DB, made)
	same, err := answering.BeginSession(t.Context(), b.DB, made.Token.Reveal(), answering.Browser{DeviceHash: []byte("one")})
	if err != nil || !same.Resumed || same.Evicted {
		t.Errorf("the same browser: %+v, %v", same, err)
	}
	other, err := answering.BeginSession(t.Context(), b.DB, made.Token.Reveal(), answering.Browser{DeviceHash: []byte("two")})
	if err != nil || !other.Evicted {
		t.Errorf("another browser: %+v, %v", other, err)
	}
	if err := answering.Submit(t.Context(), b.DB, first); !errors.Is(err, answering.ErrTakenOver) {
		t.Errorf("the first browser goes on: %v", err)
	}
	s, err := answering.FindSession(t.Context(), b.DB, other.Secret.Reveal())
	if err != nil || s.Over || s.ID != other.ID {
		t.Errorf("by its cookie: %+v, %v", s, err)
	}
	d, err := interviews.Read(t.Context(), b.DB, b.Org, made.ID)
	var kinds []string
	for _, e := range d.AllEvents {
		kinds = append(kinds, e.Kind+" "+e.Severity)
	}
	if diff := cmp.Diff([]string{"session_resumed info", "session_taken_over medium"}, kinds); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := invite.Reissue(t.Context(), b.DB, b.By("x"), made.ID, nil); !errors.Is(err, interviews.ErrStarted) {
		t.Errorf("reissued: %v", err)
	}
}

// otherToken returns a token of the same form with another first character.
func otherToken(token string) string {
	if token[0] == 'x' {
		return "y" + token[1:]
	}
	return "x" + token[1:]
}

// TestReissueKillsTheOldLink replaces an invite.
func TestReissueKillsTheOldLink(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.interview(t)
	s := storetest.Opened(t, b.DB, made)
	fresh, err := invite.Reissue(t.Context(), b.DB, b.By("Ann"), made.ID, new(5))
	if err != nil || time.Until(fresh.ExpiresAt) > 5*time.Hour {
		t.Fatalf("%+v, %v", fresh, err)
	}
	if o, err := answering.OpenInvite(t.Context(), b.DB, made.Token.Reveal()); err != nil || !o.Over {
		t.Errorf("the old link: over %v, %v", o.Over, err)
	}
	if _, err := answering.BeginSession(t.Context(), b.DB, made.Token.Reveal(), answering.Browser{}); !errors.Is(err, interviews.ErrInviteOver) {
		t.Errorf("begun by the old link: %v", err)
	}
	if _, err := answering.Start(t.Context(), b.DB, s); !errors.Is(err, interviews.ErrInviteOver) {
		t.Errorf("started in the old session: %v", err)
	}
	if _, err := answering.BeginSession(t.Context(), b.DB, otherToken(fresh.Token.Reveal()), answering.Browser{}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("begun by a link that never was: %v", err)
	}
	if o, err := answering.OpenInvite(t.Context(), b.DB, fresh.Token.Reveal()); err != nil || o.Over || o.Interview.ReissueCount != 1 {
		t.Errorf("the new link: %+v, %v", o, err)
	}
}
