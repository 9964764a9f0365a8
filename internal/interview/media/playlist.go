package media

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tolerance is how far the presentation's length may be from the answers' sum.
const tolerance = 500 * time.Millisecond

// maxSegment is what a segment may last; players give up on longer ones.
const maxSegment = 2 * segmentSeconds * time.Second

// File is a file of the presentation.
type File struct {
	Name  string
	Bytes int64
}

// readPlaylist checks the output of ffmpeg, because ffmpeg does not check it, and ends with success
// on a full disk: the list must be finished and its files must be whole. It returns its length, too.
func readPlaylist(dir string) (files []File, length time.Duration, err error) {
	f, err := os.Open(filepath.Join(dir, playlistName))
	if err != nil {
		return nil, 0, fmt.Errorf("no playlist was made: %w", err)
	}
	defer f.Close()
	ended := false
	names := []string{playlistName}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		if text, ok := strings.CutPrefix(line, "#EXTINF:"); ok {
			each, err := strconv.ParseFloat(strings.TrimSuffix(text, ","), 64)
			if err != nil || !(each >= 0) || each > maxSegment.Seconds() {
				return nil, 0, fmt.Errorf("playlist has a segment of %q seconds", text)
			}
			length += time.Duration(each * float64(time.Second))
		}
		if text, ok := strings.CutPrefix(line, "#EXT-X-MAP:URI="); ok {
			names = append(names, strings.Trim(text, `"`))
		}
		ended = ended || line == "#EXT-X-ENDLIST"
		if line != "" && !strings.HasPrefix(line, "#") {
			names = append(names, line)
		}
	}
	if !ended || len(names) < 3 {
		return nil, 0, errors.New("playlist is not finished")
	}
	for _, name := range names {
		info, err := os.Stat(filepath.Join(dir, filepath.Base(name)))
		if err != nil {
			return nil, 0, err
		}
		if info.Size() == 0 || name != filepath.Base(name) {
			return nil, 0, fmt.Errorf("file %q of the playlist is empty or elsewhere", name)
		}
		if name != playlistName {
			if err := checkBoxes(filepath.Join(dir, name), info.Size()); err != nil {
				return nil, 0, fmt.Errorf("file %q of the playlist: %w", name, err)
			}
		}
		files = append(files, File{name, info.Size()})
	}
	return files, length, nil
}

// errTruncated is the error of a file that ffmpeg has not written to its end.
var errTruncated = errors.New("is truncated, as on a full disk")

// checkBoxes checks that an MP4 file of that size ends where its last box does.
func checkBoxes(path string, size int64) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for at := int64(0); at != size; {
		var head [8]byte
		if _, err := f.ReadAt(head[:], at); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		box := int64(binary.BigEndian.Uint32(head[:4]))
		if at += box; box < int64(len(head)) || at > size {
			return errTruncated
		}
	}
	return nil
}
