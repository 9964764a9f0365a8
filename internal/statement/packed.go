package statement

import (
	"archive/zip"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
)

// packedFile reads a file of an archive as if it lay on disk. Files are read from
// their beginning to their end; going back unpacks again.
type packedFile struct {
	file *zip.File
	in   io.Reader
	at   int64
}

// ReadAt implements io.ReaderAt.
func (p *packedFile) ReadAt(b []byte, offset int64) (int, error) {
	if p.in == nil || offset < p.at {
		content, err := p.file.Open()
		if err != nil {
			return 0, refuseDamaged()
		}
		p.in, p.at = &metered{r: content, left: int64(p.file.UncompressedSize64)}, 0
	}
	skipped, err := io.CopyN(io.Discard, p.in, offset-p.at)
	if p.at += skipped; err != nil {
		return 0, err
	}
	n, err := io.ReadFull(p.in, b)
	p.at += int64(n)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

// packedSource is a statement that came in an archive.
type packedSource struct{ source }

func (p packedSource) describe(f *File) {
	p.source.describe(f)
	f.Packed = true
}

// openStatement opens the only statement in an archive. What else people pack, such
// as the pictures that belong to a report, does not count.
func (a *archive) openStatement() (source, error) {
	var found []*zip.File
	for name, f := range a.parts {
		base := path.Base(name)
		statement := slices.Contains([]string{".csv", ".tsv", ".txt", ".htm", ".html", ".xlsx"}, path.Ext(base))
		if statement && !strings.HasPrefix(base, ".") && !strings.HasPrefix(name, "__macosx/") && !f.FileInfo().IsDir() {
			found = append(found, f)
		}
	}
	switch {
	case len(found) == 0:
		return nil, a.refuseOther()
	case len(found) > 1:
		return nil, refuseFormat("This ZIP archive contains several files that may be statements. Send each of them separately.")
	case strings.EqualFold(path.Ext(found[0].Name), ".xlsx"):
		return nil, refuseFormat("This ZIP archive contains a workbook. Send the XLSX file itself, which is already compressed.")
	}
	f := found[0]
	if tooDense(f) {
		return nil, unpacksTooLarge()
	}
	content := &packedFile{file: f}
	head := make([]byte, min(f.UncompressedSize64, sniffBytes))
	if _, err := content.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if isZip(head) {
		return nil, refuseFormat("This ZIP archive contains another archive. Send the statement itself.")
	}
	s, err := openPlain(content, int64(f.UncompressedSize64), head)
	if err != nil {
		return nil, err
	}
	return packedSource{s}, nil
}
