package sheet

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/assayhq/assay/internal/statement/refusal"
)

// markup reads the XML of a workbook's parts: elements, attributes and text.
// It is an eighth of the work of encoding/xml, which on sheets of 200,000 rows
// is the difference of waiting or not. It refuses document type declarations,
// and with them all entities but the five of XML itself.
type markup struct {
	in *part
	// name is that of the element just begun or ended, without prefix; it and
	// attributes are only valid until the next one.
	name       []byte
	attributes []byte
	empty      bool // the element just begun has also ended
	text       []byte
	buf        []byte
}

// token is what markup.next came by.
type token uint8

const (
	startToken token = iota
	endToken
)

// maxMarkBytes bounds one tag and the text of one element; a cell holds at
// most 32,767 characters.
const maxMarkBytes = 256 << 10

// next returns the next beginning or end of an element. The text before it is in m.text if wanted.
// At the end of the part it returns io.EOF.
func (m *markup) next(wanted bool) (token, error) {
	m.text = m.text[:0]
	for {
		if err := m.readText(wanted); err != nil {
			return 0, err
		}
		first, err := m.in.Peek(1)
		if err != nil {
			return 0, m.refuseTruncated(err)
		}
		switch first[0] {
		case '?':
			err = m.skipPast("?>")
		case '!':
			err = m.readDeclaration(wanted)
		default:
			return m.readTag()
		}
		if err != nil {
			return 0, err
		}
	}
}

// readText reads up to the next tag and past its first character.
func (m *markup) readText(wanted bool) error {
	start := len(m.text)
	for {
		chunk, err := m.in.ReadSlice('<')
		if wanted {
			m.text = append(m.text, chunk...)
			if len(m.text) > maxMarkBytes {
				return refusal.New(refusal.FileTooLarge, "A cell has more text than a workbook allows.")
			}
		}
		switch {
		case err == nil:
			if wanted {
				text, ok := unescapeText(m.text[start : len(m.text)-1])
				if !ok {
					return refuseDamaged()
				}
				m.text = append(m.text[:start], text...)
			}
			return nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// readDeclaration reads what follows "<!": a comment or a section of text.
func (m *markup) readDeclaration(wanted bool) error {
	head, _ := m.in.Peek(len("![CDATA["))
	switch {
	case bytes.HasPrefix(head, []byte("!--")):
		return m.skipPast("-->")
	case string(head) == "![CDATA[":
		_, _ = m.in.Discard(len(head))
		return m.readSection(wanted)
	}
	return refusal.New(refusal.UnsupportedFileType, "The workbook's XML has a document type declaration, which no spreadsheet writes.")
}

// readSection reads text up to "]]>".
func (m *markup) readSection(wanted bool) error {
	m.buf = m.buf[:0]
	for {
		chunk, err := m.in.ReadSlice('>')
		m.buf = append(m.buf, chunk...)
		switch {
		case len(m.buf) > maxMarkBytes:
			return refuseDamaged()
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return m.refuseTruncated(err)
		case bytes.HasSuffix(m.buf, []byte("]]>")):
			if wanted {
				m.text = append(m.text, m.buf[:len(m.buf)-3]...)
			}
			return nil
		}
	}
}

func (m *markup) skipPast(end string) error {
	var last [3]byte
	for {
		chunk, err := m.in.ReadSlice('>')
		for _, b := range chunk[max(0, len(chunk)-3):] {
			last[0], last[1], last[2] = last[1], last[2], b
		}
		switch {
		case err == nil && bytes.HasSuffix(last[:], []byte(end)):
			return nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return m.refuseTruncated(err)
		}
	}
}

// readTag reads a beginning or an end up to its ">", which may also stand within
// the quotes of an attribute.
func (m *markup) readTag() (token, error) {
	chunk, err := m.in.ReadSlice('>')
	if err == nil && quotesClosed(chunk) {
		return m.splitTag(chunk[:len(chunk)-1])
	}
	m.buf = m.buf[:0]
	for ; ; chunk, err = m.in.ReadSlice('>') {
		m.buf = append(m.buf, chunk...)
		switch {
		case len(m.buf) > maxMarkBytes:
			return 0, refuseDamaged()
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return 0, m.refuseTruncated(err)
		case err == nil && quotesClosed(m.buf):
			return m.splitTag(m.buf[:len(m.buf)-1])
		}
	}
}

func quotesClosed(tag []byte) bool {
	if bytes.IndexByte(tag, '\'') < 0 {
		return bytes.Count(tag, []byte{'"'})%2 == 0
	}
	quote := byte(0)
	for _, b := range tag {
		switch {
		case quote == 0 && (b == '"' || b == '\''):
			quote = b
		case b == quote:
			quote = 0
		}
	}
	return quote == 0
}

func (m *markup) splitTag(tag []byte) (token, error) {
	t := startToken
	if len(tag) > 0 && tag[0] == '/' {
		t, tag = endToken, tag[1:]
	}
	m.empty = len(tag) > 0 && tag[len(tag)-1] == '/'
	if m.empty {
		tag = tag[:len(tag)-1]
	}
	end := bytes.IndexAny(tag, " \t\r\n")
	if end < 0 {
		end = len(tag)
	}
	m.name, m.attributes = tag[:end], tag[end:]
	if i := bytes.IndexByte(m.name, ':'); i >= 0 {
		m.name = m.name[i+1:]
	}
	if len(m.name) == 0 {
		return t, refuseDamaged()
	}
	return t, nil
}

// attributeText returns the value of an attribute of the element just begun; a
// name without prefix is that of an attribute without one.
func (m *markup) attributeText(name string) string { return string(m.attributeBytes(name)) }

// attributeBytes returns what attributeText does without a copy, valid for as
// long as the name of the element.
func (m *markup) attributeBytes(name string) []byte {
	rest := m.attributes
	for {
		equals := bytes.IndexByte(rest, '=')
		if equals < 0 {
			return nil
		}
		key := bytes.TrimSpace(rest[:equals])
		rest = bytes.TrimLeft(rest[equals+1:], " \t\r\n")
		if len(rest) == 0 {
			return nil
		}
		end := bytes.IndexByte(rest[1:], rest[0])
		if end < 0 {
			return nil
		}
		if string(key) == name {
			value := rest[1 : 1+end]
			if bytes.IndexByte(value, '&') >= 0 { // the original may be asked again
				value, _ = unescapeText(bytes.Clone(value))
			}
			return value
		}
		rest = rest[end+2:]
	}
}

// refuseTruncated returns a refusal if the part ends within an element.
func (m *markup) refuseTruncated(err error) error {
	if errors.Is(err, io.EOF) {
		return refuseDamaged()
	}
	return err
}

// unescapeText replaces the entities of XML in place.
func unescapeText(text []byte) ([]byte, bool) {
	if bytes.IndexByte(text, '&') < 0 {
		return text, true
	}
	out := text[:0]
	for {
		before, after, found := bytes.Cut(text, []byte{'&'})
		out = append(out, before...)
		if !found {
			return out, true
		}
		name, rest, closed := bytes.Cut(after, []byte{';'})
		if !closed {
			return nil, false
		}
		c, ok := entityRune(string(name))
		if !ok {
			return nil, false
		}
		out = utf8.AppendRune(out, c) // never longer than what it stands for
		text = rest
	}
}

func entityRune(name string) (rune, bool) {
	switch name {
	case "amp":
		return '&', true
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	}
	number, numeric := strings.CutPrefix(name, "#")
	base := 10
	if hex, ok := strings.CutPrefix(number, "x"); ok {
		number, base = hex, 16
	}
	c, err := strconv.ParseUint(number, base, 32)
	if !numeric || err != nil || c == 0 || c > utf8.MaxRune || !utf8.ValidRune(rune(c)) {
		return 0, false
	}
	return rune(c), true
}
