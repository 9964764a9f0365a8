package transcript_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/interview/media/transcript"
)

// spoken returns a transcript of a recorded answer and a written one.
func spoken() *transcript.Transcript {
	return &transcript.Transcript{Engine: "test", Segments: []transcript.Segment{
		{ID: "s1", StartMS: 0, EndMS: 4000, Text: "I hold for five days", Confidence: p(0.4), Words: []transcript.Word{
			{Text: "I", StartMS: 0, EndMS: 100, Confidence: p(0.9)},
			{Text: "hold", StartMS: 200, EndMS: 600},
			{Text: "for", StartMS: 700, EndMS: 900},
			{Text: "five", StartMS: 1000, EndMS: 1400, Confidence: p(0.2)},
			{Text: "days", StartMS: 1500, EndMS: 2000},
		}},
		{ID: "s2", StartMS: 4000, EndMS: 6000, Text: "Gold mostly", Confidence: p(0.7)},
		{ID: "s3", StartMS: 6000, EndMS: 6000, Text: "In writing.", Engine: transcript.Typed},
	}}
}

func fixWords(t *testing.T, said *transcript.Transcript, id, text string) (transcript.Segment, bool, error) {
	t.Helper()
	s, err := said.Find(id)
	if err != nil {
		return transcript.Segment{}, false, err
	}
	changed, err := said.Correct(s, transcript.Correction{Text: text, CorrectedBy: "Ann", CorrectedAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)})
	return *s, changed, err
}

// TestCorrect corrects a segment twice. The engine's words, both corrections and the
// times of the words that stay are kept.
func TestCorrect(t *testing.T) {
	t.Parallel()
	said := spoken()
	recognized := &transcript.Recognized{Text: said.Segments[0].Text, Confidence: said.Segments[0].Confidence, Words: said.Segments[0].Words}
	if _, changed, err := fixWords(t, said, "s1", "I hold for nine whole days."); err != nil || !changed {
		t.Fatalf("changed %t, %v", changed, err)
	}
	got, changed, err := fixWords(t, said, "s1", "Well,  I hold for nine days,\nnot hours")
	if err != nil || !changed {
		t.Fatalf("changed %t, %v", changed, err)
	}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	want := transcript.Segment{
		ID: "s1", EndMS: 4000, Text: "Well, I hold for nine days, not hours", Recognized: recognized,
		Words: []transcript.Word{
			{Text: "Well,"},
			{Text: "I", EndMS: 100},
			{Text: "hold", StartMS: 200, EndMS: 600},
			{Text: "for", StartMS: 700, EndMS: 900},
			{Text: "nine", StartMS: 1000, EndMS: 1400},
			{Text: "days,", StartMS: 1500, EndMS: 2000},
			{Text: "not", StartMS: 2000, EndMS: 2750},
			{Text: "hours", StartMS: 2750, EndMS: 4000},
		},
		Corrections: []transcript.Correction{
			{Text: "I hold for nine whole days.", CorrectedBy: "Ann", CorrectedAt: at}, {Text: "Well, I hold for nine days, not hours", CorrectedBy: "Ann", CorrectedAt: at},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("segment (-want +got):\n%s", diff)
	}
	body, err := json.Marshal(said)
	if err != nil {
		t.Fatal(err)
	}
	var read transcript.Transcript
	if err := json.Unmarshal(body, &read); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(said, &read); diff != "" {
		t.Errorf("read again (-want +got):\n%s", diff)
	}
}

func TestCorrectWithoutTimes(t *testing.T) {
	t.Parallel()
	got, changed, err := fixWords(t, spoken(), "s2", "Gold, mostly")
	if err != nil || !changed || got.Words != nil || got.Confidence != nil || got.Recognized.Text != "Gold mostly" {
		t.Errorf("%+v, changed %t, %v", got, changed, err)
	}
}

func TestRefusedCorrections(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, segment, text string
		want                error
	}{
		{"the same words", "s2", " Gold  mostly\u202e", nil},
		{"no such segment", "s4", "Gold", transcript.ErrNoSegment},
		{"a written answer", "s3", "In haste.", transcript.ErrTyped},
		{"nothing visible", "s1", " \u202e\n", transcript.ErrNoWords},
		{"too long", "s1", strings.Repeat("é", transcript.MaxCorrection+1), transcript.ErrLongerText},
	} {
		t.Run(tc.name, func(t *testing.T) {
			said := spoken()
			if _, changed, err := fixWords(t, said, tc.segment, tc.text); changed || !errors.Is(err, tc.want) {
				t.Errorf("changed %t, %v, want %v", changed, err, tc.want)
			}
			if diff := cmp.Diff(spoken(), said); diff != "" {
				t.Errorf("transcript (-want +got):\n%s", diff)
			}
		})
	}
	said := spoken()
	for n := range transcript.MaxCorrections {
		if _, _, err := fixWords(t, said, "s2", "Gold "+strings.Repeat("x", n+1)); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := fixWords(t, said, "s2", "Gold"); !errors.Is(err, transcript.ErrCorrected) {
		t.Errorf("one too many: %v", err)
	}
}

// FuzzCorrect corrects a segment with any text. Its words are those of the text, in
// order and within the segment.
func FuzzCorrect(f *testing.F) {
	for _, text := range []string{"I hold for nine days", "days five for hold I", "hold hold hold", "…", "I\x00hold\xff", strings.Repeat("long ", 300)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		said := spoken()
		s, changed, err := fixWords(t, said, "s1", text)
		if err != nil || !changed {
			return
		}
		at := s.StartMS
		var texts []string
		for _, w := range s.Words {
			if w.StartMS < at || w.EndMS < w.StartMS || w.EndMS > s.EndMS {
				t.Errorf("%q: the word %+v is out of order", text, w)
			}
			at = w.StartMS
			texts = append(texts, w.Text)
		}
		if len(texts) != len(strings.Fields(s.Text)) {
			t.Errorf("%q has the words %q", s.Text, texts)
		}
	})
}
