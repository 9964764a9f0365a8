package media

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/assayhq/assay/internal/interview/media/program"
)

// ErrUnreadable means that the file is no recording, or that no part of it can be
// decoded. Another try does not help.
var ErrUnreadable = errors.New("recording can't be read")

// maxTake is how much of a take is used. Answers may last ten minutes, and a browser
// that does not stop recording must not fill the disk.
const maxTake = 30 * time.Minute

// maxPixels bounds a picture, so that a header can't ask for gigabytes: twice
// 4K.
const maxPixels = 2 * 3840 * 2160

// container is a form of file by the name of ffmpeg's reader.
type container string

const (
	matroska container = "matroska" // WebM among them
	mov      container = "mov"      // MP4 among them
)

// containerOf returns a file's format according to its first bytes.
func containerOf(path string) (container, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var head [12]byte
	n, err := io.ReadFull(f, head[:])
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return "", err
	}
	switch {
	case n >= 4 && bytes.Equal(head[:4], []byte{0x1A, 0x45, 0xDF, 0xA3}):
		return matroska, nil
	case n >= 8 && string(head[4:8]) == "ftyp":
		return mov, nil
	}
	return "", fmt.Errorf("%w: neither WebM nor MP4", ErrUnreadable)
}

// inputArgs returns how a file is given to ffmpeg and ffprobe, the file excepted.
func (c container) inputArgs() []string {
	args := []string{"-protocol_whitelist", "file", "-f", string(c)}
	if c == mov {
		args = append(args, "-enable_drefs", "0", "-use_absolute_path", "0")
	}
	return args
}

// tracks is what a take contains, as far as that is known without decoding.
type tracks struct {
	container     container
	video, audio  bool
	width, height int           // as it is shown
	length        time.Duration // to the end of the last packet, at most Producer.Longest
	cut           bool          // longer than that
}

// probeAnswer is as much of ffprobe's answer as is read.
type probeAnswer struct {
	Streams []struct {
		Index     int    `json:"index"`
		CodecType string `json:"codec_type"`
		CodecName string `json:"codec_name"`
		Width     int    `json:"width"`
		Height    int    `json:"height"`
		SideData  []struct {
			Rotation float64 `json:"rotation"`
		} `json:"side_data_list"`
		Disposition struct {
			Picture int `json:"attached_pic"`
		} `json:"disposition"`
	} `json:"streams"`
}

// probeTake reads what a take contains.
func (p *Producer) probeTake(ctx context.Context, dir, file string) (t tracks, err error) {
	if t.container, err = containerOf(dir + "/" + file); err != nil {
		return t, err
	}
	limits := program.Limits{Timeout: p.Patience}
	var out bytes.Buffer
	args := append([]string{"-v", "error", "-max_pixels", strconv.Itoa(maxPixels)}, t.container.inputArgs()...)
	if err := p.Tools.ffprobe.Run(ctx, dir, limits, &out, append(args, "-show_streams", "-of", "json", file)...); err != nil {
		return t, markUnreadable(err)
	}
	var answer probeAnswer
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		return t, fmt.Errorf("answer of ffprobe: %w", err)
	}
	ends := newLength(t.chooseStreams(answer), p.Longest)
	if len(ends.wanted) == 0 {
		return t, fmt.Errorf("%w: it has neither picture nor sound", ErrUnreadable)
	}
	args = append([]string{"-v", "error"}, t.container.inputArgs()...)
	err = p.Tools.ffprobe.Run(ctx, dir, program.Limits{Timeout: p.Patience, Output: 8 << 30}, ends, append(args, "-show_entries", "packet=stream_index,pts_time,duration_time", "-of", "csv=p=0", file)...)
	if err != nil {
		return t, markUnreadable(err)
	}
	if t.length = ends.length(); t.length > p.Longest {
		t.length, t.cut = p.Longest, true
	}
	if t.length <= 0 {
		return t, fmt.Errorf("%w: it has no duration", ErrUnreadable)
	}
	return t, nil
}

// chooseStreams notes the first stream of each kind, which ffmpeg has to use, and returns their
// indexes.
func (t *tracks) chooseStreams(answer probeAnswer) (wanted []int) {
	for _, s := range answer.Streams {
		switch {
		case s.CodecType == "video" && !t.video && s.Disposition.Picture == 0 && s.Width > 0 && s.Height > 0:
			t.video, t.width, t.height = true, s.Width, s.Height
			for _, side := range s.SideData {
				if int(side.Rotation)%180 != 0 {
					t.width, t.height = s.Height, s.Width
				}
			}
			wanted = append(wanted, s.Index)
		case s.CodecType == "audio" && !t.audio && s.CodecName != "":
			t.audio = true
			wanted = append(wanted, s.Index)
		}
	}
	return wanted
}

// fullDisk is what programs write when the disk has no room for their files.
const fullDisk = "No space left on device"

// IsFull reports whether an error is that the folder for temporary files has no room.
func IsFull(err error) bool {
	failed, ok := errors.AsType[*program.Error](err)
	return ok && strings.Contains(failed.Stderr, fullDisk) || errors.Is(err, errTruncated) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// markUnreadable marks the error of a program that has ended by itself, because the
// file caused it, unless the disk was full.
func markUnreadable(err error) error {
	failed, ok := errors.AsType[*program.Error](err)
	if !ok || errors.Is(err, program.ErrTimeout) || errors.Is(err, program.ErrOutput) || strings.Contains(failed.Err.Error(), "signal") || IsFull(err) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnreadable, err)
}

// length reads the lines "stream,start,duration" of ffprobe and keeps where the
// packets begin and end.
type length struct {
	wanted     map[int]bool
	line       []byte
	start, end float64
	any        bool
	most       time.Duration
}

func newLength(wanted []int, most time.Duration) *length {
	l := &length{wanted: map[int]bool{}, most: most}
	for _, index := range wanted {
		l.wanted[index] = true
	}
	return l
}

// Write implements io.Writer.
func (l *length) Write(p []byte) (int, error) {
	for _, c := range p {
		switch {
		case c == '\n':
			l.readLine(string(l.line))
			l.line = l.line[:0]
		case len(l.line) < 200:
			l.line = append(l.line, c)
		}
	}
	return len(p), nil
}

// readLine reads a line. Lines without a time are ignored.
func (l *length) readLine(line string) {
	fields := strings.Split(line, ",")
	if len(fields) < 2 {
		return
	}
	index, err1 := strconv.Atoi(fields[0])
	start, err2 := strconv.ParseFloat(fields[1], 64)
	if err1 != nil || err2 != nil || !l.wanted[index] {
		return
	}
	lasts := 0.0
	if len(fields) > 2 {
		lasts, _ = strconv.ParseFloat(fields[2], 64) // N/A: it ends where it begins
	}
	if !l.any {
		l.any, l.start, l.end = true, start, start
	}
	l.start, l.end = min(l.start, start), max(l.end, start+max(lasts, 0))
}

func (l *length) length() time.Duration {
	seconds := l.end - l.start
	if !l.any || !(seconds > 0) {
		return 0
	}
	return time.Duration(min(seconds, 2*l.most.Seconds()) * float64(time.Second))
}
