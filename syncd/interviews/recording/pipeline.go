// Package recording works the steps media, transcript and subtitles of interviews
// that traders have submitted.
//
// How steps are claimed, held and written once is package step's. Blobs are
// written below a prefix that no other claim has, before the rows that name them;
// a claim that is lost, as when the interview is deleted meanwhile, removes its
// own.
package recording

import (
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/internal/interview/media"
	"github.com/assayhq/assay/internal/interview/media/speech"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/work"
	"github.com/assayhq/assay/syncd/interviews/step"
)

// How steps are worked on.
const (
	stepTimeout = 6 * time.Hour    // three hours of recording on a busy machine
	writeLimit  = 10 * time.Second // for the removal of what a lost claim has written
)

// Config is what a Pipeline needs. Steps, Store, Blobs, Registerer and Log are
// required, and Producer unless Slots is 0.
type Config struct {
	Steps    *step.Runner
	Store    *store.DB
	Blobs    *blob.Bucket
	Producer *media.Producer
	// Local listens to recordings on this machine; nil: nothing does.
	Local speech.Engine
	// Server listens to those of organizations that let theirs be sent away; nil:
	// there is none.
	Server     speech.Engine
	Registerer prometheus.Registerer
	Log        *slog.Logger
	Slots      int    // steps at a time; 0 leaves them to other processes
	Workdir    string // parent of the folders for temporary files; default the system's
}

// Pipeline works steps.
type Pipeline struct {
	Config
	metrics *metrics
}

// New returns a pipeline. It registers its metrics.
func New(c Config) *Pipeline { return &Pipeline{Config: c, metrics: newMetrics(c.Registerer)} }

// Kind returns the pipeline as a kind of work of the process.
func (p *Pipeline) Kind() work.Kind {
	names := []interviews.StepName{interviews.StepMedia, interviews.StepTranscript, interviews.StepSubtitles}
	return p.Steps.Kind("media", p.Slots, stepTimeout, names, p.doStep)
}
