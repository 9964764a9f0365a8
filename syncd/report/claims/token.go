package claims

import (
	"regexp"
	"slices"
	"strings"
)

// token is a word, a number or a mark of a segment.
type token struct {
	text       string // lower case, typographic apostrophes made plain
	start, end int    // bytes of the segment's text
	startMS    int
	endMS      int
	confidence *float64
}

// pattern finds numbers (with thousands, decimals or minutes), words, and marks.
// A comma before one or two digits is a decimal mark, as in 0,5.
var pattern = regexp.MustCompile(`[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+,[0-9]{1,2}\b|0,[0-9]+|[0-9]+(?:[.:][0-9]+)?|\.[0-9]+|[\p{L}]+(?:['’][\p{L}]+)*|[%$€£.?!;,:/&+–—-]`)

// fillers mean nothing.
var fillers = []string{"um", "uh", "erm", "er", "hmm", "basically", "actually", "literally", "just", "honestly", "well"}

// pause is a silence that ends a sentence, in milliseconds.
const pause = 700

// longest is how many tokens a sentence has at most: recognisers that set no
// marks may never end one.
const longest = 200

// sentences cuts a segment into stretches of tokens that belong together: at
// marks that end a sentence, and at pauses.
func sentences(s Segment) [][]token {
	var (
		all     [][]token
		current []token
	)
	flush := func() {
		if len(current) > 0 {
			all = append(all, current)
		}
		current = nil
	}
	for _, t := range tokenize(s) {
		if n := len(current); n == longest || n > 0 && len(s.Words) > 0 && t.startMS-current[n-1].endMS > pause {
			flush()
		}
		switch {
		case strings.Contains(".?!;—", t.text):
			flush()
		case !slices.Contains(fillers, t.text) || t.text == "actually" && afterStop(current):
			current = append(current, t)
		}
	}
	flush()
	return all
}

// afterStop reports whether the tokens end so that "actually" takes back what was
// said: "two percent, actually one".
func afterStop(tokens []token) bool {
	return len(tokens) > 1 && slices.Contains([]string{",", "no"}, tokens[len(tokens)-1].text)
}

// tokenize finds the tokens of a segment, with their times.
func tokenize(s Segment) []token {
	var tokens []token
	for _, at := range pattern.FindAllStringIndex(s.Text, -1) {
		raw := s.Text[at[0]:at[1]]
		tokens = append(tokens, token{
			text: strings.ReplaceAll(strings.ToLower(raw), "’", "'"), start: at[0], end: at[1],
			startMS: s.StartMS, endMS: s.EndMS, confidence: s.Confidence,
		})
	}
	tokens = joinDotted(tokens)
	timed(tokens, s)
	return tokens
}

// joinDotted takes "p.m." and "u.s." for one word each, so that their dots end no
// sentence.
func joinDotted(tokens []token) []token {
	var joined []token
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		for len(t.text) <= 3 && i+2 < len(tokens) && isLetter(tokens[i].text) && tokens[i+1].text == "." && isLetter(tokens[i+2].text) &&
			tokens[i+2].end-tokens[i].start == 3 {
			t.text += tokens[i+2].text
			t.end = tokens[i+2].end
			i += 2
		}
		if len(t.text) > 1 && t.end-t.start > len(t.text) && i+1 < len(tokens) && tokens[i+1].text == "." && tokens[i+1].start == t.end {
			t.end = tokens[i+1].end
			i++
		}
		joined = append(joined, t)
	}
	return joined
}

func isLetter(text string) bool { return len(text) == 1 && text[0] >= 'a' && text[0] <= 'z' }

// timed gives tokens the times of the words that they are in. Words and text are
// of the same engine, so that the words come in the order of the text.
func timed(tokens []token, s Segment) {
	from := 0
	for i, next := 0, 0; i < len(s.Words); i++ {
		word := strings.ToLower(strings.TrimSpace(s.Words[i].Text))
		if word == "" {
			continue
		}
		at := strings.Index(strings.ToLower(s.Text[from:]), word)
		if at < 0 {
			continue
		}
		begin, end := from+at, from+at+len(word)
		from = min(end, len(s.Text))
		for ; next < len(tokens) && tokens[next].start < end; next++ {
			if tokens[next].start >= begin {
				tokens[next].startMS, tokens[next].endMS = s.Words[i].StartMS, s.Words[i].EndMS
				if s.Words[i].Confidence != nil {
					tokens[next].confidence = s.Words[i].Confidence
				}
			}
		}
	}
}
