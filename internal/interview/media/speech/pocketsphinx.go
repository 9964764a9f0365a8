package speech

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/assayhq/assay/internal/interview/media"
	"github.com/assayhq/assay/internal/interview/media/program"
	"github.com/assayhq/assay/internal/interview/media/transcript"
)

// Pocketsphinx is the engine on this machine. It knows only English and is often
// wrong.
type Pocketsphinx struct {
	program program.Program
	// Patience is how much longer a run may take than four times the sound's
	// length. Default two minutes.
	Patience time.Duration
}

// pocketsphinxNote is the note in its transcripts. The share was measured on
// synthetic voices (TestPocketsphinxUnderstands).
const pocketsphinxNote = "A simple engine made this draft. In clear speech 11 to 30 of 100 words are wrong, and more with accents or noise."

// FindPocketsphinx looks for the program, by name or path, and runs it on a moment
// of silence, so that a missing model is found now.
func FindPocketsphinx(ctx context.Context, name string) (*Pocketsphinx, error) {
	found, err := program.Find(name, "pocketsphinx pocketsphinx-en-us", "cmu-pocketsphinx")
	if err != nil {
		return nil, err
	}
	p := &Pocketsphinx{program: found, Patience: 2 * time.Minute}
	work, err := media.NewWorkdir("")
	if err != nil {
		return nil, err
	}
	defer func() { _ = work.Remove() }() // silence, and a temporary folder
	silence := filepath.Join(work.Path, "silence.wav")
	if err := os.WriteFile(silence, append(wavHeader(sampleBytes*sampleRate/2), make([]byte, sampleBytes*sampleRate/2)...), 0o600); err != nil {
		return nil, err
	}
	if _, err := p.Transcribe(ctx, Sound{Path: silence, Language: "en"}); err != nil {
		return nil, fmt.Errorf("pocketsphinx does not work (is its model installed? Debian, Ubuntu: apt-get install pocketsphinx-en-us): %w", err)
	}
	return p, nil
}

// Head implements Engine.
func (p *Pocketsphinx) Head(language string) transcript.Head {
	return transcript.Head{Engine: "pocketsphinx", Model: "en-us", Language: language, Quality: transcript.Draft, Note: pocketsphinxNote}
}

// Transcribe implements Engine.
func (p *Pocketsphinx) Transcribe(ctx context.Context, s Sound) (*transcript.Recognition, error) {
	if base, _, _ := strings.Cut(s.Language, "-"); base != "en" {
		return nil, fmt.Errorf("%w: pocketsphinx supports English, not %q; set speech.url to a server that supports it", ErrLanguage, s.Language)
	}
	path, err := filepath.Abs(s.Path)
	if err != nil {
		return nil, err
	}
	words := &sphinxWords{}
	limits := program.Limits{Timeout: p.Patience + 4*s.Length}
	if err := p.program.Run(ctx, filepath.Dir(path), limits, words, "-infile", path, "-time", "yes"); err != nil {
		return nil, err
	}
	words.endLine()
	return &transcript.Recognition{Segments: groupWords(words.recognized)}, nil
}

// sphinxWords reads lines "word start end posterior". All other lines are texts of
// utterances, which repeat the same words.
type sphinxWords struct {
	partial    []byte
	recognized []transcript.RecognizedWord
}

// maxSphinxWords bounds what is kept: ten words a second for an hour.
const maxSphinxWords = 36_000

var errSphinxWords = errors.New("pocketsphinx returned more words than anybody can say")

// Write implements io.Writer.
func (w *sphinxWords) Write(p []byte) (int, error) {
	for _, c := range p {
		switch {
		case c == '\n':
			w.endLine()
		case len(w.partial) < 300:
			w.partial = append(w.partial, c)
		}
	}
	if len(w.recognized) > maxSphinxWords {
		return 0, errSphinxWords
	}
	return len(p), nil
}

// endLine reads the line that is complete.
func (w *sphinxWords) endLine() {
	fields := strings.Fields(string(w.partial))
	w.partial = w.partial[:0]
	if len(fields) != 4 {
		return
	}
	var numbers [3]float64
	for i, text := range fields[1:] {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= 0) || x > 1e6 {
			return
		}
		numbers[i] = x
	}
	word := fields[0]
	if strings.ContainsAny(word[:1], "<[+") { // <s>, <sil>, [NOISE], ++SPEECH++
		return
	}
	if i := strings.IndexByte(word, '('); i > 0 { // which way of saying it: was(2)
		word = word[:i]
	}
	w.recognized = append(w.recognized, transcript.RecognizedWord{Start: numbers[0], End: numbers[1], Text: word, Confidence: &numbers[2]})
}
