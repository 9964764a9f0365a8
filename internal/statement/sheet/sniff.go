package sheet

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/assayhq/assay/internal/statement/refusal"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// sniffBytes are looked at to tell what a file is.
const sniffBytes = 8 << 10

// saveAs is the hint for files of other kinds.
const saveAs = "Open it and save it as XLSX or CSV."

// known are beginnings of files that people take for exports of trades.
var known = []struct{ magic, what string }{
	{"%PDF", "This is a PDF. Export the history as XLSX, CSV or HTML."},
	{"\x1f\x8b", "This is a gzip archive. Send the file inside."},
	{"7z\xbc\xaf\x27\x1c", "This is a 7z archive. Send the file inside."},
	{"Rar!", "This is a RAR archive. Send the file inside."},
	{"\x89PNG", "This is a picture. Export the history as XLSX, CSV or HTML."},
	{"\xff\xd8\xff", "This is a picture. Export the history as XLSX, CSV or HTML."},
	{"{\\rtf", "This is a text document (RTF). " + saveAs},
	{"{", "This is JSON. Export the history as XLSX, CSV or HTML."},
	{"MIME-Version:", "This is a web archive (MHT). Open it in a browser and save it as HTML only."},
	{"From: <Saved by", "This is a web archive (MHT). Open it in a browser and save it as HTML only."},
	{"SQLite format 3", "This is a database. Export the history as XLSX, CSV or HTML."},
}

// isZip reports whether head begins an archive, as XLSX files do.
func isZip(head []byte) bool { return bytes.HasPrefix(head, []byte("PK\x03\x04")) }

// ole begins Microsoft's older container: XLS files and encrypted XLSX files.
const ole = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// refuseKind refuses what is neither XLSX nor text; nil for text.
func refuseKind(r io.ReaderAt, size int64, head []byte) error {
	if bytes.HasPrefix(head, []byte(ole)) {
		return refuseOLE(io.NewSectionReader(r, 0, min(size, maxPacked)))
	}
	for _, k := range known {
		if bytes.HasPrefix(head, []byte(k.magic)) {
			return refuseFormat(k.what)
		}
	}
	if isJSONList(head) {
		return refuseFormat("This is JSON. Export the history as XLSX, CSV or HTML.")
	}
	return refuseMarkup(head)
}

// isJSONList reports whether the text begins a list of JSON objects or lists, and not a cell in brackets.
func isJSONList(head []byte) bool {
	text, list := bytes.CutPrefix(bytes.TrimSpace(bytes.TrimPrefix(head, []byte(utf8Mark))), []byte("["))
	text = bytes.TrimSpace(text)
	return list && len(text) > 0 && strings.ContainsRune(`{["`, rune(text[0]))
}

func refuseFormat(detail string) error {
	return refusal.New(refusal.UnsupportedFileType, "%s", detail).AddExpected("CSV", "XLSX", "HTML")
}

// refuseOLE distinguishes an encrypted workbook from an old one by the names in the container's
// directory, which are UTF-16.
func refuseOLE(r io.Reader) error {
	content, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	switch {
	case bytes.Contains(content, utf16Bytes("EncryptedPackage")):
		return refuseFormat("The workbook is password-protected. Remove the password and send it again.")
	case bytes.Contains(content, utf16Bytes("Workbook")), bytes.Contains(content, utf16Bytes("Book")):
		return refuseFormat("This is an old Excel workbook (XLS). " + saveAs)
	}
	return refuseFormat("This is an old Microsoft Office file. " + saveAs)
}

func utf16Bytes(ascii string) []byte {
	out := make([]byte, 0, 2*len(ascii))
	for i := range len(ascii) {
		out = append(out, ascii[i], 0)
	}
	return out
}

// markupText returns the beginning of a file in small letters and whatever its
// encoding, if it is markup; empty otherwise.
func markupText(head []byte) string {
	for _, mark := range []string{utf8Mark, "\xff\xfe", "\xfe\xff"} {
		head = bytes.TrimPrefix(head, []byte(mark))
	}
	text := strings.ToLower(strings.TrimSpace(string(bytes.ReplaceAll(head, []byte{0}, nil))))
	if !strings.HasPrefix(text, "<") {
		return ""
	}
	return text
}

// isHTML reports whether the beginning is that of HTML, also under the name of
// another kind of file: many platforms call it XLS.
func isHTML(head []byte) bool {
	text := markupText(head)
	return strings.Contains(text, "<html") || strings.Contains(text, "<!doctype html") || strings.Contains(text, "<table")
}

// refuseMarkup names XML that is not HTML.
func refuseMarkup(head []byte) error {
	switch text := markupText(head); {
	case text == "":
		return nil
	case strings.Contains(text, "schemas-microsoft-com:office:spreadsheet"):
		return refuseFormat("This is an Excel 2003 XML workbook. " + saveAs)
	case isHTML(head):
		return nil
	}
	return refuseFormat("This is XML. " + saveAs)
}

// textEncoding is how the bytes of a text file stand for characters.
type textEncoding struct {
	name    string
	decoder func() transform.Transformer // nil for UTF-8
}

const utf8Mark = "\xef\xbb\xbf"

// decodeFile reads a file as UTF-8 without a mark. UTF-8 itself is not decoded: that it
// is valid has been found out by sniffEncoding.
func (e textEncoding) decodeFile(r io.ReaderAt, size int64) io.Reader {
	if e.decoder != nil {
		return transform.NewReader(io.NewSectionReader(r, 0, size), e.decoder())
	}
	var head [len(utf8Mark)]byte
	if n, _ := r.ReadAt(head[:], 0); string(head[:n]) == utf8Mark {
		return io.NewSectionReader(r, int64(n), size-int64(n))
	}
	return io.NewSectionReader(r, 0, size)
}

func decoderOf(e encoding.Encoding) func() transform.Transformer {
	return func() transform.Transformer { return e.NewDecoder() }
}

var (
	utf8Text    = textEncoding{"utf-8", nil}
	utf16LEText = textEncoding{"utf-16le", decoderOf(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM))}
	utf16BEText = textEncoding{"utf-16be", decoderOf(unicode.UTF16(unicode.BigEndian, unicode.UseBOM))}
	cyrillic    = textEncoding{"windows-1251", decoderOf(charmap.Windows1251)}
	western     = textEncoding{"windows-1252", decoderOf(charmap.Windows1252)}
)

// sniffEncoding returns the encoding of a text file. It reads the whole file if the beginning does
// not show it. declared is the encoding that the file names, or empty if it names none.
func sniffEncoding(r io.ReadSeeker, head []byte, declared string) (textEncoding, error) {
	if e, ok := sniffUTF16(head); ok {
		return e, nil
	}
	census, err := takeCensus(r)
	switch {
	case err != nil:
		return textEncoding{}, err
	case census.nul:
		return textEncoding{}, refusal.New(refusal.NotUnderstood, "The file contains NUL bytes, so it is damaged or not a text file. Export it again.")
	case census.controls > census.total/50:
		return textEncoding{}, refuseFormat("This is neither a text file nor a workbook. " + saveAs)
	case !census.invalid:
		return utf8Text, nil
	}
	likely := western
	if census.joined > census.single {
		likely = cyrillic
	}
	return chooseCodePage(r, declared, likely)
}

// sniffUTF16 knows UTF-16 by its mark or, in text that is mostly digits,
// separators and Latin letters, by the zeros in every second byte.
func sniffUTF16(head []byte) (textEncoding, bool) {
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}):
		return utf16LEText, true
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return utf16BEText, true
	}
	var zeros [2]int
	for i, b := range head {
		if b == 0 {
			zeros[i%2]++
		}
	}
	switch many := max(len(head)/10, 1); {
	case zeros[0] == 0 && zeros[1] >= many:
		return utf16LEText, true
	case zeros[1] == 0 && zeros[0] >= many:
		return utf16BEText, true
	}
	return textEncoding{}, false
}

// census counts the bytes that distinguish 8-bit encodings.
type census struct {
	total, controls int
	nul, invalid    bool
	// Bytes beyond ASCII with and without a neighbour of their kind: words of
	// a Cyrillic text consist of them, a western text has single accents.
	joined, single int
}

func takeCensus(r io.Reader) (census, error) {
	var c census
	buf := make([]byte, 64<<10)
	kept, run := 0, 0
	for {
		n, err := r.Read(buf[kept:])
		chunk := buf[:kept+n]
		last := err == io.EOF
		if err != nil && !last {
			return c, err
		}
		c.total += n
		for _, b := range chunk[kept:] {
			if isPrintable := b-' ' < 0x80-' '; !isPrintable || run > 0 {
				run = c.countByte(b, run)
			}
		}
		kept = c.validateChunk(chunk, last)
		if last {
			c.endRun(run)
			return c, nil
		}
		copy(buf, chunk[len(chunk)-kept:])
	}
}

func (c *census) countByte(b byte, run int) int {
	switch {
	case b >= 0x80 && b != 0xa0:
		return run + 1
	case b == 0:
		c.nul = true
	case b < ' ' && b != '\t' && b != '\r' && b != '\n':
		c.controls++
	}
	c.endRun(run)
	return 0
}

func (c *census) endRun(run int) {
	if run > 1 {
		c.joined += run
	} else {
		c.single += run
	}
}

// validateChunk checks that the chunk is UTF-8 and returns how many bytes at its
// end begin a character that the next chunk ends.
func (c *census) validateChunk(chunk []byte, last bool) int {
	if c.invalid {
		return 0
	}
	kept := 0
	if !last {
		for kept < utf8.UTFMax-1 && kept < len(chunk) {
			if tail := chunk[len(chunk)-kept-1:]; utf8.RuneStart(tail[0]) {
				if !utf8.FullRune(tail) {
					kept++
				} else {
					kept = 0
				}
				break
			}
			kept++
		}
	}
	c.invalid = !utf8.Valid(chunk[:len(chunk)-kept])
	if c.invalid {
		return 0
	}
	return kept
}
