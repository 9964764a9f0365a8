package speech

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"time"
)

// The sound format that engines get.
const (
	sampleRate  = 16000
	sampleBytes = 2
)

// pieceLength is the most that a server gets, because some refuse more than 25 MB.
// The piece ends at a quiet moment within its last cutWithin.
const (
	pieceLength = 10 * time.Minute
	cutWithin   = 20 * time.Second
)

// wavHeader returns the header for so many bytes of samples.
func wavHeader(size int64) []byte {
	var b bytes.Buffer
	put := func(v any) { _ = binary.Write(&b, binary.LittleEndian, v) } // a buffer accepts every write
	b.WriteString("RIFF")
	put(uint32(36 + size))
	b.WriteString("WAVEfmt ")
	put([]uint16{16, 0, 1, 1}) // length of this part in four bytes; PCM, one channel
	put(uint32(sampleRate))
	put(uint32(sampleRate * sampleBytes))
	put([]uint16{sampleBytes, 8 * sampleBytes})
	b.WriteString("data")
	put(uint32(size))
	return b.Bytes()
}

// piece is a part of a sound file's samples, in bytes from the file's start.
type piece struct{ from, to int64 }

// startSeconds returns when the piece begins, counted from the beginning of data.
func (p piece) startSeconds(data int64) float64 {
	return float64(p.from-data) / (sampleRate * sampleBytes)
}

func (p piece) length() time.Duration {
	return time.Duration(p.to-p.from) * time.Second / (sampleRate * sampleBytes)
}

// cutPieces cuts a sound file at quiet moments into parts that a server accepts.
// data is where its samples begin.
func cutPieces(f *os.File, longest, within time.Duration) (all []piece, data int64, err error) {
	data, end, err := findSamples(f)
	if err != nil {
		return nil, 0, err
	}
	inBytes := func(d time.Duration) int64 { return int64(d.Seconds()*sampleRate) * sampleBytes }
	from := data
	for end-from > inBytes(longest) {
		at, err := findQuietest(f, from+inBytes(longest-within), from+inBytes(longest))
		if err != nil {
			return nil, 0, err
		}
		all, from = append(all, piece{from, at}), at
	}
	return append(all, piece{from, end}), data, nil
}

// findSamples returns where a WAV file's samples begin and end.
func findSamples(f *os.File) (from, to int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	var chunk [8]byte
	for at := int64(12); ; {
		if _, err := f.ReadAt(chunk[:], at); err != nil {
			return 0, 0, errors.New("sound file has no samples")
		}
		size := int64(binary.LittleEndian.Uint32(chunk[4:]))
		at += 8
		if string(chunk[:4]) == "data" {
			return at, min(at+size, info.Size()) &^ 1, nil
		}
		at += size + size%2
	}
}

// findQuietest returns the middle of the quietest tenth of a second between two
// places.
func findQuietest(f *os.File, from, to int64) (int64, error) {
	const window = sampleRate / 10 * sampleBytes
	best, least := from, int64(-1)
	block := make([]byte, window)
	for at := from; at+window <= to; at += window {
		if _, err := f.ReadAt(block, at); err != nil {
			return 0, err
		}
		sum := int64(0)
		for i := 0; i < window; i += sampleBytes {
			size := int64(int16(binary.LittleEndian.Uint16(block[i:])))
			sum += size * size
		}
		if least < 0 || sum < least {
			best, least = at+window/2, sum
		}
	}
	return best, nil
}

// open returns a piece as a WAV file of its own, with its size.
func (p piece) open(f *os.File) (io.Reader, int64) {
	header := wavHeader(p.to - p.from)
	return io.MultiReader(bytes.NewReader(header), io.NewSectionReader(f, p.from, p.to-p.from)), int64(len(header)) + p.to - p.from
}
