package store_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/storetest"
)

// failing submits an interview of which everything fails but the report, and
// returns how its steps are ended.
func (b bundle) failing(t *testing.T) (id uuid.UUID, end func(store.StepName, bool)) {
	t.Helper()
	id = storetest.Submitted(t, b.DB, b.org, storetest.NewInterview("Zoe", "zoe@example.com")).ID
	end = func(step store.StepName, well bool) {
		t.Helper()
		c := storetest.Claim(t, b.DB, b.org, id, step)
		var err error
		switch {
		case !well:
			err = b.FailStep(t.Context(), c, errors.New("no disk"), true)
		case step == store.StepMedia:
			err = b.FinishMedia(t.Context(), c, store.MadeMedia{Version: c.NextMediaVersion(), Kind: store.AnswerVideo, DurationMS: 5000, Playlist: "index.m3u8"})
		case step == store.StepTranscript:
			err = b.FinishTranscript(t.Context(), c, store.MadeTranscript{Engine: "test", Quality: "draft", Transcript: []byte(`{}`)})
		case step == store.StepSubtitles:
			err = b.FinishSubtitles(t.Context(), c, "WEBVTT\n")
		case step == store.StepActivity:
			err = b.FinishActivity(t.Context(), c, []byte(`{}`))
		case step == store.StepReport:
			err = b.FinishReport(t.Context(), c, storetest.Report("x"))
		}
		if err != nil {
			t.Fatalf("end %s: %v", step, err)
		}
	}
	return id, end
}

// TestFailedRecordingIsTriedAgain: who asks for a report, or for captions, gets
// what has failed before them tried again, once nothing of it is under way.
func TestFailedRecordingIsTriedAgain(t *testing.T) {
	t.Parallel()
	const (
		media, transcript, subtitles, activity, report = store.StepMedia, store.StepTranscript, store.StepSubtitles, store.StepActivity, store.StepReport
		done                                           = "prepare skipped, media done, transcript done, subtitles done, activity done, report done"
	)
	ask := map[string]func(b bundle, id uuid.UUID) (uuid.UUID, error){
		"report": func(b bundle, id uuid.UUID) (uuid.UUID, error) {
			return b.RegenerateReport(t.Context(), b.by("Ann"), id)
		},
		"captions": func(b bundle, id uuid.UUID) (uuid.UUID, error) {
			return b.RequestSubtitles(t.Context(), b.by("Ann"), id)
		},
	}
	for _, tc := range []struct {
		name, ask  string
		transcript bool // there is a transcript without a recording, of what was written
		media      bool
		asked      string
		again      []store.StepName
		version    int
	}{
		{
			"a report without a recording", "report", true, false, "prepare skipped, media queued, transcript pending, subtitles pending, activity queued, report pending",
			[]store.StepName{media, transcript, subtitles, activity, report},
			2,
		},
		{
			"a report without a transcript", "report", false, true, "prepare skipped, media done, transcript queued, subtitles pending, activity queued, report pending",
			[]store.StepName{activity, transcript, report, subtitles},
			2,
		},
		{
			"captions without a recording", "captions", false, false, "prepare skipped, media queued, transcript pending, subtitles pending, activity done, report done",
			[]store.StepName{media, transcript, subtitles},
			1,
		},
		{
			"captions without a transcript", "captions", false, true, "prepare skipped, media done, transcript queued, subtitles pending, activity done, report done",
			[]store.StepName{transcript, subtitles},
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
			if _, err := b.NotePlayback(t.Context(), b.by("Ann"), id, ""); !tc.media && !errors.Is(err, store.ErrMediaProcessing) {
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
			if i := b.head(t, id); pipeline(i) != done || i.ReportVersion != tc.version || i.Status != store.InterviewCompleted {
				t.Errorf("in the end: %s, version %d, %s", pipeline(i), i.ReportVersion, i.Status)
			}
		})
	}
}

// TestPurgedRecordingIsNotTriedAgain: there is nothing to make it of.
func TestPurgedRecordingIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, end := b.failing(t)
	end(store.StepMedia, false)
	end(store.StepTranscript, false)
	end(store.StepSubtitles, false)
	end(store.StepActivity, true)
	end(store.StepReport, true)
	b.exec(t, `UPDATE interviews SET media_purge_at = now()`)
	if _, err := b.PurgeMedia(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.RegenerateReport(t.Context(), b.by("Ann"), id); err != nil {
		t.Fatal(err)
	}
	const want = "prepare skipped, media failed, transcript failed, subtitles failed, activity queued, report pending"
	if got := pipeline(b.head(t, id)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestReportIsAskedForWhileOneIsWritten: the next one waits for what was queued
// meanwhile.
func TestReportIsAskedForWhileOneIsWritten(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, end := b.failing(t)
	end(store.StepMedia, true)
	end(store.StepTranscript, false)
	end(store.StepSubtitles, false)
	end(store.StepActivity, true)
	writing := storetest.Claim(t, b.DB, b.org, id, store.StepReport)
	if _, err := b.RegenerateReport(t.Context(), b.by("Ann"), id); err != nil {
		t.Fatal(err)
	}
	if err := b.FinishReport(t.Context(), writing, storetest.Report("x")); err != nil {
		t.Fatal(err)
	}
	if s := b.head(t, id).Step(store.StepReport); s.Status != store.StepPending || s.JobID == nil {
		t.Errorf("the report is %s before its transcript is there", s.Status)
	}
	for _, step := range []store.StepName{store.StepTranscript, store.StepActivity, store.StepReport} {
		end(step, true)
	}
	if i := b.head(t, id); i.ReportVersion != 2 || i.Step(store.StepReport).Status != store.StepDone {
		t.Errorf("version %d, %s", i.ReportVersion, pipeline(i))
	}
}
