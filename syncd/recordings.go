package main

import (
	"context"
	"log/slog"
	"sync"

	"github.com/assayhq/assay/configs"
	"github.com/assayhq/assay/internal/boot"
	"github.com/assayhq/assay/internal/interview/media"
	"github.com/assayhq/assay/internal/interview/media/speech"
	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/syncd/interviews/recording"
	"github.com/assayhq/assay/syncd/interviews/step"
)

// newPipeline creates the pipeline for recordings. It looks for the necessary programs in the
// background, so that cycles and deliveries do not wait for them. Call release when all work has ended.
func newPipeline(ctx context.Context, p parts, config configs.Config, blobs *blob.Bucket, steps *step.Runner) (made *recording.Pipeline, release func(), err error) {
	c := recording.Config{Steps: steps, Store: p.Store, Blobs: blobs, Registerer: p.Registry, Log: p.Log, Slots: config.Workers.Media}
	if c.Slots == 0 {
		return recording.New(c), func() {}, nil
	}
	closeServer := func() {}
	if config.Speech.URL != "" {
		roots, err := boot.Roots(config.Egress.CAFile)
		if err != nil {
			return nil, nil, err
		}
		server, err := speech.NewServer(speech.ServerConfig{URL: config.Speech.URL, Model: config.Speech.Model, APIKey: config.Speech.APIKey, Roots: roots})
		if err != nil {
			return nil, nil, err
		}
		c.Server, closeServer = server, server.Close
	}
	made = recording.New(c)
	looking, cancel := context.WithCancel(ctx)
	var search sync.WaitGroup
	search.Go(func() {
		if tools, found := findTools(looking, p.Log, config.Speech.URL != ""); found {
			made.SetTools(tools)
		}
	})
	return made, func() {
		cancel()
		search.Wait()
		closeServer()
	}, nil
}

// findTools looks for the programs that recordings need. A machine without them leaves recordings to
// other processes and logs that, because most of syncd's work does not need them.
func findTools(ctx context.Context, log *slog.Logger, hasServer bool) (tools recording.Tools, found bool) {
	programs, err := media.FindTools(ctx, "ffmpeg", "ffprobe")
	if err != nil {
		if ctx.Err() == nil { // and the process is not just stopping
			log.WarnContext(ctx, "this process does not process recordings of interviews", "error", err)
		}
		return tools, false
	}
	tools.Producer = media.NewProducer(programs)
	sphinx, err := speech.FindPocketsphinx(ctx, "pocketsphinx_continuous")
	switch {
	case err == nil:
		tools.Local = sphinx
	case ctx.Err() != nil:
		return tools, false
	case !hasServer:
		log.WarnContext(ctx, "transcripts that this process makes lack spoken answers", "error", err)
	}
	return tools, true
}
