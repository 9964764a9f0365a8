package main

import (
	"context"

	"github.com/assayhq/assay/configs"
	"github.com/assayhq/assay/internal/boot"
	"github.com/assayhq/assay/internal/interview/media"
	"github.com/assayhq/assay/internal/interview/media/speech"
	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/syncd/interviews/recording"
	"github.com/assayhq/assay/syncd/interviews/step"
)

// newPipeline creates the pipeline for recordings. A machine without the necessary
// programs leaves recordings to other processes and logs that, because most of
// syncd's work does not need them. Call release when all work has ended.
func newPipeline(ctx context.Context, p parts, config configs.Config, blobs *blob.Bucket, steps *step.Runner) (made *recording.Pipeline, release func(), err error) {
	c := recording.Config{Steps: steps, Store: p.Store, Blobs: blobs, Registerer: p.Registry, Log: p.Log, Slots: config.Workers.Media}
	release = func() {}
	if c.Slots == 0 {
		return recording.New(c), release, nil
	}
	tools, err := media.FindTools(ctx, "ffmpeg", "ffprobe")
	if err != nil {
		if ctx.Err() == nil { // and the process is not just stopping
			p.Log.WarnContext(ctx, "this process does not process recordings of interviews", "error", err)
		}
		c.Slots = 0
		return recording.New(c), release, nil
	}
	c.Producer = media.NewProducer(tools)
	sphinx, err := speech.FindPocketsphinx(ctx, "pocketsphinx_continuous")
	switch {
	case err == nil:
		c.Local = sphinx
	case config.Speech.URL == "":
		p.Log.WarnContext(ctx, "transcripts that this process makes lack spoken answers", "error", err)
	}
	if config.Speech.URL != "" {
		roots, err := boot.Roots(config.Egress.CAFile)
		if err != nil {
			return nil, nil, err
		}
		server, err := speech.NewServer(speech.ServerConfig{URL: config.Speech.URL, Model: config.Speech.Model, APIKey: config.Speech.APIKey, Roots: roots})
		if err != nil {
			return nil, nil, err
		}
		c.Server, release = server, server.Close
	}
	return recording.New(c), release, nil
}
