package sheet

import (
	"archive/zip"
	"bufio"
	"errors"
	"io"
	"strings"

	"github.com/assayhq/assay/internal/statement/refusal"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Limits of an archive, in addition to those of a file.
const (
	maxParts = 10_000
	// maxRatio is how many times larger a part may become when unpacked, from
	// minRatioBytes on. The most uniform sheets pack to about a fiftieth.
	maxRatio      = 250
	minRatioBytes = 1 << 20
)

// archive is the zip archive of an XLSX file.
type archive struct {
	parts map[string]*zip.File // by lower-case name with slashes
}

func openArchive(r io.ReaderAt, size int64) (*archive, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, refuseDamaged()
	}
	if len(z.File) > maxParts {
		return nil, unpacksTooLarge()
	}
	a := &archive{parts: make(map[string]*zip.File, len(z.File))}
	var unpacked uint64
	for _, f := range z.File {
		const encrypted = 1
		if f.Flags&encrypted != 0 {
			return nil, refuseFormat("The archive is password-protected. Send it without a password.")
		}
		if unpacked += min(f.UncompressedSize64, maxUnpacked+1); unpacked > maxUnpacked {
			return nil, unpacksTooLarge()
		}
		a.parts[partName(f.Name)] = f
	}
	return a, nil
}

func partName(name string) string {
	return strings.TrimPrefix(strings.ToLower(strings.ReplaceAll(name, `\`, "/")), "/")
}

func refuseDamaged() error {
	return refusal.New(refusal.NotUnderstood, "The file is damaged. Export it again.")
}

func unpacksTooLarge() error {
	return refusal.New(refusal.FileTooLarge, "The workbook unpacks to more than %d MiB. Export a shorter period.", maxUnpacked>>20)
}

// open reads a part as UTF-8, whatever the encoding of its XML. A missing
// part is empty.
func (a *archive) open(name string) (*part, error) {
	f := a.parts[partName(name)]
	if f == nil {
		return &part{Reader: bufio.NewReader(strings.NewReader("")), close: func() {}}, nil
	}
	if tooDense(f) {
		return nil, unpacksTooLarge()
	}
	content, err := f.Open()
	if err != nil {
		return nil, refuseDamaged()
	}
	// The sizes that the archive states have been checked. No part may be larger
	// than stated.
	packed := bufio.NewReader(&metered{r: content, left: int64(f.UncompressedSize64)})
	head, _ := packed.Peek(4)
	if endian, ok := utf16XML(head); ok {
		decoder := unicode.UTF16(endian, unicode.UseBOM).NewDecoder()
		return &part{Reader: bufio.NewReaderSize(transform.NewReader(packed, decoder), 64<<10), close: func() { _ = content.Close() }}, nil
	}
	return &part{Reader: bufio.NewReaderSize(packed, 64<<10), close: func() { _ = content.Close() }}, nil
}

// tooDense reports whether a part is packed more tightly than exports are.
func tooDense(f *zip.File) bool {
	return f.UncompressedSize64 > minRatioBytes && f.UncompressedSize64/maxRatio > f.CompressedSize64
}

// utf16XML recognizes XML in UTF-16 by its mark or its first character.
func utf16XML(head []byte) (unicode.Endianness, bool) {
	if len(head) < 2 {
		return unicode.LittleEndian, false
	}
	switch {
	case head[0] == 0xff && head[1] == 0xfe, head[0] == '<' && head[1] == 0:
		return unicode.LittleEndian, true
	case head[0] == 0xfe && head[1] == 0xff, head[0] == 0 && head[1] == '<':
		return unicode.BigEndian, true
	}
	return unicode.LittleEndian, false
}

// part is one part of a workbook, being read.
type part struct {
	*bufio.Reader
	close func()
}

// metered refuses to return more bytes than the archive states.
type metered struct {
	r    io.Reader
	left int64
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if m.left -= int64(n); m.left < 0 {
		return 0, unpacksTooLarge()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return n, refuseDamaged()
	}
	return n, err
}
