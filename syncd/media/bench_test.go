package media_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assayhq/assay/store/mediatest"
	"github.com/assayhq/assay/syncd/media"
)

// BenchmarkProduce makes an answer of a minute in 480p playable, and reports how
// many times faster that is than watching it.
func BenchmarkProduce(b *testing.B) {
	mediatest.Need(b, "ffmpeg", "ffprobe")
	tools, err := media.FindTools(context.Background(), "ffmpeg", "ffprobe")
	if err != nil {
		b.Fatal(err)
	}
	recorded, err := os.ReadFile(mediatest.Make(b, mediatest.Recording{Size: "640x480", Seconds: 60}))
	if err != nil {
		b.Fatal(err)
	}
	var sum time.Duration
	for b.Loop() {
		work, err := media.NewWorkdir(b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(work.Path, "take"), recorded, 0o600); err != nil {
			b.Fatal(err)
		}
		made, err := media.NewProducer(tools).Produce(context.Background(), work.Path, []media.Take{{File: "take", Video: true}})
		if err != nil {
			b.Fatal(err)
		}
		sum += made.Length
		if err := work.Remove(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(sum.Seconds()/b.Elapsed().Seconds(), "times_faster")
}
