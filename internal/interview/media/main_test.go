package media_test

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/assayhq/assay/internal/interview/media"
	"github.com/assayhq/assay/store/mediatest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// producer is one with a working folder.
type producer struct {
	*media.Producer
	dir string
}

func setup(t *testing.T) *producer {
	t.Helper()
	mediatest.Need(t, "ffmpeg", "ffprobe")
	tools, err := media.FindTools(t.Context(), "ffmpeg", "ffprobe")
	if err != nil {
		t.Fatal(err)
	}
	work, err := media.NewWorkdir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := work.Remove(); err != nil {
			t.Errorf("remove the working folder: %v", err)
		}
	})
	return &producer{media.NewProducer(tools), work.Path}
}

// take puts a recording into the working folder.
func (b *producer) take(t *testing.T, name string, r mediatest.Recording) media.Take {
	t.Helper()
	return b.put(t, name, mediatest.Make(t, r), r.Pattern != "none")
}

func (b *producer) put(t *testing.T, name, path string, video bool) media.Take {
	t.Helper()
	from, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.Create(filepath.Join(b.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return media.Take{File: name, Video: video}
}

func (b *producer) produce(t *testing.T, takes ...media.Take) *media.Presentation {
	t.Helper()
	made, err := b.Produce(t.Context(), b.dir, takes)
	if err != nil {
		t.Fatal(err)
	}
	b.wantPlayable(t, made)
	return made
}

// wantPlayable checks with ffprobe, which reads the playlist as a player does, that
// the presentation is as long as the timeline promises.
func (b *producer) wantPlayable(t *testing.T, made *media.Presentation) {
	t.Helper()
	playlist := filepath.Join(b.dir, made.Folder, made.Playlist)
	got := number(t, mediatest.Probe(t, playlist, "-show_entries", "format=duration"))
	if off := time.Duration(got*float64(time.Second)) - made.Length; off.Abs() > 500*time.Millisecond {
		t.Errorf("ffprobe finds %.3f s, the timeline has %s", got, made.Length)
	}
	if last := made.Answers[len(made.Answers)-1].End; last != made.Length {
		t.Errorf("the last answer ends at %s, the whole at %s", last, made.Length)
	}
	for _, f := range made.Files {
		info, err := os.Stat(filepath.Join(b.dir, made.Folder, f.Name))
		if err != nil || info.Size() != f.Bytes {
			t.Errorf("file %s: %v, %v; want %d bytes", f.Name, info, err, f.Bytes)
		}
	}
}

func number(t *testing.T, fields []string) float64 {
	t.Helper()
	if len(fields) == 0 {
		t.Fatal("no number")
	}
	x, err := strconv.ParseFloat(fields[0], 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// near fails unless the two differ by at most that much.
func near(t *testing.T, what string, got, want, within time.Duration) {
	t.Helper()
	if (got - want).Abs() > within {
		t.Errorf("%s: %s, want %s within %s", what, got, want, within)
	}
}

// kinds lists what was observed of an answer.
func kinds(a media.Answer) []string {
	list := []string{}
	for _, o := range a.Observations {
		list = append(list, o.Kind)
	}
	return list
}
