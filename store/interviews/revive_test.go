package interviews_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/review"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/interviews/viewing"
	"github.com/assayhq/assay/store/interviews/worker"
	"github.com/assayhq/assay/store/privacy"
	"github.com/assayhq/assay/store/storetest"
)

// failing submits an interview whose steps all fail except the report, and returns a function that
// ends its steps.
func (b orgDB) failing(t *testing.T) (id uuid.UUID, end func(steps.Name, bool)) {
	t.Helper()
	id = storetest.Submitted(t, b.DB, b.Org, storetest.NewInterview("Zoe", "zoe@example.com")).ID
	end = func(step steps.Name, well bool) {
		t.Helper()
		c := storetest.Claim(t, b.DB, b.Org, id, step)
		var err error
		switch {
		case !well:
			err = worker.Fail(t.Context(), b.DB, c, errors.New("no disk"), true)
		case step == steps.Media:
			err = worker.FinishMedia(t.Context(), b.DB, c, worker.Media{Version: c.NextMediaVersion(), Kind: interviews.AnswerVideo, DurationMS: 5000, Playlist: "index.m3u8"})
		case step == steps.Transcript:
			err = worker.FinishTranscript(t.Context(), b.DB, c, worker.Transcript{Engine: "test", Quality: "draft", Transcript: []byte(`{}`)})
		case step == steps.Subtitles:
			err = worker.FinishSubtitles(t.Context(), b.DB, c, "WEBVTT\n")
		case step == steps.Activity:
			err = worker.FinishActivity(t.Context(), b.DB, c, []byte(`{}`))
		case step == steps.Report:
			err = worker.FinishReport(t.Context(), b.DB, c, storetest.Report("x"))
		}
		if err != nil {
			t.Fatalf("end %s: %v", step, err)
		}
	}
	return id, end
}

// TestFailedRecordingIsTriedAgain checks that a request for a report or captions retries the failed
// steps before them, once none of them is running.
func TestFailedRecordingIsTriedAgain(t *testing.T) {
	t.Parallel()
	const (
		media, transcript, subtitles, activity, report = steps.Media, steps.Transcript, steps.Subtitles, steps.Activity, steps.Report
		done                                           = "prepare skipped, media done, transcript done, subtitles done, activity done, report done"
	)
	ask := map[string]func(b orgDB, id uuid.UUID) (uuid.UUID, error){
		"report": func(b orgDB, id uuid.UUID) (uuid.UUID, error) {
			return review.RegenerateReport(t.Context(), b.DB, b.By("Ann"), id)
		},
		"captions": func(b orgDB, id uuid.UUID) (uuid.UUID, error) {
			return review.RequestSubtitles(t.Context(), b.DB, b.By("Ann"), id)
		},
	}
	for _, tc := range []struct {
		name, ask  string
		transcript bool // there is a transcript of written answers without a recording
		media      bool
		asked      string
		again      []steps.Name
		version    int
	}{
		{
			"a report without a recording", "report", true, false, "prepare skipped, media queued, transcript pending, subtitles pending, activity queued, report pending",
			[]steps.Name{media, transcript, subtitles, activity, report},
			2,
		},
		{
			"a report without a transcript", "report", false, true, "prepare skipped, media done, transcript queued, subtitles pending, activity queued, report pending",
			[]steps.Name{activity, transcript, report, subtitles},
			2,
		},
		{
			"captions without a recording", "captions", false, false, "prepare skipped, media queued, transcript pending, subtitles pending, activity done, report done",
			[]steps.Name{media, transcript, subtitles},
			1,
		},
		{
			"captions without a transcript", "captions", false, true, "prepare skipped, media done, transcript queued, subtitles pending, activity done, report done",
			[]steps.Name{transcript, subtitles},
			1,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			id, end := b.failing(t)
			end(media, tc.media)
			end(transcript, tc.transcript)
			before := pipeline(b.head(t, id))
			if _, err := ask[tc.ask](b, id); err != nil {
				t.Fatal(err)
			}
			if tc.ask == "captions" && pipeline(b.head(t, id)) != before {
				t.Errorf("asked for while it was under way: %s, then %s", before, pipeline(b.head(t, id)))
			}
			end(subtitles, false)
			end(activity, true)
			end(report, true)
			job, err := ask[tc.ask](b, id)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := viewing.RecordPlayback(t.Context(), b.DB, b.By("Ann"), id, ""); !tc.media && !errors.Is(err, viewing.ErrMediaProcessing) {
				t.Errorf("played while the recording is made: %v", err)
			}
			if got := pipeline(b.head(t, id)); got != tc.asked {
				t.Errorf("after the request: %s", got)
			}
			if again, err := ask[tc.ask](b, id); err != nil || again != job || job == uuid.Nil {
				t.Errorf("asked again: job %s, then %s, %v", job, again, err)
			}
			for _, step := range tc.again {
				end(step, true)
			}
			if i := b.head(t, id); pipeline(i) != done || i.ReportVersion != tc.version || i.Status != interviews.Completed {
				t.Errorf("in the end: %s, version %d, %s", pipeline(i), i.ReportVersion, i.Status)
			}
		})
	}
}

// TestPurgedRecordingIsNotTriedAgain checks that a purged recording is not retried, because it
// cannot be made again.
func TestPurgedRecordingIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, end := b.failing(t)
	end(steps.Media, false)
	end(steps.Transcript, false)
	end(steps.Subtitles, false)
	end(steps.Activity, true)
	end(steps.Report, true)
	b.Exec(t, `UPDATE interviews SET media_purge_at = now()`)
	if _, err := privacy.PurgeMedia(t.Context(), b.DB); err != nil {
		t.Fatal(err)
	}
	if _, err := review.RegenerateReport(t.Context(), b.DB, b.By("Ann"), id); err != nil {
		t.Fatal(err)
	}
	const want = "prepare skipped, media failed, transcript failed, subtitles failed, activity queued, report pending"
	if got := pipeline(b.head(t, id)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestReportIsAskedForWhileOneIsWritten checks that the next report waits for what was queued
// meanwhile.
func TestReportIsAskedForWhileOneIsWritten(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, end := b.failing(t)
	end(steps.Media, true)
	end(steps.Transcript, false)
	end(steps.Subtitles, false)
	end(steps.Activity, true)
	writing := storetest.Claim(t, b.DB, b.Org, id, steps.Report)
	if _, err := review.RegenerateReport(t.Context(), b.DB, b.By("Ann"), id); err != nil {
		t.Fatal(err)
	}
	if err := worker.FinishReport(t.Context(), b.DB, writing, storetest.Report("x")); err != nil {
		t.Fatal(err)
	}
	if s := b.head(t, id).Step(steps.Report); s.Status != steps.Pending || s.JobID == nil {
		t.Errorf("the report is %s before its transcript is there", s.Status)
	}
	for _, step := range []steps.Name{steps.Transcript, steps.Activity, steps.Report} {
		end(step, true)
	}
	if i := b.head(t, id); i.ReportVersion != 2 || i.Step(steps.Report).Status != steps.Done {
		t.Errorf("version %d, %s", i.ReportVersion, pipeline(i))
	}
}
