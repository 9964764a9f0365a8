package sheet

import (
	"context"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/assayhq/assay/internal/statement/refusal"
)

// workbook is an XLSX file.
type workbook struct {
	archive *archive
	sheets  []worksheet
	strings sharedStrings
	units   []string // of the cells' styles
	is1904  bool
}

type worksheet struct {
	name string
	part string
}

func openWorkbook(ctx context.Context, r io.ReaderAt, size int64, h Hooks) (Source, error) {
	a, err := openArchive(r, size)
	if err != nil {
		return nil, err
	}
	main, err := a.readLinks("_rels/.rels", "", "/officeDocument")
	if err != nil {
		return nil, err
	}
	at := main.firstTarget("xl/workbook.xml")
	if a.parts[partName(at)] == nil || !strings.Contains(at, "workbook") {
		return a.openStatements(ctx, h)
	}
	w := &workbook{archive: a}
	links, err := a.readLinks(path.Join(path.Dir(at), "_rels", path.Base(at)+".rels"), path.Dir(at), "")
	if err != nil {
		return nil, err
	}
	if err := w.readSheets(at, links); err != nil {
		return nil, err
	}
	shared := path.Join(path.Dir(at), "sharedStrings.xml")
	for _, l := range links {
		if strings.HasSuffix(l.kind, "/sharedStrings") {
			shared = l.target
		}
	}
	if err := w.strings.readStrings(a, shared); err != nil {
		return nil, err
	}
	if w.units, err = a.readUnits(at, links); err != nil {
		return nil, err
	}
	return h.Recognize(ctx, w)
}

// refuseOther names archives that are no XLSX files.
func (a *archive) refuseOther() error {
	switch {
	case a.parts["xl/workbook.bin"] != nil:
		return refuseFormat("This is a binary workbook (XLSB). " + saveAs)
	case a.parts["content.xml"] != nil:
		return refuseFormat("This is an OpenDocument file. " + saveAs)
	case a.parts["word/document.xml"] != nil:
		return refuseFormat("This is a text document (DOCX). Export the history as XLSX, CSV or HTML.")
	}
	return refuseFormat("This is a ZIP archive. Send the XLSX, CSV or HTML file inside.")
}

// link is a relationship between parts.
type link struct{ id, kind, target string }

type links []link

func (l links) firstTarget(otherwise string) string {
	if len(l) > 0 {
		return l[0].target
	}
	return otherwise
}

// readLinks reads the relationships in a part whose kind ends with kind.
func (a *archive) readLinks(name, base, kind string) (links, error) {
	var all links
	err := a.visitElements(name, func(m *markup) error {
		if string(m.name) != "Relationship" || !strings.HasSuffix(m.attributeText("Type"), kind) || m.attributeText("TargetMode") == "External" {
			return nil
		}
		target := strings.ReplaceAll(m.attributeText("Target"), `\`, "/")
		if !strings.HasPrefix(target, "/") {
			target = path.Join(base, target)
		}
		all = append(all, link{m.attributeText("Id"), m.attributeText("Type"), strings.TrimPrefix(target, "/")})
		if len(all) > maxParts {
			return unpacksTooLarge()
		}
		return nil
	})
	return all, err
}

// visitElements calls f at the beginning of every element of a part.
func (a *archive) visitElements(name string, f func(*markup) error) error {
	p, err := a.open(name)
	if err != nil {
		return err
	}
	defer p.close()
	m := &markup{in: p}
	for {
		t, err := m.next(false)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case t == startToken:
			if err := f(m); err != nil {
				return err
			}
		}
	}
}

func (w *workbook) readSheets(at string, all links) error {
	count := 0
	seen := map[string]bool{}
	err := w.archive.visitElements(at, func(m *markup) error {
		switch string(m.name) {
		case "workbookPr":
			value := m.attributeText("date1904")
			w.is1904 = value == "1" || value == "true"
		case "sheet":
			id := m.attributeText("r:id")
			if id == "" { // whatever prefix stands for the namespace
				id = m.anyID()
			}
			count++
			for _, l := range all {
				if l.id == id && strings.HasSuffix(l.kind, "/worksheet") && !seen[partName(l.target)] {
					seen[partName(l.target)] = true
					w.sheets = append(w.sheets, worksheet{name: m.attributeText("name"), part: l.target})
				}
			}
		}
		if count > maxSheets {
			return refusal.New(refusal.FileTooLarge, "A workbook can have at most %d sheets.", maxSheets)
		}
		return nil
	})
	if err == nil && len(w.sheets) == 0 {
		return refuseDamaged()
	}
	return err
}

// anyID finds the relationship's id under another prefix than the usual one.
func (m *markup) anyID() string {
	for _, field := range strings.Fields(string(m.attributes)) {
		if key, _, ok := strings.Cut(field, "="); ok && strings.HasSuffix(key, ":id") {
			return m.attributeText(key)
		}
	}
	return ""
}

func (w *workbook) Each(ctx context.Context, f func(*Row) error) error {
	var read usage
	for _, s := range w.sheets {
		if err := w.eachOf(ctx, s, &read, f); err != nil {
			return err
		}
	}
	return nil
}

func (w *workbook) eachOf(ctx context.Context, s worksheet, read *usage, f func(*Row) error) error {
	p, err := w.archive.open(s.part)
	if err != nil {
		return err
	}
	defer p.close()
	g := grid{markup: markup{in: p}, strings: &w.strings, units: w.units}
	r := Row{Sheet: s.name}
	for {
		line, err := g.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case CountFilled(g.cells) == 0:
			if read.cells += len(g.cells); read.cells <= maxCells {
				continue
			}
		}
		if err := read.countCells(g.cells); err != nil {
			return err
		}
		r.Line, r.Cells = line, g.cells
		if err := f(&r); err != nil {
			return err
		}
	}
}

// usage counts what a workbook makes of its bytes: a cell at the end of a row
// costs as much as all before it, and many cells may share one long text.
type usage struct{ rows, cells, bytes int }

const (
	maxCells     = 64_000_000
	maxCellBytes = 512 << 20
)

func (u *usage) countCells(cells []Cell) error {
	u.rows++
	u.cells += len(cells)
	for i := range cells {
		u.bytes += len(cells[i].Text)
	}
	switch {
	case u.rows > maxRows:
		return tooManyRows()
	case u.cells > maxCells || u.bytes > maxCellBytes:
		return refusal.New(refusal.FileTooLarge, "The file has more cells, or more text in them, than assay reads. Export a shorter period.")
	}
	return nil
}

func (w *workbook) Describe() Description {
	return Description{Kind: XLSX, Encoding: "xlsx", Epoch1904: w.is1904}
}

// sharedStrings are the texts that cells refer to by number, one after the
// other in one string.
type sharedStrings struct {
	text string
	ends []uint32
}

// Limits of the shared strings of a workbook, which are held in memory.
const (
	maxSharedBytes = 32 << 20
	maxShared      = 2_000_000
)

func (s *sharedStrings) readStrings(a *archive, name string) error {
	p, err := a.open(name)
	if err != nil {
		return err
	}
	defer p.close()
	m := &markup{in: p}
	var all strings.Builder
	if f := a.parts[partName(name)]; f != nil {
		all.Grow(int(min(f.UncompressedSize64, maxSharedBytes))) // the texts are shorter than their XML
	}
	phonetic := false
	for inText := false; ; {
		t, err := m.next(inText)
		switch {
		case errors.Is(err, io.EOF):
			s.text = all.String()
			return nil
		case err != nil:
			return err
		}
		switch name := string(m.name); {
		case name == "sst" && t == startToken && s.ends == nil:
			// The file says how many texts follow. What it says is no more than a hint.
			if n, err := strconv.Atoi(m.attributeText("uniqueCount")); err == nil && n > 0 {
				s.ends = make([]uint32, 0, min(n, maxShared))
			}
		case name == "rPh":
			phonetic = t == startToken && !m.empty
		case name == "t" && t == startToken:
			inText = !m.empty && !phonetic
		case name == "t" && inText:
			inText = false
			all.Write(m.text)
		case name == "si" && (t == endToken || m.empty):
			s.ends = append(s.ends, uint32(all.Len()))
		}
		if all.Len() > maxSharedBytes || len(s.ends) > maxShared {
			return refusal.New(refusal.FileTooLarge, "The workbook has more than %d MiB or %d of different texts. Export a shorter period.", maxSharedBytes>>20, maxShared)
		}
	}
}

func (s *sharedStrings) stringAt(i int) string {
	if i < 0 || i >= len(s.ends) {
		return ""
	}
	start := uint32(0)
	if i > 0 {
		start = s.ends[i-1]
	}
	return s.text[start:s.ends[i]]
}
