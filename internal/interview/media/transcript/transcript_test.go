package transcript_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/interview/media/transcript"
)

func p(x float64) *float64 { return &x }

func head() transcript.Head {
	return transcript.Head{Engine: "openai", Model: "whisper-1", Language: "en", Quality: transcript.Standard, GeneratedAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
}

func TestAssemble(t *testing.T) {
	t.Parallel()
	got := transcript.Assemble(head(), []transcript.Answer{
		{QuestionID: "q1", Take: 1, Start: 0, End: 10 * time.Second, Recognition: &transcript.Recognition{Segments: []transcript.RecognizedSegment{
			{Start: 0.5, End: 3, Text: " I trade\n the <euro>. ", Confidence: p(0.91239), Words: []transcript.RecognizedWord{
				{Start: 0.5, End: 0.6, Text: "I", Confidence: p(1.0002)}, {Start: 0.7, End: 1, Text: "trade"}, {Start: 1, End: 3.2, Text: "the <euro>.", Confidence: p(0.5)},
			}},
			{Start: 4, End: 6, Text: "Thank you for watching", Confidence: p(0.29), NoSpeech: 0.81},
			{Start: 6, End: 7, Text: "quietly said", Confidence: p(0.31), NoSpeech: 0.9},
		}}},
		{QuestionID: "q2", Take: 1, Start: 10 * time.Second, End: 10 * time.Second, Text: "In writing.\n\nTwo paragraphs."},
		{QuestionID: "q3", Take: 2, Start: 10 * time.Second, End: 14 * time.Second, Recognition: &transcript.Recognition{Segments: []transcript.RecognizedSegment{{Start: 1, End: 2, Text: "Yes."}}}},
		{QuestionID: "q4", Take: 1, Start: 14 * time.Second, End: 20 * time.Second, Recognition: &transcript.Recognition{}},
	})
	want := &transcript.Transcript{
		Engine: "openai", Model: "whisper-1", Language: "en", Quality: transcript.Standard, Timing: transcript.BySegment, GeneratedAt: head().GeneratedAt, Discarded: 1,
		Segments: []transcript.Segment{
			{ID: "s1", QuestionID: "q1", Take: 1, StartMS: 500, EndMS: 3000, Speaker: "trader", Text: "I trade the <euro>.", Confidence: p(0.912), Words: []transcript.Word{
				{Text: "I", StartMS: 500, EndMS: 600, Confidence: p(1)}, {Text: "trade", StartMS: 700, EndMS: 1000}, {Text: "the <euro>.", StartMS: 1000, EndMS: 3000, Confidence: p(0.5)},
			}},
			{ID: "s2", QuestionID: "q1", Take: 1, StartMS: 6000, EndMS: 7000, Speaker: "trader", Text: "quietly said", Confidence: p(0.31)},
			{ID: "s3", QuestionID: "q2", Take: 1, StartMS: 10000, EndMS: 10000, Speaker: "trader", Text: "In writing.", Confidence: p(1), Engine: "typed"},
			{ID: "s4", QuestionID: "q2", Take: 1, StartMS: 10000, EndMS: 10000, Speaker: "trader", Text: "Two paragraphs.", Confidence: p(1), Engine: "typed"},
			{ID: "s5", QuestionID: "q3", Take: 2, StartMS: 11000, EndMS: 12000, Speaker: "trader", Text: "Yes."},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("transcript (-want +got):\n%s", diff)
	}
}

func TestAllWritten(t *testing.T) {
	t.Parallel()
	got := transcript.Assemble(head(), []transcript.Answer{{QuestionID: "q", Take: 1, Text: strings.Repeat("word ", 2000)}})
	if got.Engine != transcript.Typed || got.Model != "" || got.Timing != transcript.ByAnswer || len(got.Segments) != 3 {
		t.Errorf("%s %q %s, %d segments: want typed, in three", got.Engine, got.Model, got.Timing, len(got.Segments))
	}
}

// Engines that answer without times, or with times that can't be, are used for
// their words.
func TestTimesThatAreNone(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for _, tc := range []struct {
		name string
		in   []transcript.RecognizedSegment
		want [][2]int64 // in an answer from 5 to 15 seconds
		how  transcript.Timing
	}{
		{"none", []transcript.RecognizedSegment{{Start: nan, End: nan, Text: "a"}}, [][2]int64{{5000, 15000}}, transcript.ByAnswer},
		{"all at the start", []transcript.RecognizedSegment{{Text: "a"}, {Text: "b"}}, [][2]int64{{5000, 10000}, {10000, 15000}}, transcript.ByAnswer},
		{"in milliseconds", []transcript.RecognizedSegment{{Start: 0, End: 1000, Text: "a"}, {Start: 1000, End: 2000, Text: "b"}}, [][2]int64{{5000, 10000}, {10000, 15000}}, transcript.ByAnswer},
		{"out of order", []transcript.RecognizedSegment{{Start: 3, End: 4, Text: "b"}, {Start: 1, End: 2, Text: "a"}}, [][2]int64{{6000, 7000}, {8000, 9000}}, transcript.BySegment},
		{"overlapping", []transcript.RecognizedSegment{{Start: 1, End: 4, Text: "a"}, {Start: 2, End: 6, Text: "b"}}, [][2]int64{{6000, 9000}, {9000, 11000}}, transcript.BySegment},
		{"backwards", []transcript.RecognizedSegment{{Start: 4, End: 1, Text: "a"}, {Start: 5, End: 6, Text: "b"}}, [][2]int64{{9000, 9000}, {10000, 11000}}, transcript.BySegment},
		{"beyond the end", []transcript.RecognizedSegment{{Start: 9, End: 1e300, Text: "a"}}, [][2]int64{{14000, 15000}}, transcript.BySegment},
		{"before the start", []transcript.RecognizedSegment{{Start: -0.5, End: 1, Text: "a"}}, [][2]int64{{5000, 6000}}, transcript.BySegment},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := transcript.Assemble(head(), []transcript.Answer{{QuestionID: "q", Start: 5 * time.Second, End: 15 * time.Second, Recognition: &transcript.Recognition{Segments: tc.in}}})
			var times [][2]int64
			for _, s := range got.Segments {
				times = append(times, [2]int64{s.StartMS, s.EndMS})
			}
			if diff := cmp.Diff(tc.want, times); diff != "" || got.Timing != tc.how {
				t.Errorf("timing %s, want %s; times (-want +got):\n%s", got.Timing, tc.how, diff)
			}
		})
	}
}

// Nothing is lost of a segment that is longer than the segments of transcripts are.
func TestLongSegments(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	long := strings.TrimSpace(strings.Repeat("word ", 2000)) // 9,999 characters
	words := []transcript.RecognizedWord{{Start: 20, End: 100, Text: "word"}}
	for _, tc := range []struct {
		name string
		in   []transcript.RecognizedSegment
		want [][2]int64 // in an answer of 100 seconds
		how  transcript.Timing
	}{
		{"without times", []transcript.RecognizedSegment{{Start: nan, End: nan, Text: long}}, [][2]int64{{0, 40002}, {40002, 80004}, {80004, 100000}}, transcript.ByAnswer},
		{"with times", []transcript.RecognizedSegment{
			{Start: 10, End: 20, Text: "Yes."}, {Start: 20, End: 90, Text: long, Words: words}, {Start: 95, End: 99, Text: "No."},
		}, [][2]int64{{10000, 20000}, {20000, 48001}, {48001, 76003}, {76003, 90000}, {95000, 99000}}, transcript.BySegment},
		{"beyond the end", []transcript.RecognizedSegment{{Start: 20, End: 1e300, Text: long}}, [][2]int64{{20000, 52002}, {52002, 84003}, {84003, 100000}}, transcript.BySegment},
		{"backwards", []transcript.RecognizedSegment{{Start: 1, End: 2, Text: "Yes."}, {Start: 20, End: 10, Text: long}}, [][2]int64{{1000, 2000}, {20000, 20000}, {20000, 20000}, {20000, 20000}}, transcript.BySegment},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := transcript.Assemble(head(), []transcript.Answer{{QuestionID: "q", End: 100 * time.Second, Recognition: &transcript.Recognition{Segments: tc.in}}})
			var (
				times [][2]int64
				texts []string
			)
			for _, s := range got.Segments {
				times, texts = append(times, [2]int64{s.StartMS, s.EndMS}), append(texts, s.Text)
				if n := utf8.RuneCountInString(s.Text); n > transcript.MaxCorrection {
					t.Errorf("a segment has %d characters", n)
				}
			}
			if n := strings.Count(strings.Join(texts, " "), "word"); n != 2000 {
				t.Errorf("%d of 2000 words are left", n)
			}
			if diff := cmp.Diff(tc.want, times); diff != "" || got.Timing != tc.how {
				t.Errorf("timing %s, want %s; times (-want +got):\n%s", got.Timing, tc.how, diff)
			}
		})
	}
}

// Whatever an engine says, a transcript is in order and can be stored.
func FuzzAssemble(f *testing.F) {
	f.Add("hello", 0.0, 1.0, 0.5, "w", 0.2, 0.4)
	f.Add("\x00\xff\u202e", -1e308, math.Inf(1), math.NaN(), "", 5.0, -5.0)
	f.Fuzz(func(t *testing.T, text string, start, end, confidence float64, word string, from, to float64) {
		s := transcript.RecognizedSegment{Start: start, End: end, Text: text, Confidence: &confidence, NoSpeech: confidence, Words: []transcript.RecognizedWord{{Start: from, End: to, Text: word, Confidence: &confidence}}}
		other := transcript.RecognizedSegment{Start: from, End: to, Text: word + text}
		got := transcript.Assemble(head(), []transcript.Answer{
			{QuestionID: "a", Start: time.Second, End: 4 * time.Second, Recognition: &transcript.Recognition{Segments: []transcript.RecognizedSegment{s, other, s}}},
			{QuestionID: "b", Start: 4 * time.Second, End: 4 * time.Second, Text: text},
			{QuestionID: "c", Start: 4 * time.Second, End: 9 * time.Second, Recognition: &transcript.Recognition{Segments: []transcript.RecognizedSegment{other}}},
		})
		last := int64(1000)
		for _, s := range got.Segments {
			if s.EndMS < s.StartMS || s.StartMS < 1000 || s.EndMS > 9000 || s.StartMS < last {
				t.Errorf("segment %+v after %d", s, last)
			}
			last = s.EndMS
			if s.Text == "" || strings.ContainsAny(s.Text, "\x00\n\r") || !utf8.ValidString(s.Text) {
				t.Errorf("text %q", s.Text)
			}
			for _, w := range s.Words {
				if w.StartMS < s.StartMS || w.EndMS > s.EndMS || w.EndMS < w.StartMS {
					t.Errorf("word %+v of %+v", w, s)
				}
			}
		}
		if _, err := json.Marshal(got); err != nil {
			t.Error(err)
		}
	})
}
