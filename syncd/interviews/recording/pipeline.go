// Package recording works on the steps media, transcript and subtitles of
// interviews that traders have submitted.
//
// Package step claims and holds the steps, and makes sure that their results are
// written once. Blobs are written below a prefix that no other claim has, before
// the rows that refer to them. A claim that is lost, for example because the
// interview was deleted, removes its own blobs.
package recording

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/internal/interview/media"
	"github.com/assayhq/assay/internal/interview/media/speech"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/interviews/worker"
	"github.com/assayhq/assay/store/work"
	"github.com/assayhq/assay/syncd/interviews/step"
)

// How steps are worked on.
const (
	stepTimeout = 6 * time.Hour    // three hours of recording on a busy machine
	writeLimit  = 10 * time.Second // for removing what a lost claim has written
)

// Config is what a Pipeline needs. Steps, Store, Blobs, Registerer and Log are
// required.
type Config struct {
	Steps *step.Runner
	Store *store.DB
	Blobs *blob.Bucket
	// Server transcribes recordings of organizations that allow them to be sent
	// away. Nil means that there is no server.
	Server     speech.Engine
	Registerer prometheus.Registerer
	Log        *slog.Logger
	Slots      int    // steps at a time; 0 leaves them to other processes
	Workdir    string // parent of the folders for temporary files; default the system's
}

// Tools are the programs of this machine that a Pipeline runs.
type Tools struct {
	Producer *media.Producer // required
	// Local transcribes recordings on this machine. Nil means that there is no
	// local engine.
	Local speech.Engine
}

// Pipeline works on steps.
type Pipeline struct {
	Config
	metrics *metrics
	tools   atomic.Pointer[Tools]
}

// New returns a pipeline. It registers its metrics.
func New(c Config) *Pipeline { return &Pipeline{Config: c, metrics: newMetrics(c.Registerer)} }

// SetTools lets the pipeline begin: without tools it leaves all steps to other processes. To find and
// try them takes about a second, for which nothing else needs to wait.
func (p *Pipeline) SetTools(t Tools) { p.tools.Store(&t) }

// Kinds returns the pipeline as kinds of work for the process. What takes no time has slots of its own,
// so that it does not wait for the recordings of other interviews: captions, and the transcripts of
// interviews whose answers are all in writing.
func (p *Pipeline) Kinds() []work.Kind {
	transcripts := []steps.Name{steps.Media, steps.Transcript}
	kinds := []work.Kind{
		p.Steps.Kind("media", p.Slots, stepTimeout, worker.Selection{Steps: transcripts}, p.doStep),
		p.Steps.Kind("written", min(p.Slots, 1), stepTimeout, worker.Selection{Steps: transcripts, Written: true}, p.doStep),
		p.Steps.Kind("subtitles", min(p.Slots, 1), stepTimeout, worker.Selection{Steps: []steps.Name{steps.Subtitles}}, p.doStep),
	}
	for i, kind := range kinds {
		kinds[i].Claim = func(ctx context.Context, limit int) ([]work.Task, error) {
			if p.tools.Load() == nil {
				return nil, nil
			}
			return kind.Claim(ctx, limit)
		}
	}
	return kinds
}
