// Package speech transcribes answers with a server that speaks OpenAI's protocol,
// or with pocketsphinx on this machine.
package speech

import (
	"context"
	"errors"
	"time"

	"github.com/assayhq/assay/internal/interview/media/transcript"
)

// ErrLanguage means that the engine does not know the interview's language. Another
// try does not help.
var ErrLanguage = errors.New("the speech engine does not support the language")

// Sound is an answer in the form in which engines get it.
type Sound struct {
	Path     string // 16 kHz mono WAV of 16 bits
	Length   time.Duration
	Language string // BCP 47
}

// Engine transcribes sounds. It is safe for concurrent use.
type Engine interface {
	// Head describes the transcripts that the engine makes, except their time.
	Head(language string) transcript.Head
	// Transcribe returns what is said, with times from the sound's start. It takes at
	// most some multiple of the sound's length and ends early with ctx. It returns
	// ErrLanguage, ctx's error, or an error after which another try may succeed.
	Transcribe(ctx context.Context, s Sound) (*transcript.Recognition, error)
}

// When words that came without segments are put into another segment.
const (
	pause    = 0.7 // seconds between words that end one
	longSeg  = 10  // seconds after which the next pause, however short, ends one
	limitSeg = 15  // seconds after which any word ends one
	shortGap = 0.1
)

// groupWords groups words.
func groupWords(words []transcript.RecognizedWord) []transcript.RecognizedSegment {
	var all []transcript.RecognizedSegment
	for i, w := range words {
		if i == 0 || beginsSegment(&all[len(all)-1], w) {
			all = append(all, transcript.RecognizedSegment{Start: w.Start})
		}
		s := &all[len(all)-1]
		if s.Text != "" {
			s.Text += " "
		}
		s.Text, s.End = s.Text+w.Text, w.End
		s.Words = append(s.Words, w)
	}
	for i := range all {
		all[i].Confidence = meanConfidence(all[i].Words)
	}
	return all
}

func beginsSegment(s *transcript.RecognizedSegment, next transcript.RecognizedWord) bool {
	gap, length := next.Start-s.End, s.End-s.Start
	return gap >= pause || length >= longSeg && gap >= shortGap || length >= limitSeg
}

// meanConfidence returns the mean confidence of words, or nil if one has none.
func meanConfidence(words []transcript.RecognizedWord) *float64 {
	sum := 0.0
	for _, w := range words {
		if w.Confidence == nil {
			return nil
		}
		sum += min(max(*w.Confidence, 0), 1)
	}
	m := sum / float64(len(words))
	return &m
}
