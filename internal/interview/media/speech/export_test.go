package speech

import (
	"os"
	"time"

	"github.com/assayhq/assay/internal/interview/media/transcript"
)

// Parse reads a server's answer.
func Parse(content []byte, offset float64) ([]transcript.RecognizedSegment, error) {
	s, err := parseAnswer(content)
	if err != nil {
		return nil, err
	}
	return s.toSegments(offset), nil
}

// ParseSphinx reads what pocketsphinx prints.
func ParseSphinx(output []byte) []transcript.RecognizedSegment {
	var w sphinxWords
	_, _ = w.Write(output)
	w.endLine()
	return groupWords(w.recognized)
}

// Pieces returns where a sound file is cut, in seconds.
func Pieces(f *os.File, longest, within time.Duration) ([]float64, error) {
	all, data, err := cutPieces(f, longest, within)
	var starts []float64
	for _, p := range all {
		starts = append(starts, p.startSeconds(data))
	}
	return starts, err
}

// WAV is a sound file of samples.
func WAV(samples []byte) []byte { return append(wavHeader(int64(len(samples))), samples...) }
