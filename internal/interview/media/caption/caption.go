// Package caption writes transcripts as WebVTT.
//
// Captions have at most two lines of 42 characters, last one to seven seconds,
// never overlap and leave 80 ms between each other. They break at the end of a
// sentence, otherwise between words. If somebody speaks faster than captions can be
// shown, they are shown a little later.
package caption

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/assayhq/assay/internal/interview/media/transcript"
)

// What captions are allowed, as subtitling guidelines recommend: two lines of 42
// characters, each shown for one to seven seconds with a short gap between them.
const (
	lineLength = 42 // characters
	lines      = 2
	shortest   = 1000 // ms
	longest    = 7000
	gap        = 80
)

// Cue is a caption.
type Cue struct {
	ID             string
	StartMS, EndMS int64
	Lines          []string // one or two
	Corrected      bool     // by a person
}

// Write writes the spoken part of a transcript as a WebVTT file. Written answers
// have no time at which to show them.
func Write(w io.Writer, t *transcript.Transcript) error {
	if _, err := io.WriteString(w, makeHeader(t)); err != nil {
		return err
	}
	for _, c := range Cues(t) {
		text := strings.Join(c.Lines, "\n")
		voice := "v"
		if c.Corrected {
			voice = "v.corrected"
		}
		_, err := fmt.Fprintf(w, "\n%s\n%s --> %s\n<%s Trader>%s</v>\n", c.ID, formatClock(c.StartMS), formatClock(c.EndMS), voice, escapeMarkup(text))
		if err != nil {
			return err
		}
	}
	return nil
}

// makeHeader names the engine, because people should know that a machine has
// listened.
func makeHeader(t *transcript.Transcript) string {
	engine := t.Engine
	if t.Model != "" {
		engine += " " + t.Model
	}
	note := fmt.Sprintf("NOTE Automatic transcript (%s, %s quality, %s). It may contain errors.", engine, t.Quality, t.Language)
	if slices.ContainsFunc(t.Segments, func(s transcript.Segment) bool { return len(s.Corrections) > 0 }) {
		note += " A person has corrected the cues with the class corrected."
	}
	// A note ends with an empty line and holds no arrow.
	return "WEBVTT\n\n" + strings.ReplaceAll(strings.Join(strings.Fields(note), " "), ">", "") + "\n"
}

// Cues are the captions of a transcript. A segment that begins while the caption before it is still
// shown joins it, as far as it fits, so that captions of halting speech do not fall behind.
func Cues(t *transcript.Transcript) []Cue {
	var (
		all   []Cue
		free  int64               // when the next caption may begin
		words []token             // of the last caption
		from  *transcript.Segment // with the first of these words
	)
	for i := range t.Segments {
		s := &t.Segments[i]
		if s.Engine == transcript.Typed {
			continue
		}
		for n, part := range splitCaptions(timedTokens(s)) {
			joined := slices.Concat(words, part)
			if n == 0 && part[0].start < free-gap && canJoin(from, s) && fitsCaption(joined) {
				words = joined
			} else {
				words, from = part, s
				c := Cue{ID: s.ID, StartMS: max(part[0].start, free), Corrected: len(s.Corrections) > 0}
				if n > 0 {
					c.ID += "-" + strconv.Itoa(n+1)
				}
				all = append(all, c)
			}
			c := &all[len(all)-1]
			c.Lines = wrapLines(words)
			c.EndMS = min(max(words[len(words)-1].end, c.StartMS+shortest), c.StartMS+longest)
			free = c.EndMS + gap
		}
	}
	return all
}

// canJoin reports whether words of the two segments may share a caption. The first one is nil before
// the first caption.
func canJoin(a, b *transcript.Segment) bool {
	return a != nil && a.QuestionID == b.QuestionID && a.Take == b.Take && (len(a.Corrections) > 0) == (len(b.Corrections) > 0)
}

// token is a word with its time.
type token struct {
	text       string
	start, end int64
}

// timedTokens returns a segment's words. If the engine reported no times of words,
// each gets a share of the segment's time by its length.
func timedTokens(s *transcript.Segment) []token {
	if len(s.Words) > 0 {
		var all []token
		for _, w := range s.Words {
			all = append(all, splitToken(token{w.Text, w.StartMS, w.EndMS})...)
		}
		return all
	}
	return splitToken(token{s.Text, s.StartMS, s.EndMS})
}

// splitToken splits a token at its spaces, and what is longer than a line
// anywhere.
func splitToken(t token) []token {
	var texts []string
	for word := range strings.FieldsSeq(t.text) {
		for runes := []rune(word); len(runes) > 0; {
			n := min(len(runes), lineLength)
			texts = append(texts, string(runes[:n]))
			runes = runes[n:]
		}
	}
	whole := 0
	for _, text := range texts {
		whole += utf8.RuneCountInString(text)
	}
	all, before := make([]token, 0, len(texts)), 0
	at := func(characters int) int64 { return t.start + (t.end-t.start)*int64(characters)/int64(whole) }
	for _, text := range texts {
		part := token{text: text, start: at(before)}
		before += utf8.RuneCountInString(text)
		part.end = at(before)
		all = append(all, part)
	}
	return all
}

// splitCaptions cuts words into what fits captions: as much as fits, but not beyond the
// end of a sentence when some of it is full.
func splitCaptions(words []token) [][]token {
	var all [][]token
	for len(words) > 0 {
		n := 1
		for n < len(words) && fitsCaption(words[:n+1]) && !endsCaption(words[n-1].text, countCharacters(words[:n])) {
			n++
		}
		if n < len(words) {
			n = backToPunctuation(words, n)
		}
		all, words = append(all, words[:n]), words[n:]
	}
	return all
}

// fitsCaption reports whether words make one caption.
func fitsCaption(words []token) bool {
	return words[len(words)-1].end-words[0].start <= longest && len(wrapLines(words)) <= lines
}

// endsCaption reports whether a caption of that many characters should end with the
// word.
func endsCaption(word string, length int) bool {
	return length >= lineLength/2 && strings.ContainsAny(word[len(word)-1:], ".?!")
}

// backToPunctuation returns a better place to end a caption of n words: a comma or
// the like in its second half.
func backToPunctuation(words []token, n int) int {
	for m := n; m > 1 && countCharacters(words[:m]) > lineLength; m-- {
		if text := words[m-1].text; strings.ContainsAny(text[len(text)-1:], ".?!,;:") {
			return m
		}
	}
	return n
}

func countCharacters(words []token) int {
	n := len(words) - 1
	for _, w := range words {
		n += utf8.RuneCountInString(w.text)
	}
	return n
}

// wrapLines breaks words into lines. Two lines have about the same length.
func wrapLines(words []token) []string {
	if countCharacters(words) <= lineLength {
		return []string{joinText(words)}
	}
	best, least := 0, lineLength*4
	for i := 1; i < len(words); i++ {
		above, below := countCharacters(words[:i]), countCharacters(words[i:])
		if above <= lineLength && below <= lineLength && max(above, below) < least {
			best, least = i, max(above, below)
		}
	}
	if best == 0 { // more than two lines; nobody shows them
		return make([]string, lines+1)
	}
	return []string{joinText(words[:best]), joinText(words[best:])}
}

func joinText(words []token) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = w.text
	}
	return strings.Join(all, " ")
}

// escapeMarkup keeps a text from being read as markup.
func escapeMarkup(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

// formatClock writes a moment as WebVTT does.
func formatClock(ms int64) string {
	return fmt.Sprintf("%02d:%02d:%02d.%03d", ms/3_600_000, ms/60_000%60, ms/1000%60, ms%1000)
}
