package demo

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/assayhq/assay/internal/dev/internal/proc"
)

// recording is what a browser would have recorded.
type recording struct {
	content []byte // WebM
	length  time.Duration
}

// record makes a recording of a synthetic voice that speaks the text, with a test picture or without one.
func (s *Stack) record(ctx context.Context, text string, picture bool) (made recording, err error) {
	dir, err := os.MkdirTemp(s.Dir, "recording-")
	if err != nil {
		return made, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	voice, take := filepath.Join(dir, "voice.wav"), filepath.Join(dir, "take.webm")
	if err := s.runProgram(ctx, "flite", "-voice", "slt", "-t", text, "-o", voice); err != nil {
		return made, err
	}
	if made.length, err = measureWAV(voice); err != nil {
		return made, err
	}
	args := []string{"-hide_banner", "-nostdin", "-v", "error", "-i", voice}
	if picture {
		args = append(args, "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=15", "-shortest", "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "300k")
	}
	// A recorder writes continuously: there is no length in the header, and no index.
	if err := s.runProgram(ctx, "ffmpeg", append(args, "-c:a", "libopus", "-f", "webm", "-live", "1", take)...); err != nil {
		return made, err
	}
	made.content, err = os.ReadFile(take)
	return made, err
}

// runProgram runs a program of the machine to its end.
func (s *Stack) runProgram(ctx context.Context, name string, args ...string) error {
	path, err := exec.LookPath(name)
	if err != nil {
		return err
	}
	_, err = s.Supervisor.Run(ctx, proc.Spec{Name: name, Path: path, Args: args, Dir: s.Dir, Grace: 5 * time.Second})
	return err
}

// wavHeader is the length of the header of a WAV file, as flite writes it.
const wavHeader = 44

// measureWAV returns how long the sound of a WAV file is.
func measureWAV(path string) (time.Duration, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	if len(content) <= wavHeader {
		return 0, fmt.Errorf("flite has written %d bytes to %s", len(content), path)
	}
	bytesPerSecond := binary.LittleEndian.Uint32(content[28:])
	if bytesPerSecond == 0 {
		return 0, fmt.Errorf("%s has no sound", path)
	}
	return time.Duration(len(content)-wavHeader) * time.Second / time.Duration(bytesPerSecond), nil
}
