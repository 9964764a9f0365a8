package sheet

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/statement/refusal"

	"github.com/assayhq/assay/internal/statement/words"
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
type packedSource struct{ Source }

func (p packedSource) Describe() Description {
	d := p.Source.Describe()
	d.Kind = ZIP
	return d
}

// statements returns the statements in an archive by name. What else people pack, such as the
// pictures that belong to a report, does not count.
func (a *archive) statements() []*zip.File {
	var found []*zip.File
	for name, f := range a.parts {
		base := path.Base(name)
		statement := slices.Contains([]string{".csv", ".tsv", ".txt", ".htm", ".html", ".xlsx"}, path.Ext(base))
		if statement && !strings.HasPrefix(base, ".") && !strings.HasPrefix(name, "__macosx/") && !f.FileInfo().IsDir() {
			found = append(found, f)
		}
	}
	slices.SortFunc(found, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	return found
}

// openStatements opens the statements in an archive. Several are read as one, such as those of
// twelve months.
func (a *archive) openStatements(ctx context.Context, h Hooks) (Source, error) {
	found := a.statements()
	if len(found) == 0 {
		return nil, a.refuseOther()
	}
	if len(found) > maxSheets {
		return nil, refusal.New(refusal.FileTooLarge, "A ZIP archive can have at most %d statements. Send it in parts.", maxSheets)
	}
	var all joinedSource
	names := map[string]bool{}
	size := uint64(0)
	for _, f := range found {
		if size += f.UncompressedSize64; size > maxText {
			return nil, refusal.New(refusal.FileTooLarge, "The statements in a ZIP archive can have at most %d MiB together. Send it in parts.", maxText>>20)
		}
		s, err := openPacked(ctx, f, h)
		if err != nil {
			return nil, inStatement(err, f, len(found))
		}
		name := path.Base(f.Name)
		if names[name] { // in another folder
			name = f.Name
		}
		names[name] = true
		all = append(all, namedSource{s, name})
	}
	if len(all) == 1 {
		return packedSource{all[0].Source}, nil
	}
	return packedSource{all}, nil
}

// openPacked opens one file of an archive.
func openPacked(ctx context.Context, f *zip.File, h Hooks) (Source, error) {
	if strings.EqualFold(path.Ext(f.Name), ".xlsx") {
		return nil, refuseFormat("This ZIP archive contains a workbook. Send the XLSX file itself, which is already compressed.")
	}
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
	return openPlain(ctx, content, int64(f.UncompressedSize64), head, h)
}

// inStatement adds to a refusal which of several files it is about.
func inStatement(err error, f *zip.File, files int) error {
	var r *refusal.Error
	if files == 1 || !errors.As(err, &r) {
		return err
	}
	named := *r
	named.Detail = "File " + words.Clean(path.Base(f.Name), refusal.MaxSeenBytes) + ": " + r.Detail
	return &named
}

// joinedSource reads several statements as the sheets of one workbook.
type joinedSource []namedSource

type namedSource struct {
	Source
	name string
}

// Each implements Source.
func (j joinedSource) Each(ctx context.Context, f func(*Row) error) error {
	rows := 0
	var named Row // the source keeps its own
	for _, s := range j {
		err := s.Each(ctx, func(r *Row) error {
			if rows++; rows > maxRows {
				return tooManyRows()
			}
			named = *r
			named.Sheet = s.name
			return f(&named)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Describe implements Source.
func (j joinedSource) Describe() Description {
	d := j[0].Describe()
	for _, s := range j[1:] {
		d.Warnings = append(d.Warnings, s.Describe().Warnings...)
	}
	return d
}
