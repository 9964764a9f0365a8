package sheet

import (
	"errors"
	"io"
	"strings"

	"github.com/assayhq/assay/internal/statement/words"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"
)

// codePages are the encodings in which terminals write the languages of their
// users, where they do not write Unicode.
var codePages = []string{"windows-1250", "windows-1251", "windows-1252", "windows-1253", "windows-1254", "windows-1256", "gbk", "big5", "shift_jis", "euc-kr"}

// chooseCodePage returns the encoding under which the beginning of a text holds
// the most known words of statements: what the file declares goes before what is
// likely, and that before all others.
func chooseCodePage(r io.ReadSeeker, declared string, likely textEncoding) (textEncoding, error) {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return textEncoding{}, err
	}
	const length = 64 << 10
	sample := make([]byte, length)
	n, err := io.ReadFull(r, sample)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return textEncoding{}, err
	}
	best, most := likely, countWords(sample[:n], likely)
	for _, name := range append([]string{declared}, codePages...) {
		e, err := htmlindex.Get(name)
		if err != nil {
			continue
		}
		page := textEncoding{name, decoderOf(e)}
		if canonical, err := htmlindex.Name(e); err == nil {
			page.name = canonical
		}
		if page.name == "utf-8" || strings.HasPrefix(page.name, "utf-16") {
			continue // it is none of these
		}
		if words := countWords(sample[:n], page); words > most || name == declared && words == most {
			best, most = page, words
		}
	}
	return best, nil
}

// countWords counts the words beyond ASCII that statements use.
func countWords(sample []byte, e textEncoding) int {
	decoded, _, _ := transform.Bytes(e.decoder(), sample) // the sample may end within a character
	count := 0
	for word := range strings.FieldsFuncSeq(string(decoded), func(c rune) bool { return strings.ContainsRune("<>,;:\t|\r\n\"", c) }) {
		if word = strings.TrimSpace(word); len(word) > words.MaxHeadingBytes || isASCII(word) {
			continue
		}
		if words.Translate(word) != "" {
			count++
		}
	}
	return count
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
