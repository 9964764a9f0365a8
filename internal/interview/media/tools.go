package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assayhq/assay/internal/interview/media/program"
)

// Tools are the programs that do the work.
type Tools struct {
	ffmpeg, ffprobe program.Program
}

// requiredEncoders returns the encoders that ffmpeg has to be built with.
func requiredEncoders() []string { return []string{"libx264", "aac"} }

// FindTools looks for ffmpeg and ffprobe, by name or path, and for the encoders
// that are needed. Its error says what to install.
func FindTools(ctx context.Context, ffmpeg, ffprobe string) (*Tools, error) {
	encode, err1 := program.Find(ffmpeg, "ffmpeg", "ffmpeg")
	probe, err2 := program.Find(ffprobe, "ffmpeg", "ffmpeg")
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	var list bytes.Buffer
	if err := encode.Run(ctx, "/", program.Limits{Timeout: time.Minute}, &list, "-hide_banner", "-v", "error", "-encoders"); err != nil {
		return nil, err
	}
	for _, name := range requiredEncoders() {
		if !strings.Contains(list.String(), " "+name+" ") {
			return nil, fmt.Errorf("program ffmpeg was built without the encoder %s: install one that has it, such as Debian's and Ubuntu's, or that of RPM Fusion in place of ffmpeg-free", name)
		}
	}
	return &Tools{ffmpeg: encode, ffprobe: probe}, nil
}
