package recording_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/assayhq/assay/internal/interview/media/speech"
	"github.com/assayhq/assay/internal/interview/media/transcript"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/interviews/review"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/interviews/viewing"
	"github.com/assayhq/assay/store/interviews/worker"
	"github.com/assayhq/assay/store/mediatest"
	"github.com/assayhq/assay/store/privacy"
	"github.com/assayhq/assay/store/storetest"
)

// The real programs turn uploaded parts into captions. It takes long because a take is made, encoded and transcribed.
func TestPipeline(t *testing.T) {
	t.Parallel()
	mediatest.Need(t, "pocketsphinx_continuous")
	b := setup(t)
	b.sphinx = "pocketsphinx_continuous"
	id := b.submitted(t, spoken(t, "I never risk more than one percent on a single trade."))
	b.run(t)
	i := b.step(t, id, steps.Subtitles, steps.Done, steps.Failed, steps.Skipped)
	for _, name := range []steps.Name{steps.Media, steps.Transcript, steps.Subtitles} {
		if s := i.Step(name); s.Status != steps.Done || s.Attempts != 1 || s.LastError != nil {
			t.Errorf("step %s: %+v", name, s)
		}
	}
	if m := i.Media; m == nil || m.Kind != interviews.AnswerVideo || m.DurationMS < 2000 || m.Width == nil || *m.Width != 160 || m.Poster == nil {
		t.Fatalf("media: %+v", i.Media)
	}
	if take := i.Answered(i.Questions[0].ID); take.StartMS == nil || *take.StartMS != 0 || *take.EndMS != i.Media.DurationMS {
		t.Errorf("the spoken answer lies from %v to %v", take.StartMS, take.EndMS)
	}
	var made transcript.Transcript
	if err := json.Unmarshal(i.Transcript, &made); err != nil {
		t.Fatal(err)
	}
	last := made.Segments[len(made.Segments)-1]
	if made.Engine != "pocketsphinx" || made.Quality != transcript.Draft || last.Text != "Nothing more, thank you." || last.Engine != transcript.Typed || !strings.Contains(made.Segments[0].Text, "never risk") {
		t.Errorf("transcript: %s", i.Transcript)
	}
	vtt, err := viewing.ReadSubtitles(t.Context(), b.DB, b.Org, id)
	if err != nil || !strings.HasPrefix(vtt, "WEBVTT\n") || !strings.Contains(vtt, "never risk") || strings.Contains(vtt, "Nothing more") {
		t.Errorf("captions, %v:\n%s", err, vtt)
	}
	prefix := interviews.MediaPrefix(id, i.Media.Version)
	got := mediatest.Probe(t, filepath.Join(b.root, prefix, i.Media.Playlist), "-show_entries", "format=duration")
	if len(got) != 1 {
		t.Errorf("ffprobe finds %v", got)
	}
	if left := b.files(t, prefix+"sound"); len(left) > 0 {
		t.Errorf("sound files are left: %v", left)
	}
	if left, err := os.ReadDir(b.workdir); err != nil || len(left) > 0 {
		t.Errorf("working folders are left: %v, %v", left, err)
	}
}

// What picture and sound show, and where the upload differs from the recording, is
// noted with the interview.
func TestObservationsAreNoted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, i := b.interview(t)
	b.record(t, s, i.Questions[0].ID, read(t, mediatest.Make(t, mediatest.Recording{Pattern: "color=black", Sound: "none", Seconds: 6, Size: "160x120"})),
		func(seal *answering.Sealing) { seal.SHA256 = make([]byte, 32) })
	if err := answering.Submit(t.Context(), b.DB, s); err != nil {
		t.Fatal(err)
	}
	b.run(t)
	detail := b.step(t, i.ID, steps.Transcript, steps.Done, steps.Failed, steps.Skipped)
	var kinds []string
	for _, e := range detail.AllEvents {
		if e.SessionID == nil && e.QuestionID != nil && *e.QuestionID == i.Questions[0].ID {
			kinds = append(kinds, e.Kind+" "+e.Severity)
		}
	}
	for _, want := range []string{"upload_rewritten medium", "microphone_lost medium", "camera_dark medium"} {
		if n := len(slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { return k != want })); n != 1 {
			t.Errorf("%q was noted %d times: %v", want, n, kinds)
		}
	}
	if status := detail.Step(steps.Transcript).Status; status != steps.Skipped {
		t.Errorf("the transcript of a film without sound is %s, want skipped", status)
	}
}

func TestNothingRecorded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.written(t)
	b.run(t)
	detail := b.step(t, id, steps.Subtitles, steps.Done, steps.Failed, steps.Skipped)
	var made transcript.Transcript
	if err := json.Unmarshal(detail.Transcript, &made); err != nil || made.Engine != transcript.Typed || len(made.Segments) != 2 {
		t.Errorf("transcript %s, %v; want the two written answers", detail.Transcript, err)
	}
	if m, s := detail.Step(steps.Media).Status, detail.Step(steps.Subtitles).Status; m != steps.Skipped || s != steps.Skipped || detail.Media != nil {
		t.Errorf("media %s, subtitles %s; want both skipped", m, s)
	}
}

// The step gives up at once on a recording that can't be read, and the pipeline continues.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, i := b.interview(t)
	b.record(t, s, i.Questions[0].ID, []byte(strings.Repeat("noise ", 1000)), nil)
	if err := answering.Submit(t.Context(), b.DB, s); err != nil {
		t.Fatal(err)
	}
	b.run(t)
	detail := b.step(t, i.ID, steps.Subtitles, steps.Done, steps.Failed, steps.Skipped)
	m := detail.Step(steps.Media)
	if m.Status != steps.Failed || m.Attempts != 1 || m.LastError == nil || !strings.Contains(*m.LastError, "neither WebM nor MP4") || strings.Contains(*m.LastError, b.workdir) {
		t.Errorf("media: %+v", m)
	}
	if got := detail.Step(steps.Transcript).Status; got != steps.Skipped {
		t.Errorf("transcript is %s, want skipped", got)
	}
	if left := b.files(t, interviews.Prefix(i.ID)+"media"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// A failure that may be temporary is tried again later, and no output of the failed
// try is left. It takes long because ffmpeg encodes a take in each case.
func TestFailureIsTriedAgain(t *testing.T) {
	t.Parallel()
	const encoding = `case "$*" in *concat=n=*) `
	for _, tc := range []struct {
		name, lines, want string
		attempts          int // an outage's do not count
		spoil             func(t *testing.T, b *pipeline, id uuid.UUID)
	}{
		{name: "it fails", lines: encoding + `echo "Cannot allocate memory" >&2; exit 1;; esac; exec ffmpeg "$@"`, want: "Cannot allocate memory", attempts: 1},
		{name: "the folder for temporary files is full", lines: encoding + `echo "No space left on device" >&2; exit 1;; esac; exec ffmpeg "$@"`, want: "No space left on device"},
		{name: "the folder for temporary files is full, and ffmpeg is silent", lines: encoding + `ffmpeg "$@"; truncate -s -100 hls/*0.m4s; exit 0;; esac; exec ffmpeg "$@"`, want: "as on a full disk"},
		{name: "the blob store takes nothing", lines: `exec ffmpeg "$@"`, want: "put", spoil: func(t *testing.T, b *pipeline, id uuid.UUID) {
			t.Helper()
			if err := os.WriteFile(filepath.Join(b.root, interviews.Prefix(id), "media"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.ffmpeg = script(t, tc.lines)
			id := b.submitted(t, spoken(t, "Yes."))
			if tc.spoil != nil {
				tc.spoil(t, b, id)
			}
			b.run(t)
			var i interviews.Detail
			storetest.Within(t, patience, "the step has failed once", func() bool {
				var err error
				if i, err = interviews.Read(t.Context(), b.DB, b.Org, id); err != nil {
					t.Fatal(err)
				}
				return i.Step(steps.Media).LastError != nil
			})
			if s := i.Step(steps.Media); s.Status != steps.Queued || s.Attempts != tc.attempts || !strings.Contains(*s.LastError, tc.want) {
				t.Errorf("media: %+v, %v", s, *s.LastError)
			}
			conn := storetest.Conn(t, b.URL)
			var wait time.Duration
			if err := conn.QueryRow(t.Context(), `SELECT job_at - now() FROM interview_steps WHERE interview_id = $1 AND step = 'media'`, id).Scan(&wait); err != nil || wait < 30*time.Second || wait > time.Minute {
				t.Errorf("the next try is in %s, %v; want a minute", wait, err)
			}
			if left := b.files(t, interviews.Prefix(id)+"media"); tc.spoil == nil && len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// A commit of the made media that fails may have succeeded, so its blobs stay. The next try removes
// those that do not count. It takes long because ffmpeg encodes a take twice.
func TestCommitFails(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.submitted(t, spoken(t, "Yes."))
	conn := storetest.Conn(t, b.URL)
	for _, statement := range []string{
		`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'commit lost'; END $$`,
		`CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON interview_media DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`,
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	b.run(t)
	storetest.Within(t, patience, "the step has failed once", func() bool {
		i, err := interviews.Read(t.Context(), b.DB, b.Org, id)
		if err != nil {
			t.Fatal(err)
		}
		return i.Step(steps.Media).LastError != nil
	})
	if kept := b.files(t, interviews.Prefix(id)+"media"); len(kept) == 0 {
		t.Error("the blobs are gone")
	}
	if _, err := conn.Exec(t.Context(), `DROP TRIGGER refuse ON interview_media; UPDATE interview_steps SET job_at = now() WHERE interview_id = '`+id.String()+`' AND status = 'queued'`); err != nil {
		t.Fatal(err)
	}
	b.step(t, id, steps.Media, steps.Done)
	folders := map[string]bool{}
	for _, name := range b.files(t, interviews.Prefix(id)+"media") {
		rest, _ := strings.CutPrefix(name, interviews.AllMediaPrefix(id))
		version, _, _ := strings.Cut(rest, "/")
		folders[version] = true
	}
	if len(folders) != 1 {
		t.Errorf("folders of media: %v, want one", folders)
	}
}

// Parts that were stored without being noted, as by a process that was killed, are gone when the recording
// is made, and so is a file that was being written.
func TestPartsThatWereNeverNoted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.submitted(t, spoken(t, "Yes."))
	noted := b.files(t, interviews.Prefix(id)+"takes")
	folder := filepath.Dir(noted[0])
	for _, name := range []string{"fegbqe3sa5z7l7x5kltmrqepfh", "lebpuvsenjkgm35cjjsla34aig.18ecba19eba5d888.tmp"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("a"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.run(t)
	b.step(t, id, steps.Media, steps.Done)
	if diff := cmp.Diff(noted, b.files(t, interviews.Prefix(id)+"takes")); diff != "" {
		t.Errorf("files of takes (-noted +there):\n%s", diff)
	}
}

// script makes a program from a few lines of shell.
func script(t *testing.T, lines string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tool")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+lines+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// waiting makes an ffmpeg that signals when it encodes, and continues on a signal.
func waiting(t *testing.T) (path string, begun func(), goOn func()) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"begun", "go"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path = script(t, `case "$*" in *concat=n=*) echo > `+dir+`/begun; cat `+dir+`/go > /dev/null;; esac; exec ffmpeg "$@"`)
	return path, func() { read(t, filepath.Join(dir, "begun")) }, func() {
		if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
			t.Error(err)
		}
	}
}

// An interview that is deleted while its media is made leaves neither a row nor a
// blob.
func TestDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, begun, goOn := waiting(t)
	b.ffmpeg = path
	id := b.submitted(t, spoken(t, "Forget me."))
	stop := b.run(t)
	begun()
	if err := privacy.DeleteInterview(t.Context(), b.DB, store.SystemChange(b.Org), id); err != nil {
		t.Fatal(err)
	}
	goOn()
	want := `# HELP assay_interview_steps_total Attempts at steps of interviews, by outcome.
# TYPE assay_interview_steps_total counter
assay_interview_steps_total{outcome="lost",step="media"} 1
`
	storetest.Within(t, patience, "the worker lets the interview go", func() bool {
		return testutil.GatherAndCompare(b.registry, strings.NewReader(want), "assay_interview_steps_total") == nil
	})
	stop()
	if left := b.files(t, interviews.Prefix(id)+"media"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if _, err := interviews.Read(t.Context(), b.DB, b.Org, id); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the interview: %v", err)
	}
}

// A process that stops releases the step, and the next one claims it at once.
func TestStopGivesBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, begun, _ := waiting(t)
	b.ffmpeg = path
	id := b.submitted(t, spoken(t, "Yes."))
	stop := b.run(t)
	begun()
	stop()
	i, err := interviews.Read(t.Context(), b.DB, b.Org, id)
	if err != nil {
		t.Fatal(err)
	}
	if s := i.Step(steps.Media); s.Status != steps.Queued || s.Attempts != 0 || s.LastError != nil {
		t.Errorf("media: %+v, want queued as if it had not begun", s)
	}
	b.ffmpeg = "ffmpeg"
	b.run(t)
	b.step(t, id, steps.Media, steps.Done)
}

// engine is a speech server as the pipeline sees it.
type engine struct {
	heard []string
	err   error
	busy  chan struct{} // closed when it is free; nil means that it is
}

func (e *engine) Head(language string) transcript.Head {
	return transcript.Head{Engine: "openai", Model: "m", Language: language, Quality: transcript.Standard}
}

func (e *engine) Transcribe(ctx context.Context, s speech.Sound) (*transcript.Recognition, error) {
	if e.busy != nil {
		select {
		case <-e.busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if _, err := os.Stat(s.Path); err != nil {
		return nil, err
	}
	e.heard = append(e.heard, s.Language)
	return &transcript.Recognition{Segments: []transcript.RecognizedSegment{{Start: 0, End: 1, Text: "by the server"}}}, e.err
}

// The organization decides which engine transcribes, and the error for a missing
// engine says what to do.
func TestWhoListens(t *testing.T) {
	if testing.Short() {
		t.Skip("recognizes speech")
	}
	t.Parallel()
	for _, tc := range []struct {
		name   string
		server *engine
		offBox bool
		want   string // in the transcript
		heard  int
		status steps.Status
	}{
		{"the server", &engine{}, true, `"by the server"`, 1, steps.Done},
		{"not allowed, and nobody here", &engine{}, false, "Spoken answers are missing: there is no speech engine: install the packages pocketsphinx and pocketsphinx-en-us where syncd runs, or let the organization's recordings be sent", 0, steps.Failed},
		{"nobody", nil, true, "or set speech.url", 0, steps.Failed},
		{"the server does not know the language", &engine{err: speech.ErrLanguage}, true, "Spoken answers are missing: listen to answer 1: the speech engine does not support the language", 1, steps.Failed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			if tc.server != nil {
				b.server = tc.server
			}
			if _, err := access.UpdateSettings(t.Context(), b.DB, store.SystemChange(b.Org), access.SettingsPatch{OffBoxSpeech: &tc.offBox}); err != nil {
				t.Fatal(err)
			}
			id := b.submitted(t, spoken(t, "Yes."))
			stop := b.run(t)
			i := b.step(t, id, steps.Transcript, steps.Done, steps.Failed)
			stop()
			if got := i.Step(steps.Transcript).Status; got != tc.status {
				t.Errorf("the step is %s, want %s", got, tc.status)
			}
			if !strings.Contains(string(i.Transcript), tc.want) {
				t.Errorf("transcript %s, want %q; %+v", i.Transcript, tc.want, i.Step(steps.Transcript))
			}
			if !strings.Contains(string(i.Transcript), "Nothing more, thank you.") {
				t.Errorf("transcript %s, want the written answer in any case", i.Transcript)
			}
			if tc.server != nil && len(tc.server.heard) != tc.heard {
				t.Errorf("the server has heard %d answers, want %d", len(tc.server.heard), tc.heard)
			}
		})
	}
}

// If the last try to transcribe fails, the written answers are kept, and the spoken ones are
// transcribed when somebody starts the step again.
func TestServerIsAwayToTheLast(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.server = &engine{err: errors.New("nobody answers")}
	if _, err := access.UpdateSettings(t.Context(), b.DB, store.SystemChange(b.Org), access.SettingsPatch{OffBoxSpeech: new(true)}); err != nil {
		t.Fatal(err)
	}
	id := b.submitted(t, spoken(t, "Yes."))
	stop := b.run(t)
	storetest.Within(t, patience, "the first try has failed", func() bool {
		i, err := interviews.Read(t.Context(), b.DB, b.Org, id)
		if err != nil {
			t.Fatal(err)
		}
		s := i.Step(steps.Transcript)
		return s.Status == steps.Queued && s.LastError != nil
	})
	conn := storetest.Conn(t, b.URL)
	if _, err := conn.Exec(t.Context(), `UPDATE interview_steps SET attempts = $1, job_at = now() WHERE step = 'transcript'`, worker.Tries-1); err != nil {
		t.Fatal(err)
	}
	i := b.step(t, id, steps.Transcript, steps.Done, steps.Failed)
	for _, want := range []string{"Spoken answers are missing: listen to answer 1: nobody answers", "Nothing more, thank you."} {
		if !strings.Contains(string(i.Transcript), want) {
			t.Errorf("transcript %s, want %q; %+v", i.Transcript, want, i.Step(steps.Transcript))
		}
	}
	if s := i.Step(steps.Transcript); s.Status != steps.Failed || s.LastError == nil || *s.LastError != "listen to answer 1: nobody answers" {
		t.Errorf("transcript: %+v", s)
	}
	b.step(t, id, steps.Subtitles, steps.Done, steps.Failed, steps.Skipped)
	stop()
	b.server = &engine{}
	if _, err := review.RegenerateReport(t.Context(), b.DB, store.SystemChange(b.Org), id); err != nil {
		t.Fatal(err)
	}
	b.run(t)
	i = b.step(t, id, steps.Transcript, steps.Done)
	if s := i.Step(steps.Transcript); s.LastError != nil || !strings.Contains(string(i.Transcript), "by the server") {
		t.Errorf("transcript %s; %+v", i.Transcript, s)
	}
	b.step(t, id, steps.Subtitles, steps.Done)
	if left := b.files(t, interviews.MediaPrefix(id, i.Media.Version)+"sound"); len(left) > 0 {
		t.Errorf("sound files are left: %v", left)
	}
}

// TestShortStepsDoNotWait makes captions and the transcript of written answers while another
// interview is being transcribed.
func TestShortStepsDoNotWait(t *testing.T) {
	t.Parallel()
	b := setup(t)
	heard := &engine{}
	b.server = heard
	if _, err := access.UpdateSettings(t.Context(), b.DB, store.SystemChange(b.Org), access.SettingsPatch{OffBoxSpeech: new(true)}); err != nil {
		t.Fatal(err)
	}
	first := b.submitted(t, spoken(t, "Yes."))
	stop := b.run(t)
	b.step(t, first, steps.Subtitles, steps.Done)
	stop()
	heard.busy = make(chan struct{})
	second := b.submitted(t, spoken(t, "No."))
	b.run(t)
	defer close(heard.busy)
	b.step(t, second, steps.Transcript, steps.Running)
	if _, err := review.RequestSubtitles(t.Context(), b.DB, store.SystemChange(b.Org), first); err != nil {
		t.Fatal(err)
	}
	b.step(t, first, steps.Subtitles, steps.Done)
	b.step(t, b.written(t), steps.Transcript, steps.Done)
	if s := b.step(t, second, steps.Transcript, steps.Running).Step(steps.Transcript); s.Status != steps.Running {
		t.Errorf("transcript: %+v", s)
	}
}
