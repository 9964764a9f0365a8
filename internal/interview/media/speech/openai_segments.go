package speech

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/assayhq/assay/internal/interview/media/transcript"
)

// toSegments returns the answer in the form that all engines use, moved by the
// seconds at which its piece begins.
func (s *said) toSegments(offset float64) []transcript.RecognizedSegment {
	switch {
	case len(s.Segments) > 0:
		return s.serverSegments(offset)
	case len(s.Words) > 0:
		return groupWords(recognizedWords(s.Words, offset))
	case s.Text != nil && *s.Text != "":
		return []transcript.RecognizedSegment{{Start: math.NaN(), End: math.NaN(), Text: *s.Text}}
	}
	return nil
}

// serverSegments returns the segments that the server made. Words are inside them
// or listed separately.
func (s *said) serverSegments(offset float64) []transcript.RecognizedSegment {
	all := make([]transcript.RecognizedSegment, len(s.Segments))
	for i, seg := range s.Segments {
		h := transcript.RecognizedSegment{
			Start: momentAt(seg.Start, offset), End: momentAt(seg.End, offset), Text: seg.Text, Words: recognizedWords(seg.Words, offset),
		}
		if seg.NoSpeech != nil {
			h.NoSpeech = *seg.NoSpeech
		}
		if seg.AvgLogprob != nil {
			c := math.Exp(*seg.AvgLogprob)
			h.Confidence = &c
		}
		all[i] = h
	}
	// A separate word belongs to the last segment that has begun at the word's
	// middle.
	at := 0
	for _, w := range recognizedWords(s.Words, offset) {
		for at+1 < len(all) && (w.Start+w.End)/2 >= all[at+1].Start {
			at++
		}
		if len(s.Segments[at].Words) == 0 {
			all[at].Words = append(all[at].Words, w)
		}
	}
	return all
}

func recognizedWords(list []saidWord, offset float64) []transcript.RecognizedWord {
	var all []transcript.RecognizedWord
	for _, w := range joinTokens(list) {
		all = append(all, transcript.RecognizedWord{Start: momentAt(w.Start, offset), End: momentAt(w.End, offset), Text: w.Word, Confidence: w.Probability})
	}
	return all
}

// joinTokens returns whole words. whisper.cpp lists the tokens of its model as words, such as " GB", "P" and
// "USD": a token that begins a word begins with a space.
func joinTokens(list []saidWord) []saidWord {
	if !slices.ContainsFunc(list, beginsWord) {
		return list // words without spaces, as OpenAI's server and others list them
	}
	var words []saidWord
	for _, token := range list {
		if len(words) == 0 || beginsWord(token) {
			words = append(words, token)
			continue
		}
		last := &words[len(words)-1]
		last.Word += token.Word
		last.End = token.End
		if token.Probability != nil && last.Probability != nil && strings.ContainsFunc(token.Word, isSpoken) {
			last.Probability = new(min(*last.Probability, *token.Probability)) // a word is as certain as its least certain part
		}
	}
	return words
}

func beginsWord(w saidWord) bool { return strings.HasPrefix(w.Word, " ") }

// isSpoken reports whether a character is part of what was said, which punctuation is not.
func isSpoken(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// momentAt returns a time that a server reported, or NaN if it did not report one.
func momentAt(at *float64, offset float64) float64 {
	if at == nil {
		return math.NaN()
	}
	return *at + offset
}
