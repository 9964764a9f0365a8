package media_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/assayhq/assay/internal/interview/media"
	"github.com/assayhq/assay/internal/interview/media/program"
	"github.com/assayhq/assay/store/mediatest"
)

// tool writes a small shell program that replaces ffmpeg, and passes on what it does not handle.
func tool(t *testing.T, lines string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ffmpeg")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+lines+"\nexec ffmpeg \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// encoding is true in such a program when it should make the presentation.
const encoding = `case "$*" in *concat=n=*) `

func TestToolsMissing(t *testing.T) {
	t.Parallel()
	none := filepath.Join(t.TempDir(), "ffmpeg")
	_, err := media.FindTools(t.Context(), none, none)
	if !errors.Is(err, program.ErrMissing) || !strings.Contains(err.Error(), "apt-get install ffmpeg") {
		t.Errorf("got %v, want what to install", err)
	}
	probe := tool(t, "")
	_, err = media.FindTools(t.Context(), tool(t, `case "$*" in *-encoders*) echo ' V..... mpeg4 '; exit 0;; esac`), probe)
	if err == nil || !strings.Contains(err.Error(), "without the encoder libx264") {
		t.Errorf("got %v, want the encoder that is missing", err)
	}
	_, err = media.FindTools(t.Context(), tool(t, `echo "cannot open shared object" >&2; exit 127`), probe)
	if err == nil || !strings.Contains(err.Error(), "cannot open shared object") {
		t.Errorf("got %v, want what the program said", err)
	}
}

// A failure of ffmpeg is an error after which another try may succeed, and never
// leads to a presentation.
func TestToolsFail(t *testing.T) {
	if testing.Short() {
		t.Skip("encodes video")
	}
	t.Parallel()
	mediatest.Need(t, "ffmpeg", "ffprobe")
	recorded := mediatest.Make(t, mediatest.Recording{Seconds: 3})
	for _, tc := range []struct{ name, lines, want string }{
		{"fails", encoding + `echo "Cannot allocate memory" >&2; exit 1;; esac`, "Cannot allocate memory"},
		{"is killed", encoding + `kill -9 $$;; esac`, "signal: killed"},
		{"is killed while it examines", `case "$*" in *signalstats*) kill -9 $$;; esac`, "signal: killed"},
		{"makes nothing", encoding + `exit 0;; esac`, "no playlist was made"},
		{"makes a list without an end", encoding + `printf '#EXTM3U\n#EXTINF:4.0,\na.m4s\n' > hls/index.m3u8; echo x > hls/a.m4s; exit 0;; esac`, "not finished"},
		{"makes a list of a third of a second", encoding + `printf '#EXTM3U\n#EXT-X-MAP:URI="i.mp4"\n#EXTINF:0.32,\na.m4s\n#EXT-X-ENDLIST\n' > hls/index.m3u8; printf '\000\000\000\010free' | tee hls/a.m4s > hls/i.mp4; exit 0;; esac`, "the result lasts 320ms, its answers 3"},
		{"makes a list of what is not there", encoding + `printf '#EXTM3U\n#EXT-X-MAP:URI="i.mp4"\n#EXTINF:3.0,\na.m4s\n#EXT-X-ENDLIST\n' > hls/index.m3u8; exit 0;; esac`, "no such file"},
		{"makes a list of what lies elsewhere", encoding + `printf '#EXTM3U\n#EXT-X-MAP:URI="../take"\n#EXTINF:3.0,\na.m4s\n#EXT-X-ENDLIST\n' > hls/index.m3u8; echo x | tee hls/take > hls/a.m4s; exit 0;; esac`, "elsewhere"},
		{"truncates a segment", encoding + `ffmpeg "$@"; truncate -s -100 hls/*0.m4s; exit 0;; esac`, "is truncated"},
		{"truncates the sound", `case "$*" in *signalstats*) ffmpeg "$@"; truncate -s -1000 sound-000.wav; exit 0;; esac`, "is truncated"},
		{"finds the disk full", `case "$*" in *signalstats*) echo "sound-000.wav: No space left on device" >&2; exit 1;; esac`, "No space left on device"},
		{"hangs", encoding + `sleep 1000;; esac`, "did not end in time"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			tools, err := media.FindTools(t.Context(), tool(t, tc.lines), "ffprobe")
			if err != nil {
				t.Fatal(err)
			}
			b.Tools = tools
			if tc.name == "hangs" {
				b.Patience = 0 // the multiple of the recording's length is left
			}
			take := b.put(t, "take", recorded, true)
			_, err = b.Produce(t.Context(), b.dir, []media.Take{take})
			if err == nil || !strings.Contains(err.Error(), tc.want) || errors.Is(err, media.ErrUnreadable) {
				t.Errorf("got %v, want an error with %q that is not the recording's fault", err, tc.want)
			}
		})
	}
}

func TestStoppedInTheMiddle(t *testing.T) {
	t.Parallel()
	b := setup(t)
	fifo := filepath.Join(t.TempDir(), "begun")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	tools, err := media.FindTools(t.Context(), tool(t, encoding+`echo > `+fifo+`; sleep 1000;; esac`), "ffprobe")
	if err != nil {
		t.Fatal(err)
	}
	b.Tools = tools
	take := b.take(t, "take", mediatest.Recording{Seconds: 1})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		if _, err := os.ReadFile(fifo); err == nil { // it waits for the writer
			cancel()
		}
	}()
	if _, err := b.Produce(ctx, b.dir, []media.Take{take}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want Canceled", err)
	}
}

// Folders of processes that died go when the next one is made; those in use stay.
func TestWorkdirs(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	for _, name := range []string{"assay-media-dead", "somebody-else's"} {
		if err := os.MkdirAll(filepath.Join(parent, name, "hls"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	first, err := media.NewWorkdir(parent)
	if err != nil {
		t.Fatal(err)
	}
	second, err := media.NewWorkdir(parent)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"assay-media-dead": false, "somebody-else's": true, filepath.Base(first.Path): true, filepath.Base(second.Path): true,
	} {
		if _, err := os.Stat(filepath.Join(parent, path)); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", path, err == nil, want)
		}
	}
	if err := errors.Join(first.Remove(), second.Remove()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(first.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("removed folder: %v", err)
	}
}
