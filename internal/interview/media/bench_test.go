package media_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assayhq/assay/internal/interview/media"
	"github.com/assayhq/assay/store/mediatest"
)

// grain is what a small camera in a room adds to its pictures.
const grain = "noise=alls=10:allf=t"

// BenchmarkProduce makes an answer of a minute in 480p playable, and reports how
// many times faster that is than watching it.
func BenchmarkProduce(b *testing.B) { benchmarkProduce(b, 1, time.Minute) }

// BenchmarkHour does the same with thirty answers of two minutes, the whole
// interview at once.
func BenchmarkHour(b *testing.B) { benchmarkProduce(b, 30, 2*time.Minute) }

func benchmarkProduce(b *testing.B, answers int, each time.Duration) {
	mediatest.Need(b, "ffmpeg", "ffprobe")
	tools, err := media.FindTools(context.Background(), "ffmpeg", "ffprobe")
	if err != nil {
		b.Fatal(err)
	}
	recorded, err := os.ReadFile(mediatest.Make(b, mediatest.Recording{Pattern: "testsrc2", Filter: grain, Size: "640x480", Seconds: each.Seconds()}))
	if err != nil {
		b.Fatal(err)
	}
	var sum time.Duration
	for b.Loop() {
		work, err := media.NewWorkdir(b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		var takes []media.Take
		for i := range answers {
			take := media.Take{File: fmt.Sprintf("take%d", i), Video: true}
			if err := os.WriteFile(filepath.Join(work.Path, take.File), recorded, 0o600); err != nil {
				b.Fatal(err)
			}
			takes = append(takes, take)
		}
		made, err := media.NewProducer(tools).Produce(context.Background(), work.Path, takes)
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
