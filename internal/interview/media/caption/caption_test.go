package caption_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/interview/media/caption"
	"github.com/assayhq/assay/internal/interview/media/transcript"
)

var update = flag.Bool("update", false, "write the goldens anew")

// transcripts are written to testdata, where published parsers read them in the
// tests of test/clients.
func transcripts() map[string]*transcript.Transcript {
	return map[string]*transcript.Transcript{
		"empty": {Engine: "pocketsphinx", Quality: transcript.Draft, Language: "en"},
		"words": of(transcript.Segment{ID: "s1", StartMS: 500, EndMS: 9000, Text: "I trade the euro.", Words: []transcript.Word{
			{Text: "I", StartMS: 500, EndMS: 600}, {Text: "trade", StartMS: 700, EndMS: 1200}, {Text: "the", StartMS: 8000, EndMS: 8100}, {Text: "euro.", StartMS: 8200, EndMS: 9000},
		}}),
		"long": of(transcript.Segment{ID: "s1", StartMS: 0, EndMS: 30_000, Text: "I usually trade in the morning, when London has opened, because the spreads are low. " +
			"After the news I wait for ten minutes; then I look whether the level holds, and only then do I open a position with one percent of risk or less."}),
		"fast": of(transcript.Segment{ID: "s1", StartMS: 0, EndMS: 100, Text: strings.Repeat("very fast speech indeed ", 20)}, transcript.Segment{ID: "s2", StartMS: 200, EndMS: 300, Text: "Next."}),
		"slow": of(transcript.Segment{ID: "s1", StartMS: 0, EndMS: 60_000, Text: "Well ..."}, transcript.Segment{ID: "s2", StartMS: 60_000, EndMS: 60_200, Text: "Yes."}),
		"markup": of(
			transcript.Segment{ID: "s1", StartMS: 1000, EndMS: 3000, Text: "--> a < b & c > d </v><script>alert(1)</script>"},
			transcript.Segment{ID: "s2", StartMS: 3000, EndMS: 5000, Text: "WEBVTT NOTE &amp; STYLE"},
			transcript.Segment{ID: "s3", StartMS: 5000, EndMS: 7000, Text: "ünïcödé 我交易欧元 أتاجر 🙂"},
		),
		"corrected": of(
			transcript.Segment{ID: "s1", StartMS: 0, EndMS: 2000, Text: "I hold for nine days.", Corrections: []transcript.Correction{{Text: "I hold for nine days.", CorrectedBy: "Ann"}}},
			transcript.Segment{ID: "s2", StartMS: 3000, EndMS: 5000, Text: "Mostly gold."},
		),
		"unbroken": of(transcript.Segment{ID: "s1", StartMS: 3_600_000, EndMS: 3_610_000, Text: strings.Repeat("x", 200)}),
		"typed":    of(transcript.Segment{ID: "s1", StartMS: 0, EndMS: 0, Text: "Written.", Engine: transcript.Typed}, transcript.Segment{ID: "s2", StartMS: 0, EndMS: 900, Text: "Spoken."}),
	}
}

func of(segments ...transcript.Segment) *transcript.Transcript {
	return &transcript.Transcript{Engine: "openai", Model: "large\n\n-->v3", Quality: transcript.Standard, Language: "en", Segments: segments}
}

func TestGoldens(t *testing.T) {
	t.Parallel()
	for name, in := range transcripts() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got bytes.Buffer
			if err := caption.Write(&got, in); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", name+".vtt")
			if *update {
				if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("captions (-want +got):\n%s", diff)
			}
			wantRules(t, in)
		})
	}
}

// Captions of single words with pauses between them, which an engine makes a segment each of, do not
// fall behind, not even into the next answer.
func TestHaltingSpeech(t *testing.T) {
	t.Parallel()
	var segments []transcript.Segment
	starts := map[string]int64{} // of the segments
	for i := range int64(60) {
		s := transcript.Segment{ID: fmt.Sprint("s", i+1), QuestionID: "q1", StartMS: i * 950, EndMS: i*950 + 200, Text: "Well"}
		if i >= 40 {
			s.QuestionID = "q2"
		}
		starts[s.ID] = s.StartMS
		segments = append(segments, s)
	}
	in := of(segments...)
	wantRules(t, in)
	for _, c := range caption.Cues(in) {
		if late := c.StartMS - starts[c.ID]; late > 500 {
			t.Errorf("caption %s is %d ms late", c.ID, late)
		}
	}
}

// wantRules compares the captions with what the package promises.
func wantRules(t *testing.T, in *transcript.Transcript) {
	t.Helper()
	cues := caption.Cues(in)
	ids := map[string]bool{}
	for i, c := range cues {
		if d := c.EndMS - c.StartMS; d < 1000 || d > 7000 || c.StartMS < 0 {
			t.Errorf("caption %d lasts from %d to %d", i, c.StartMS, c.EndMS)
		}
		if i > 0 && c.StartMS-cues[i-1].EndMS < 80 {
			t.Errorf("caption %d begins at %d, the one before ends at %d", i, c.StartMS, cues[i-1].EndMS)
		}
		if len(c.Lines) < 1 || len(c.Lines) > 2 {
			t.Errorf("caption %d has %d lines", i, len(c.Lines))
		}
		for _, line := range c.Lines {
			if n := utf8.RuneCountInString(line); n > 42 || n == 0 {
				t.Errorf("caption %d: line %q of %d characters", i, line, n)
			}
		}
		if ids[c.ID] {
			t.Errorf("two captions have the id %q", c.ID)
		}
		ids[c.ID] = true
	}
	if got, want := squeeze(said(cues)), squeeze(spoken(in)); got != want {
		t.Errorf("captions say %q, the transcript %q", got, want)
	}
}

func said(cues []caption.Cue) string {
	var all []string
	for _, c := range cues {
		all = append(all, c.Lines...)
	}
	return strings.Join(all, " ")
}

func spoken(in *transcript.Transcript) string {
	var all []string
	for _, s := range in.Segments {
		if s.Engine != transcript.Typed {
			all = append(all, s.Text)
		}
	}
	return strings.Join(all, " ")
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

func FuzzCues(f *testing.F) {
	f.Add("I trade, as a rule, in the morning.", "Yes.", int64(0), int64(5000), int64(5000))
	f.Add(strings.Repeat("a ", 300), "-->", int64(1), int64(2), int64(3))
	f.Fuzz(func(t *testing.T, one, two string, a, b, c int64) {
		ms := func(x int64) float64 { return float64(x%100_000) / 1000 }
		recognized := &transcript.Recognition{Segments: []transcript.RecognizedSegment{{Start: ms(a), End: ms(b), Text: one}, {Start: ms(b), End: ms(c), Text: two}}}
		in := transcript.Assemble(transcript.Head{Engine: one, Model: two}, []transcript.Answer{{End: 100 * time.Second, Recognition: recognized}})
		wantRules(t, in)
		var file bytes.Buffer
		if err := caption.Write(&file, in); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(file.String(), "-->"); n != len(caption.Cues(in)) {
			t.Errorf("%d arrows in a file of %d captions:\n%s", n, len(caption.Cues(in)), file.String())
		}
	})
}
