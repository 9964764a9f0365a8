package transcript

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Bounds of what is used of an engine's answer, which may be wrong in any way.
const (
	maxSegments = 20_000 // of an answer
	maxText     = 4_000  // characters of a segment
	maxWord     = 200    // characters of a word

	noSpeech = 0.8 // a segment that the engine takes for no speech with more
	unsure   = 0.3 // and is this unsure of, is left out
)

// Recognition is an engine's result for an answer, with times from the answer's start.
// Its numbers come from the engine and may be nonsense.
type Recognition struct {
	Segments []RecognizedSegment
}

// RecognizedSegment is a stretch of recognized speech.
type RecognizedSegment struct {
	Start, End float64 // seconds; NaN when not reported
	Text       string
	Confidence *float64 // nil when the engine reports none
	NoSpeech   float64  // probability that it is no speech; 0 when not reported
	Words      []RecognizedWord
}

// RecognizedWord is a recognized word.
type RecognizedWord struct {
	Start, End float64 // seconds; NaN when not reported
	Text       string
	Confidence *float64
}

// Assemble puts the answers of an interview into one transcript.
func Assemble(h Head, answers []Answer) *Transcript {
	t := &Transcript{
		Engine: h.Engine, Model: h.Model, Language: h.Language, Quality: h.Quality, Timing: ByWord,
		GeneratedAt: h.GeneratedAt, Note: h.Note, Segments: []Segment{},
	}
	spoken := false
	for _, a := range answers {
		switch {
		case a.Recognition != nil:
			spoken = true
			t.addRecognition(a)
		case strings.TrimSpace(a.Text) != "":
			t.addTyped(a)
		}
	}
	if !spoken {
		t.Engine, t.Model, t.Quality, t.Timing = Typed, "", Standard, ByAnswer
	}
	for i := range t.Segments {
		t.Segments[i].ID = "s" + strconv.Itoa(i+1)
	}
	return t
}

func (t *Transcript) addTyped(a Answer) {
	certain := 1.0
	at := a.Start.Milliseconds()
	for paragraph := range strings.SplitSeq(a.Text, "\n") {
		for text := range splitText(cleanText(paragraph)) {
			t.Segments = append(t.Segments, Segment{
				QuestionID: a.QuestionID, Take: a.Take, StartMS: at, EndMS: at, Speaker: "trader", Text: text, Confidence: &certain, Engine: Typed,
			})
		}
	}
}

// addRecognition adds an answer's segments that have a text, in the order of time.
func (t *Transcript) addRecognition(a Answer) {
	length := (a.End - a.Start).Seconds()
	list := splitSegments(a.Recognition.Segments[:min(len(a.Recognition.Segments), maxSegments)], length)
	timed := hasTimes(list, length)
	if !timed {
		spreadTimes(list, 0, length)
	} else {
		slices.SortStableFunc(list, func(x, y RecognizedSegment) int {
			return cmp.Compare(clamp(x.Start, 0, length), clamp(y.Start, 0, length))
		})
	}
	from := a.Start
	for i := range list {
		h := &list[i]
		confidence := roundProbability(h.Confidence)
		if h.NoSpeech > noSpeech && confidence != nil && *confidence < unsure {
			t.Discarded++
			continue
		}
		s := Segment{QuestionID: a.QuestionID, Take: a.Take, Speaker: "trader", Confidence: confidence}
		s.StartMS, s.EndMS = placeMoment(a.Start, from, a.End, h.Start), placeMoment(a.Start, from, a.End, h.End)
		timing := ByAnswer
		if timed {
			timing = BySegment
			if s.Words = placeWords(h.Words, a.Start, s.StartMS, s.EndMS); s.Words != nil {
				timing = ByWord
			}
		}
		if s.Text = h.Text; s.Text == "" {
			continue
		}
		if s.EndMS < s.StartMS {
			s.EndMS = s.StartMS
		}
		from = time.Duration(s.EndMS) * time.Millisecond
		t.Segments = append(t.Segments, s)
		t.Timing = coarserOf(t.Timing, timing)
	}
}

// splitSegments returns the segments with clean texts. A segment longer than maxText, such as the
// whole answer of a server that reports no times, becomes several without words.
func splitSegments(list []RecognizedSegment, length float64) []RecognizedSegment {
	all := make([]RecognizedSegment, 0, len(list))
	for _, h := range list {
		h.Text = cleanText(h.Text)
		if utf8.RuneCountInString(h.Text) <= maxText {
			all = append(all, h)
			continue
		}
		h.Words = nil
		first := len(all)
		for text := range splitText(h.Text) {
			part := h
			part.Text = text
			all = append(all, part)
		}
		spreadTimes(all[first:], h.Start, max(h.Start, min(h.End, length)))
	}
	return all
}

// hasTimes reports whether the segments have meaningful times: numbers that lie
// within the answer and are not all the same.
func hasTimes(list []RecognizedSegment, length float64) bool {
	lasts := false
	for _, h := range list {
		if math.IsNaN(h.Start) || math.IsNaN(h.End) || h.Start < -1 || h.Start > length+1 {
			return false
		}
		lasts = lasts || h.End > h.Start
	}
	return lasts
}

// spreadTimes gives each segment a share of the time between two moments, by the length of its text.
func spreadTimes(list []RecognizedSegment, from, to float64) {
	whole, before := 0, 0
	for i := range list {
		whole += utf8.RuneCountInString(list[i].Text)
	}
	at := func(characters int) float64 { return from + (to-from)*float64(characters)/float64(max(whole, 1)) }
	for i := range list {
		list[i].Start = at(before)
		before += utf8.RuneCountInString(list[i].Text)
		list[i].End = at(before)
	}
}

// placeWords places a segment's words within it. It returns nil if a word has no
// time or no text.
func placeWords(list []RecognizedWord, start time.Duration, from, to int64) []Word {
	var all []Word
	for _, h := range list {
		text := cutText(cleanText(h.Text), maxWord)
		if math.IsNaN(h.Start) || math.IsNaN(h.End) || text == "" {
			return nil
		}
		w := Word{Text: text, StartMS: boundMoment(start, h.Start, from, to), Confidence: roundProbability(h.Confidence)}
		w.EndMS = boundMoment(start, h.End, w.StartMS, to)
		from = w.StartMS
		all = append(all, w)
	}
	return all
}

// placeMoment returns a moment of an answer on the interview's timeline, not
// before from.
func placeMoment(start, from, end time.Duration, at float64) int64 {
	return boundMoment(start, at, from.Milliseconds(), end.Milliseconds())
}

// boundMoment returns a moment of an answer in milliseconds, between the two.
func boundMoment(start time.Duration, at float64, from, to int64) int64 {
	ms := start.Milliseconds() + int64(math.Round(clamp(at, -1, 1e6)*1000))
	return max(from, min(ms, to))
}

// clamp limits a number to the range between two others. NaN becomes the lesser
// one.
func clamp(x, low, high float64) float64 {
	if !(x > low) {
		return low
	}
	return min(x, high)
}

// roundProbability returns a number from 0 to 1, rounded to three places, or nil if
// it is none.
func roundProbability(p *float64) *float64 {
	if p == nil || math.IsNaN(*p) {
		return nil
	}
	x := math.Round(clamp(*p, 0, 1)*1000) / 1000
	return &x
}

// coarserOf returns the coarser of the two timings.
func coarserOf(a, b Timing) Timing {
	order := []Timing{ByWord, BySegment, ByAnswer}
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

// cleanText returns one line of valid text, because a transcript goes into a
// database that cannot hold NUL, into captions whose line breaks have a meaning,
// and on pages.
func cleanText(s string) string {
	s = strings.ToValidUTF8(s, "")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), isBidi(r), r == 0xFEFF:
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// isBidi reports whether a character changes the direction of the text after it.
func isBidi(r rune) bool { return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 }

// cutText shortens a text to so many characters.
func cutText(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most])
}

// splitText cuts a text into segments of at most maxText characters, between words
// where there are any.
func splitText(s string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for rest := []rune(s); len(rest) > 0; {
			n := min(len(rest), maxText)
			if n < len(rest) {
				if i := strings.LastIndexByte(string(rest[:n]), ' '); i > 0 {
					n = utf8.RuneCountInString(string(rest[:n])[:i])
				}
			}
			if !yield(strings.TrimSpace(string(rest[:n]))) {
				return
			}
			rest = []rune(strings.TrimSpace(string(rest[n:])))
		}
	}
}
