// Package mediatest makes recordings like those of a trader's browser, for tests: test patterns by
// ffmpeg, voices by flite.
package mediatest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// patience limits the time for making a recording.
const patience = 10 * time.Minute

// Need skips the test if one of the programs is missing. In CI it fails the test instead, unless
// the run is a short one, for which nothing is installed.
func Need(t testing.TB, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err == nil {
			continue
		}
		if os.Getenv("CI") != "" && !testing.Short() {
			t.Fatalf("%s is not installed, and CI is set: make test-all installs it (Debian: ffmpeg flite pocketsphinx pocketsphinx-en-us)", name)
		}
		t.Skipf("%s is not installed", name)
	}
}

// Recording describes the picture and sound of a take.
type Recording struct {
	// Pattern is a source of pictures by ffmpeg's name. The default is testsrc; "none" means no
	// picture.
	Pattern string
	Filter  string // an ffmpeg filter on these pictures, such as the noise of a camera; none by default
	Size    string // WxH; default 320x240
	Rate    int    // pictures a second; default 30
	// Text is spoken. Sound is a source by ffmpeg's name instead. Without both the sound is a tone;
	// "none" means no sound.
	Text, Sound string
	Seconds     float64 // by default as long as the text, or two seconds
	MP4         bool    // like Safari, instead of WebM
}

// Make writes a recording to a file in a folder of the test and returns its path.
func Make(t testing.TB, r Recording) string {
	t.Helper()
	Need(t, "ffmpeg")
	dir := t.TempDir()
	var args []string
	source := func(graph string) { args = append(args, "-f", "lavfi", "-i", graph) }
	if r.Seconds == 0 && r.Text == "" {
		r.Seconds = 2
	}
	if r.Rate == 0 {
		r.Rate = 30
	}
	if r.Pattern != "none" {
		pattern, joint := orDefault(r.Pattern, "testsrc"), "="
		if strings.Contains(pattern, "=") {
			joint = ":"
		}
		graph := fmt.Sprintf("%s%ssize=%s:rate=%d", pattern, joint, orDefault(r.Size, "320x240"), r.Rate)
		if r.Filter != "" {
			graph += "," + r.Filter
		}
		source(graph)
	}
	switch {
	case r.Text != "":
		args = append(args, "-i", Speech(t, r.Text))
	case r.Sound != "none":
		source(orDefault(r.Sound, "sine=frequency=440:sample_rate=48000"))
	}
	if r.Seconds > 0 {
		args = append(args, "-t", strconv.FormatFloat(r.Seconds, 'f', -1, 64))
	} else {
		args = append(args, "-shortest")
	}
	path := filepath.Join(dir, "take.webm")
	if r.MP4 {
		path = filepath.Join(dir, "take.mp4")
		args = append(args, "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac", "-movflags", "frag_keyframe+empty_moov+default_base_moof")
	} else {
		// A recorder writes continuously: there is no length in the header, and no index.
		args = append(args, "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "300k", "-c:a", "libopus", "-f", "webm", "-live", "1")
	}
	FFmpeg(t, append(args, path)...)
	return path
}

func orDefault(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// Speech speaks a text in a voice into a WAV file and returns its path.
func Speech(t testing.TB, text string) string {
	t.Helper()
	Need(t, "flite")
	path := filepath.Join(t.TempDir(), "voice.wav")
	runProgram(t, "flite", "-voice", "slt", "-t", text, "-o", path)
	return path
}

// FFmpeg runs ffmpeg, which overwrites existing files.
func FFmpeg(t testing.TB, args ...string) {
	t.Helper()
	Need(t, "ffmpeg")
	runProgram(t, "ffmpeg", append([]string{"-hide_banner", "-nostdin", "-y", "-v", "error"}, args...)...)
}

// Probe asks ffprobe for entries of a file or playlist, such as -show_entries
// format=duration, and returns their values.
func Probe(t testing.TB, path string, entry ...string) []string {
	t.Helper()
	Need(t, "ffprobe")
	args := append([]string{"-v", "error", "-of", "csv=p=0"}, entry...)
	return strings.FieldsFunc(runProgram(t, "ffprobe", append(args, path)...), func(r rune) bool { return r == ',' || r == '\n' })
}

func runProgram(t testing.TB, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, complaint.String())
	}
	return string(out)
}
