package transcript

import (
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of corrections.
const (
	MaxCorrection  = maxText // characters of a corrected text
	MaxCorrections = 50      // of a segment; they are stored and read with the transcript
)

// Reasons for which a segment is not corrected.
var (
	ErrNoSegment  = errors.New("the transcript has no such segment")
	ErrTyped      = errors.New("the trader wrote the answer")
	ErrCorrected  = errors.New("the segment was corrected too often")
	ErrNoWords    = errors.New("the correction has no visible character")
	ErrLongerText = errors.New("the correction is too long")
)

// Find returns the segment with the id. It returns ErrNoSegment if there is none.
func (t *Transcript) Find(id string) (*Segment, error) {
	i := slices.IndexFunc(t.Segments, func(s Segment) bool { return s.ID == id })
	if i < 0 {
		return nil, ErrNoSegment
	}
	return &t.Segments[i], nil
}

// IsTyped reports whether the trader wrote the segment's answer.
func (t *Transcript) IsTyped(s *Segment) bool { return s.Engine == Typed || t.Engine == Typed }

// Correct replaces the words of a segment with those of a person, and reports
// whether they differ. The segment keeps what the engine recognized, and each
// earlier correction. Words that stay keep their times, and the others get the time
// between them. The engine's confidence says nothing about a person's words, so
// there is none.
func (t *Transcript) Correct(s *Segment, c Correction) (changed bool, err error) {
	c.Text = cleanText(c.Text)
	switch {
	case t.IsTyped(s):
		return false, ErrTyped
	case c.Text == "":
		return false, ErrNoWords
	case utf8.RuneCountInString(c.Text) > MaxCorrection:
		return false, ErrLongerText
	case c.Text == s.Text:
		return false, nil
	case len(s.Corrections) >= MaxCorrections:
		return false, ErrCorrected
	}
	if s.Recognized == nil {
		s.Recognized = &Recognized{Text: s.Text, Confidence: s.Confidence, Words: s.Words}
	}
	s.Corrections = append(s.Corrections, c)
	s.Text, s.Confidence = c.Text, nil
	s.Words = alignWords(s.Recognized.Words, strings.Fields(c.Text), s.StartMS, s.EndMS)
	return true, nil
}

// alignWords gives the words of a text the times of the recognized words. It returns
// nil if no words were recognized, because then nothing is known about times.
func alignWords(recognized []Word, texts []string, from, to int64) []Word {
	if len(recognized) == 0 {
		return nil
	}
	words := make([]Word, len(texts))
	next, first := 0, 0 // of the texts and the recognized words that have no partner yet
	place := func(text, word int, end int64) {
		begin := from
		if first < word { // in the place of words that were recognized
			begin, end = recognized[first].StartMS, recognized[word-1].EndMS
		}
		spreadWords(words[next:text], texts[next:text], max(begin, from), max(end, from))
	}
	for _, pair := range matchWords(recognized, texts) {
		text, word := pair[0], pair[1]
		place(text, word, recognized[word].StartMS)
		words[text] = Word{Text: cutText(texts[text], maxWord), StartMS: recognized[word].StartMS, EndMS: recognized[word].EndMS}
		next, first, from = text+1, word+1, recognized[word].EndMS
	}
	place(len(texts), len(recognized), to)
	return words
}

// spreadWords gives words a share of a time, by their length.
func spreadWords(words []Word, texts []string, from, to int64) {
	whole, before := 0, 0
	for _, text := range texts {
		whole += utf8.RuneCountInString(text)
	}
	at := func(characters int) int64 { return from + (to-from)*int64(characters)/int64(whole) }
	for i, text := range texts {
		words[i] = Word{Text: cutText(text, maxWord), StartMS: at(before)}
		before += utf8.RuneCountInString(text)
		words[i].EndMS = at(before)
	}
}

// matchWords returns the indexes of texts and recognized words that are the same
// word: a longest common subsequence, regardless of case and punctuation.
func matchWords(recognized []Word, texts []string) (pairs [][2]int) {
	a, b := make([]string, len(texts)), make([]string, len(recognized))
	for i, text := range texts {
		a[i] = foldWord(text)
	}
	for i, w := range recognized {
		b[i] = foldWord(w.Text)
	}
	lengths := make([][]int, len(a)+1)
	lengths[len(a)] = make([]int, len(b)+1)
	for i := len(a) - 1; i >= 0; i-- {
		lengths[i] = make([]int, len(b)+1)
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				lengths[i][j] = lengths[i+1][j+1] + 1
			} else {
				lengths[i][j] = max(lengths[i+1][j], lengths[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case lengths[i+1][j] >= lengths[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// foldWord returns a word in the form in which words are compared.
func foldWord(s string) string {
	return strings.ToLower(strings.TrimFunc(s, func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSpace(r) }))
}
