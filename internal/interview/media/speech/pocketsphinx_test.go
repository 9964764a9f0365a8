package speech_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/internal/interview/media/program"
	"github.com/assayhq/assay/internal/interview/media/speech"
	"github.com/assayhq/assay/internal/interview/media/transcript"
	"github.com/assayhq/assay/store/mediatest"
)

func sphinx(t *testing.T) *speech.Pocketsphinx {
	t.Helper()
	mediatest.Need(t, "pocketsphinx_continuous")
	p, err := speech.FindPocketsphinx(t.Context(), "pocketsphinx_continuous")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// spoken is a sound file of texts with silences before them.
func spoken(t *testing.T, silence string, texts ...string) speech.Sound {
	t.Helper()
	var args []string
	graph, joined := "", ""
	for i, text := range texts {
		args = append(args, "-i", mediatest.Speech(t, text))
		graph += "[" + string(rune('0'+i)) + "]adelay=" + silence + "[a" + string(rune('0'+i)) + "];"
		joined += "[a" + string(rune('0'+i)) + "]"
	}
	path := filepath.Join(t.TempDir(), "spoken.wav")
	mediatest.FFmpeg(t, append(args, "-filter_complex", graph+joined+"concat=n="+string(rune('0'+len(texts)))+":v=0:a=1", "-ar", "16000", "-ac", "1", path)...)
	return speech.Sound{Path: path, Length: time.Minute, Language: "en-GB"}
}

func TestPocketsphinxUnderstands(t *testing.T) {
	if testing.Short() {
		t.Skip("recognizes minutes of speech")
	}
	t.Parallel()
	const said = "i usually trade the euro dollar pair i never risk more than one percent on a single trade my biggest loss was in october i hold positions for about two hours"
	recognized, err := sphinx(t).Transcribe(t.Context(), spoken(t, "3000", "I usually trade the euro dollar pair. I never risk more than one percent on a single trade.", "My biggest loss was in October. I hold positions for about two hours."))
	if err != nil {
		t.Fatal(err)
	}
	made := transcript.Assemble(transcript.Head{}, []transcript.Answer{{End: time.Minute, Recognition: recognized}})
	var text []string
	for _, s := range made.Segments {
		text = append(text, s.Text)
		if s.Confidence == nil || len(s.Words) == 0 {
			t.Errorf("segment %+v: want words and a confidence", s)
		}
	}
	words := strings.Fields(said)
	wrong := distance(words, strings.Fields(strings.Join(text, " ")))
	if rate := float64(wrong) / float64(len(words)); rate > 0.4 {
		t.Errorf("%.0f %% of the words are wrong: %q", 100*rate, text)
	}
	if len(made.Segments) < 2 || made.Segments[0].StartMS < 2500 || made.Segments[0].StartMS > 4500 || made.Segments[1].StartMS-made.Segments[0].EndMS < 700 {
		t.Errorf("segments %+v: want the first after three seconds of silence, and a silence behind it", made.Segments)
	}
	if made.Timing != transcript.ByWord {
		t.Errorf("timing %s", made.Timing)
	}
}

// distance is how many words have to change to make one text of the other.
func distance(a, b []string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		before := row[0]
		row[0] = i + 1
		for j := range b {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

func TestPocketsphinxOtherLanguages(t *testing.T) {
	if testing.Short() {
		t.Skip("recognizes minutes of speech")
	}
	t.Parallel()
	s := sound(t, 1)
	s.Language = "pt-BR"
	if _, err := sphinx(t).Transcribe(t.Context(), s); !errors.Is(err, speech.ErrLanguage) || !strings.Contains(err.Error(), "speech.url") {
		t.Errorf("got %v, want ErrLanguage and what to do", err)
	}
}

// stand makes a program that replaces pocketsphinx.
func stand(t *testing.T, lines string) (*speech.Pocketsphinx, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pocketsphinx_continuous")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+lines+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return speech.FindPocketsphinx(t.Context(), path)
}

// TestPocketsphinxLeftovers: what a process left that was killed while it looked for the program is
// removed when the next one starts.
func TestPocketsphinxLeftovers(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, lines := range []string{`cp -r "${2%/*}" "${2%/*}0"`, ""} {
		if _, err := stand(t, lines); err != nil {
			t.Fatal(err)
		}
	}
	left, err := os.ReadDir(os.TempDir())
	if err != nil || len(left) > 0 {
		t.Errorf("left %v, %v, want nothing", left, err)
	}
}

func TestPocketsphinxFaults(t *testing.T) {
	t.Parallel()
	const silent = `case "$2" in */silence.wav) exit 0;; esac; `
	if _, err := speech.FindPocketsphinx(t.Context(), filepath.Join(t.TempDir(), "none")); !errors.Is(err, program.ErrMissing) || !strings.Contains(err.Error(), "apt-get install pocketsphinx pocketsphinx-en-us") {
		t.Errorf("missing: %v, want what to install", err)
	}
	if _, err := stand(t, `echo 'ERROR: "acmod.c", line 83: Folder does not contain acoustic model definition' >&2; exit 1`); err == nil || !strings.Contains(err.Error(), "apt-get install pocketsphinx-en-us") {
		t.Errorf("without a model: %v, want what to install", err)
	}
	failing, err := stand(t, silent+"echo broken >&2; exit 1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := failing.Transcribe(t.Context(), sound(t, 1)); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("failing: %v, want what it said", err)
	}
	hanging, err := stand(t, silent+"sleep 1000")
	if err != nil {
		t.Fatal(err)
	}
	hanging.Patience = 200 * time.Millisecond
	if _, err := hanging.Transcribe(t.Context(), sound(t, 0)); !errors.Is(err, program.ErrTimeout) {
		t.Errorf("hanging: %v, want ErrTimeout", err)
	}
	endless, err := stand(t, silent+"while :; do echo word 1.0 2.0 0.5; done")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := endless.Transcribe(t.Context(), sound(t, 1)); err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("endless: %v, want an error", err)
	}
}
