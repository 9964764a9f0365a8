package media

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// defaultPatience is how much longer a program may take than its work should need
// on a busy machine.
const defaultPatience = 5 * time.Minute

// Producer makes presentations.
type Producer struct {
	Tools *Tools
	// Patience is the time that each program may take in any case. A multiple of
	// the recording's length is added. Default five minutes.
	Patience time.Duration
	// Longest is how much of a take is used. Default maxTake.
	Longest time.Duration
}

// NewProducer returns a producer that works with the tools.
func NewProducer(t *Tools) *Producer {
	return &Producer{Tools: t, Patience: defaultPatience, Longest: maxTake}
}

// Take is a recording that is to be worked on.
type Take struct {
	File  string // in the working folder; a plain name that the caller made
	Video bool   // it should show a picture
}

// Answer is a take on the interview's timeline.
type Answer struct {
	Start, End   time.Duration // equal when no part of it can be read
	Video, Audio bool          // what of it can be decoded
	Sound        string        // file in the working folder: 16 kHz mono WAV; empty without sound
	Cut          bool          // what came after the Producer's Longest is left out
	Unreadable   string        // why no part of it can be read; otherwise empty
	Observations []Observation
}

// Presentation is the result of an interview's takes.
type Presentation struct {
	Video         bool // false for sound alone
	Length        time.Duration
	Width, Height int    // 0 without pictures
	Folder        string // in the working folder
	Playlist      string // file in Folder
	Poster        string // file in Folder; empty without pictures
	Files         []File // everything in Folder that belongs to it, the poster included; the playlist is last
	Answers       []Answer
}

// Produce makes the presentation of the takes, which are in the working folder, in
// their order. Takes that can't be read have no length in it. It returns
// ErrUnreadable if none can be read. Two calls need two folders.
func (p *Producer) Produce(ctx context.Context, dir string, takes []Take) (*Presentation, error) {
	made := &Presentation{Folder: "hls", Playlist: playlistName, Answers: make([]Answer, len(takes))}
	var (
		files []string
		all   []examined
		cause error
	)
	for i, take := range takes {
		e, err := p.examineTake(ctx, dir, take.File, fmt.Sprintf("sound-%03d.wav", i))
		a := &made.Answers[i]
		a.Start, a.End = made.Length, made.Length
		if errors.Is(err, ErrUnreadable) {
			cause, a.Unreadable = err, failureReason(err)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("examine take %d: %w", i+1, err)
		}
		made.Length += e.length
		a.End, a.Video, a.Audio, a.Sound, a.Cut = made.Length, e.video, e.audio, e.sound, e.cut
		a.Observations = e.compareThresholds(take.Video)
		made.Video = made.Video || e.video
		files, all = append(files, take.File), append(all, e)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no answer can be read: %w", errors.Join(cause, ErrUnreadable))
	}
	return made, p.makePresentation(ctx, dir, made, files, all)
}

// makePresentation encodes, and checks the output.
func (p *Producer) makePresentation(ctx context.Context, dir string, made *Presentation, files []string, all []examined) error {
	out := filepath.Join(dir, made.Folder)
	if err := os.Mkdir(out, 0o700); err != nil {
		return err
	}
	if err := p.encodePresentation(ctx, dir, made.Folder, files, all); err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	listed, length, err := readPlaylist(out)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	if off := length - made.Length; off.Abs() > tolerance {
		return fmt.Errorf("encode: the result lasts %s, its answers %s", length, made.Length)
	}
	if made.Poster, err = p.makePoster(ctx, dir, made.Folder, files, all); err != nil {
		return fmt.Errorf("poster: %w", err)
	}
	if made.Poster != "" {
		info, err := os.Stat(filepath.Join(out, made.Poster))
		if err != nil {
			return fmt.Errorf("poster: %w", err)
		}
		listed = append(listed, File{made.Poster, info.Size()})
	}
	c := canvasOf(all)
	made.Width, made.Height = c.width, c.height
	// A copy of the files in this order never has the playlist before a file that
	// it names.
	made.Files = append(listed[1:], listed[0])
	return nil
}

// failureReason returns what is reported about a take that can't be read: no paths,
// and little of the program's output.
func failureReason(err error) string {
	const most = 300
	text := err.Error()
	if len(text) > most {
		text = text[:most] + "…"
	}
	return text
}
