package media

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/assayhq/assay/internal/interview/media/program"
)

const (
	frameRate = 25                      // pictures a second of what is made
	frame     = time.Second / frameRate // every answer is a whole number of them long
	soundRate = 16000                   // samples a second of the sound files

	lightRate = 2 // pictures a second that are checked for darkness
)

// examined is the result of decoding a take.
type examined struct {
	tracks
	sound  string        // sound file; empty when there is no sound
	light  []light       // of pictures, two a second
	levels levels        // of the sound
	length time.Duration // whole frames
}

// examineTake decodes a take once: it writes its sound to a file and measures
// pictures. It leaves out tracks that cannot be decoded at all.
func (p *Producer) examineTake(ctx context.Context, dir, file, sound string) (e examined, err error) {
	if e.tracks, err = p.probeTake(ctx, dir, file); err != nil {
		return e, err
	}
	e.length = e.tracks.length.Truncate(frame)
	if e.length < e.tracks.length {
		e.length += frame
	}
	video, audio := e.video, e.audio
	err = p.decodeTake(ctx, dir, file, sound, &e)
	if errors.Is(err, ErrUnreadable) && video && audio {
		// ffmpeg may give up on the other track too, as with H.264 that has no picture.
		e.video = false
		err = p.decodeTake(ctx, dir, file, sound, &e)
		if errors.Is(err, ErrUnreadable) {
			e.video, e.audio = true, false
			err = p.decodeTake(ctx, dir, file, sound, &e)
		}
	}
	return e, err
}

// decodeTake decodes the tracks that e names, and leaves out there what holds nothing.
func (p *Producer) decodeTake(ctx context.Context, dir, file, sound string, e *examined) error {
	args := append([]string{"-hide_banner", "-nostdin", "-y", "-v", "error"}, p.inputArgs(e.tracks, file)...)
	if e.audio {
		args = append(args, "-map", "0:a:0", "-af", fmt.Sprintf("aresample=%d:async=1:first_pts=0", soundRate), "-ac", "1", "-c:a", "pcm_s16le", "-f", "wav", sound)
	}
	if e.video {
		args = append(args, "-map", "0:v:0", "-vf", lightFilter, "-f", "null", "-")
	}
	limits := program.Limits{Timeout: p.Patience + 2*e.length}
	var lights bytes.Buffer
	err := p.Tools.ffmpeg.Run(ctx, dir, limits, &lights, args...)
	if err != nil {
		return markUnreadable(err)
	}
	if e.video {
		if e.light, err = readLight(&lights); err != nil {
			return err
		}
		e.video = len(e.light) > 0
	}
	if e.audio {
		if e.levels, err = readLevels(filepath.Join(dir, sound)); err != nil {
			return err
		}
		if e.audio = e.levels.samples > 0; e.audio {
			e.sound = sound
		}
	}
	if !e.video && !e.audio {
		return fmt.Errorf("%w: none of it can be decoded", ErrUnreadable)
	}
	return nil
}

// inputArgs returns ffmpeg's arguments for a take. Pictures that change their size
// in the middle, as when a phone is turned, must not restart the filters.
func (p *Producer) inputArgs(t tracks, file string) []string {
	args := []string{"-max_error_rate", "1", "-threads", "1", "-max_pixels", strconv.Itoa(maxPixels)}
	args = append(args, t.container.inputArgs()...)
	if t.video {
		args = append(args, "-reinit_filter:v", "0")
	}
	return append(args, "-t", formatSeconds(p.Longest), "-i", file)
}

// lightFilter writes the mean brightness of some pictures to the standard output, from 0 for black
// to 255.
var lightFilter = fmt.Sprintf("fps=%d,scale=160:120:out_range=full,format=gray,signalstats,metadata=mode=print:key=lavfi.signalstats.YAVG:file=-", lightRate)

// light is the brightness of a picture.
type light struct {
	at   time.Duration
	mean float64 // 0 to 255
}

// readLight reads what lightFilter wrote: a line with the time, then one with the brightness.
func readLight(r io.Reader) ([]light, error) {
	var all []light
	at, known := 0.0, false
	for lines := bufio.NewScanner(r); ; {
		if !lines.Scan() {
			return all, lines.Err()
		}
		if _, text, ok := strings.Cut(lines.Text(), "pts_time:"); ok {
			var err error
			at, err = strconv.ParseFloat(strings.TrimSpace(text), 64)
			known = err == nil && at >= 0 && at < 24*time.Hour.Seconds()
		}
		if text, ok := strings.CutPrefix(lines.Text(), "lavfi.signalstats.YAVG="); ok && known {
			if mean, err := strconv.ParseFloat(text, 64); err == nil {
				all = append(all, light{time.Duration(at * float64(time.Second)), mean})
			}
		}
	}
}

func formatSeconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', 3, 64)
}
