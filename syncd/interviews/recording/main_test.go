package recording_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/internal/interview/media"
	"github.com/assayhq/assay/internal/interview/media/speech"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/mediatest"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/work"
	"github.com/assayhq/assay/syncd/interviews/recording"
	"github.com/assayhq/assay/syncd/interviews/step"
)

// patience is how long a step may take on a busy machine.
const patience = 10 * time.Minute

func TestMain(m *testing.M) {
	storetest.ServeChild(workOn)
	goleak.VerifyTestMain(storetest.Suite{M: m})
}

// pipeline makes recordings of an organization in a store for blobs.
type pipeline struct {
	storetest.OrgDB
	root     string // folder of the blobs
	blobs    *blob.Bucket
	ffmpeg   string // program; default the real one
	sphinx   string // program; default none
	server   speech.Engine
	workdir  string
	registry *prometheus.Registry // of the pool that was made last
}

func setup(t *testing.T) *pipeline {
	t.Helper()
	mediatest.Need(t, "ffmpeg", "ffprobe", "flite")
	b := &pipeline{OrgDB: storetest.NewOrgDB(t), root: t.TempDir(), workdir: t.TempDir(), ffmpeg: "ffmpeg"}
	var err error
	if b.blobs, err = blob.Open(t.Context(), "file://"+b.root); err != nil {
		t.Fatal(err)
	}
	return b
}

// interview makes an interview whose questions wait for answers, with a session of
// its trader.
func (b *pipeline) interview(t *testing.T) (answering.Session, interviews.Interview) {
	t.Helper()
	return storetest.Started(t, b.DB, storetest.Interview(t, b.DB, b.Org, storetest.NewInterview("Ada", "ada@example.com")))
}

// record seals a recording as the answer, uploaded in three parts.
func (b *pipeline) record(t *testing.T, s answering.Session, question uuid.UUID, recording []byte, tamper func(*answering.Sealing)) {
	t.Helper()
	take, err := answering.BeginTake(t.Context(), b.DB, s, answering.NewTake{QuestionID: question, Mode: interviews.AnswerVideo, MediaType: "video/webm"})
	if err != nil {
		t.Fatal(err)
	}
	for at, third := 0, len(recording)/3+1; at < len(recording); at += third {
		part := recording[at:min(at+third, len(recording))]
		key := interviews.TakePrefix(s.InterviewID, take.ID) + uuid.NewString()
		if _, err := b.blobs.Put(t.Context(), key, bytes.NewReader(part)); err != nil {
			t.Fatal(err)
		}
		if _, err := answering.AppendTake(t.Context(), b.DB, s, take.ID, answering.TakePart{Offset: int64(at), Bytes: int64(len(part)), Blob: key}, nil); err != nil {
			t.Fatal(err)
		}
	}
	sum := sha256.Sum256(recording)
	sealing := answering.Sealing{Bytes: int64(len(recording)), SHA256: sum[:], DurationMS: 3000}
	if tamper != nil {
		tamper(&sealing)
	}
	if _, err := answering.SealTake(t.Context(), b.DB, s, take.ID, sealing); err != nil {
		t.Fatal(err)
	}
}

// submitted makes an interview whose first answer was spoken and whose second was
// written.
func (b *pipeline) submitted(t *testing.T, recording []byte) uuid.UUID {
	t.Helper()
	s, i := b.interview(t)
	b.record(t, s, i.Questions[0].ID, recording, nil)
	if _, err := answering.SealWritten(t.Context(), b.DB, s, i.Questions[1].ID, "Nothing more, thank you."); err != nil {
		t.Fatal(err)
	}
	if err := answering.Submit(t.Context(), b.DB, s); err != nil {
		t.Fatal(err)
	}
	return i.ID
}

// written makes a submitted interview whose answers are all in writing.
func (b *pipeline) written(t *testing.T) uuid.UUID {
	t.Helper()
	s, i := b.interview(t)
	for _, q := range i.Questions {
		if _, err := answering.SealWritten(t.Context(), b.DB, s, q.ID, "In writing."); err != nil {
			t.Fatal(err)
		}
	}
	if err := answering.Submit(t.Context(), b.DB, s); err != nil {
		t.Fatal(err)
	}
	return i.ID
}

// spoken makes a recording in which the text is said.
func spoken(t *testing.T, text string) []byte {
	t.Helper()
	return read(t, mediatest.Make(t, mediatest.Recording{Text: text, Size: "160x120", Rate: 10}))
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// run works steps until stop is called or the test ends.
func (b *pipeline) run(t *testing.T) (stop func()) {
	t.Helper()
	q, err := b.pool(t.Context(), 20*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- q.Run(ctx) }()
	stopped := false
	stop = func() {
		if cancel(); stopped {
			return
		}
		stopped = true
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("queue: %v", err)
		}
	}
	t.Cleanup(stop)
	return stop
}

// pool returns what works on the steps in a process.
func (b *pipeline) pool(ctx context.Context, lease time.Duration) (*work.Pool, error) {
	tools, err := media.FindTools(ctx, b.ffmpeg, "ffprobe")
	if err != nil {
		return nil, err
	}
	log := slog.New(slog.DiscardHandler)
	if os.Getenv("ASSAY_TEST_LOG") != "" {
		log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	b.registry = prometheus.NewRegistry()
	steps := step.New(step.Config{Store: b.DB, Registerer: b.registry, Log: log, Lease: lease})
	c := recording.Config{
		Steps: steps, Store: b.DB, Blobs: b.blobs, Server: b.server, Registerer: prometheus.NewRegistry(),
		Log: log, Slots: 1, Workdir: b.workdir,
	}
	found := recording.Tools{Producer: media.NewProducer(tools)}
	if b.sphinx != "" {
		if found.Local, err = speech.FindPocketsphinx(ctx, b.sphinx); err != nil {
			return nil, err
		}
	}
	p := recording.New(c)
	p.SetTools(found)
	return work.New(work.Config{Registerer: prometheus.NewRegistry(), Log: c.Log, Kinds: p.Kinds()}), nil
}

// step waits until a step has a status and returns the interview then.
func (b *pipeline) step(t *testing.T, id uuid.UUID, name steps.Name, want ...steps.Status) interviews.Detail {
	t.Helper()
	var i interviews.Detail
	defer func() {
		if t.Failed() {
			b.logSteps(t, id)
		}
	}()
	storetest.Within(t, patience, "step "+string(name)+" is "+string(want[0]), func() bool {
		var err error
		if i, err = interviews.Read(t.Context(), b.DB, b.Org, id); err != nil {
			t.Fatal(err)
		}
		for _, status := range want {
			if i.Step(name).Status == status {
				return true
			}
		}
		return false
	})
	return i
}

// logSteps logs the steps of an interview, which says whether one waits to be tried
// again, and why.
func (b *pipeline) logSteps(t *testing.T, id uuid.UUID) {
	t.Helper()
	i, err := interviews.Read(context.WithoutCancel(t.Context()), b.DB, b.Org, id)
	if err != nil {
		t.Log(err)
	}
	for _, s := range i.Steps {
		t.Logf("step %s is %s after %d attempts, last error %q", s.Step, s.Status, s.Attempts, store.Deref(s.LastError))
	}
}

// files returns the files in the blob store below a prefix.
func (b *pipeline) files(t *testing.T, prefix string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(filepath.Join(b.root, filepath.FromSlash(prefix)), func(path string, entry os.DirEntry, err error) error {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err == nil && !entry.IsDir() {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
