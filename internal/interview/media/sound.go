package media

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// How sound is measured.
const (
	window  = soundRate / 10 // samples: a tenth of a second
	clipped = 32440          // of 32767: a tenth of a decibel below the most that there is
)

// levels is what a sound file holds.
type levels struct {
	samples int64
	silent  int64 // samples in windows below silence
	clipped int64 // samples at the limit
	square  float64
	peak    int
}

// meanLevel returns the loudness in dBFS, or -120 for complete silence.
func (l levels) meanLevel() float64 {
	if l.samples == 0 {
		return quietest
	}
	return toDecibel(math.Sqrt(l.square / float64(l.samples)))
}

// quietest is used for complete silence, whose logarithm is not a number.
const quietest = -120

// toDecibel returns the level of a sample's size against the largest.
func toDecibel(size float64) float64 {
	return max(20*math.Log10(size/32768), quietest)
}

// readLevels measures a sound file of ours: 16 kHz, mono, 16 bits.
func readLevels(path string) (l levels, err error) {
	f, err := os.Open(path)
	if err != nil {
		return l, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<16)
	size, err := skipToData(r)
	if err != nil {
		return l, fmt.Errorf("sound file: %w", err)
	}
	var block [2 * window]byte
	for {
		n, err := io.ReadFull(r, block[:])
		l.addWindow(block[:n/2*2])
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			if 2*l.samples != size { // ffmpeg may end with success although the disk was full
				return l, fmt.Errorf("sound file: %w", errTruncated)
			}
			return l, nil
		}
		if err != nil {
			return l, err
		}
	}
}

// addWindow measures a window.
func (l *levels) addWindow(block []byte) {
	if len(block) == 0 {
		return
	}
	sum := 0.0
	for i := 0; i < len(block); i += 2 {
		size := int(int16(binary.LittleEndian.Uint16(block[i:])))
		size = max(size, -size)
		sum += float64(size) * float64(size)
		l.peak = max(l.peak, size)
		if size >= clipped {
			l.clipped++
		}
	}
	n := int64(len(block) / 2)
	l.samples += n
	l.square += sum
	if toDecibel(math.Sqrt(sum/float64(n))) < silence {
		l.silent += n
	}
}

// skipToData reads a WAV file's header, to where its samples begin, and returns how many bytes they
// have.
func skipToData(r *bufio.Reader) (size int64, err error) {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, errTruncated
	}
	if string(head[:4]) != "RIFF" || string(head[8:]) != "WAVE" {
		return 0, errors.New("is not WAV")
	}
	for {
		var chunk [8]byte
		if _, err := io.ReadFull(r, chunk[:]); err != nil {
			return 0, errors.New("has no samples")
		}
		bytes := int(binary.LittleEndian.Uint32(chunk[4:]))
		if string(chunk[:4]) == "data" {
			return int64(bytes), nil
		}
		if _, err := r.Discard(bytes + bytes%2); err != nil {
			return 0, errTruncated
		}
	}
}
