package contracttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Limits of a page, which are those of assay's sync.
const (
	maxRecords     = 100_000 // records of a page
	maxRecordBytes = 1 << 20 // bytes of a record
	maxValueBytes  = 4 << 20 // bytes of a value that are read before the page is given up
	maxCursorBytes = 4 << 10 // bytes of a cursor
	maxDepth       = 64      // nesting levels of a record
)

var errShape = errors.New("unexpected JSON")

// page holds what is kept of one page of a list.
type page struct {
	heads     []head
	seen      int    // records
	next      string // cursor; empty on the last page
	wrapped   string // member that held the records; empty for a bare array
	cursorAs  string // how the end was marked or a cursor sent, if not as the contract says
	badCursor string // why next_cursor is not a valid cursor; empty if it is
	duplicate bool   // an object has a duplicate member
	mark      bool   // it begins with a byte order mark
	most      int    // records that are remembered
	problems  problems
}

// readPage judges the records of a page while it reads them, and remembers the first of them:
// twice as many as were requested. It returns errShape for JSON of another form, errTooLarge if
// the page exceeds a limit, and another error if the body is not JSON.
func readPage(body io.Reader, l *list, limit int) (*page, error) {
	p := &page{problems: make(problems), most: 2 * max(limit, liveLimit)}
	source := &source{r: body, left: maxValueBytes}
	d := json.NewDecoder(source)
	d.UseNumber()
	err := p.readBody(d, source, l)
	if err == nil {
		err = atEnd(d)
	}
	p.mark = source.mark
	switch {
	case err == nil:
		return p, nil
	case errors.Is(err, errShape), errors.Is(err, errTooLarge), errors.Is(err, errBroken):
		return p, err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return p, fmt.Errorf("%w: the JSON ends too early", errBroken)
	}
	return p, fmt.Errorf("%w: the body is not valid JSON: %s", errBroken, truncateLine(err.Error(), 120))
}

func (p *page) readBody(d *json.Decoder, s *source, l *list) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('['):
		return p.readRecords(d, s, l)
	case json.Delim('{'):
		return p.readEnvelope(d, s, l)
	}
	return fmt.Errorf("%w: the body is neither an object with a list nor an array", errShape)
}

// listMembers returns the members that may hold the records, the contract's first.
func listMembers() []string { return []string{"data", "items", "results", "records"} }

func (p *page) readEnvelope(d *json.Decoder, s *source, l *list) error {
	lists := 0
	members, failures := make(map[string]bool), make(map[string]bool)
	for d.More() {
		name, err := memberName(d)
		if err != nil {
			return err
		}
		p.duplicate = p.duplicate || members[name]
		members[name] = true
		s.left = maxValueBytes
		value, err := d.Token()
		switch {
		case err != nil:
			return err
		case value == json.Delim('[') && slices.Contains(listMembers(), name):
			if lists++; lists > 1 {
				return fmt.Errorf("%w: more than one of %s is an array", errShape, strings.Join(listMembers(), ", "))
			}
			p.wrapped = name
			err = p.readRecords(d, s, l)
		case name == "next_cursor":
			err = p.readCursor(d, s, value)
		case name == "error", name == "errors":
			failures[name], err = readError(d, s, value)
		default:
			failures[name] = saysFailure(name, value)
			err = skipRest(d, s, value)
		}
		if err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	if lists == 0 {
		return fmt.Errorf("%w: there is no array of records under data", errShape)
	}
	for _, name := range slices.Sorted(maps.Keys(failures)) {
		if failures[name] && p.seen == 0 {
			return fmt.Errorf("%w: the list is empty, and %s says that the request failed; send errors with a status of their own", errShape, name)
		}
	}
	if !members["next_cursor"] {
		p.cursorAs = "absent"
	}
	return nil
}

func memberName(d *json.Decoder) (string, error) {
	token, err := d.Token()
	if err != nil {
		return "", err
	}
	name, _ := token.(string)
	return name, nil
}

// saysFailure reports whether a member that is no error says by a single value that the request
// failed.
func saysFailure(name string, value json.Token) bool {
	text, _ := value.(string)
	text = strings.ToLower(strings.TrimSpace(text))
	switch name {
	case "success", "ok":
		isTrue, isBool := value.(bool)
		return isBool && !isTrue || text == "false"
	case "status":
		return slices.Contains([]string{"error", "fail", "failed", "failure"}, text)
	}
	return false
}

// readError reads the rest of the member error or errors, whose first token has been read, and reports whether
// it names an error: whether it, or any value in it, is true, a number other than a code of success,
// or a text that does not say that there is none. Platforms that always send it write a code of 0 or
// 200 and an empty message, "OK", null or "none" otherwise.
func readError(d *json.Decoder, s *source, token json.Token) (named bool, err error) {
	var objects []bool // whether each of the enclosing values is an object
	for {
		s.left = maxValueBytes
		switch token {
		case json.Delim('['), json.Delim('{'):
			objects = append(objects, token == json.Delim('{'))
		case json.Delim(']'), json.Delim('}'):
			objects = objects[:len(objects)-1]
		default:
			named = named || saysError(token)
		}
		if len(objects) == 0 {
			return named, nil
		}
		if objects[len(objects)-1] && d.More() {
			if _, err := memberName(d); err != nil {
				return named, err
			}
		}
		if token, err = d.Token(); err != nil {
			return named, err
		}
	}
}

// saysError reports whether a single value in such a member names an error.
func saysError(value json.Token) bool {
	switch v := value.(type) {
	case bool:
		return v
	case json.Number:
		return !isSuccess(v.String())
	case string:
		return !saysNone(v)
	}
	return false
}

// saysNone reports whether a text in such a member says that there is no error.
func saysNone(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	switch text {
	case "", "false", "nil", "no error", "none", "null":
		return true
	}
	success := isSuccess(text)
	for _, word := range strings.FieldsFunc(text, func(c rune) bool { return !unicode.IsLetter(c) }) {
		switch word {
		case "no", "not":
			return false
		case "ok", "success", "successful", "successfully":
			success = true
		}
	}
	return success
}

// isSuccess reports whether a number is 0, or a status of HTTP that is no error: 200 to 299.
func isSuccess(number string) bool {
	if strings.Trim(number, "-0.") == "" {
		return strings.Contains(number, "0")
	}
	return len(number) == len("200") && number[0] == '2' && strings.Trim(number, "0123456789") == ""
}

// skipRest skips the rest of a value whose first token has been read. Only single texts in it count
// towards the limit of a value, because nothing else is held in memory.
func skipRest(d *json.Decoder, s *source, token json.Token) error {
	for depth := 0; ; {
		s.left = maxValueBytes
		switch token {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
		if depth == 0 {
			return nil
		}
		var err error
		if token, err = d.Token(); err != nil {
			return err
		}
	}
}

// readCursor reads next_cursor, whose first token has been read.
func (p *page) readCursor(d *json.Decoder, s *source, value json.Token) error {
	p.next, p.cursorAs, p.badCursor = "", "", ""
	switch v := value.(type) {
	case nil:
	case string:
		switch p.next = v; {
		case v == "":
			p.cursorAs = `""`
		case strings.ContainsAny(v, "\x00\ufffd"): // the decoder puts U+FFFD in the place of what is no text
			p.next, p.badCursor = "", "next_cursor holds NUL, half of a surrogate pair or bytes that are not UTF-8"
		}
	case json.Number:
		p.next, p.cursorAs = v.String(), "a number"
	case bool:
		p.badCursor = fmt.Sprintf("next_cursor is %t, neither a string nor null", v)
	default:
		p.badCursor = "next_cursor is an object or an array, neither a string nor null"
	}
	if len(p.next) > maxCursorBytes {
		p.next, p.badCursor = "", fmt.Sprintf("next_cursor is longer than %d bytes", maxCursorBytes)
	}
	return skipRest(d, s, value)
}

// readRecords reads the rest of an array whose opening bracket has been read.
func (p *page) readRecords(d *json.Decoder, s *source, l *list) error {
	for d.More() {
		s.left = maxValueBytes
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return err
		}
		if p.seen == maxRecords {
			return fmt.Errorf("%w: the page has more than %d records", errTooLarge, maxRecords)
		}
		h := l.judgeRecord(raw, p.problems)
		h.index = p.seen
		if p.seen++; p.seen <= p.most {
			p.heads = append(p.heads, h)
		}
	}
	_, err := d.Token()
	return err
}

// atEnd checks that only white space follows.
func atEnd(d *json.Decoder) error {
	switch _, err := d.Token(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%w: there is more text after the end of the JSON", errBroken)
}

// readObject reads a body that must be one object.
func readObject(body io.Reader) (json.RawMessage, error) {
	source := &source{r: body, left: maxValueBytes}
	d := json.NewDecoder(source)
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		if errors.Is(err, errTooLarge) {
			return nil, err
		}
		return nil, fmt.Errorf("%w: the body is not valid JSON: %s", errBroken, truncateLine(err.Error(), 120))
	}
	if err := atEnd(d); err != nil {
		return nil, fmt.Errorf("%w: there is more text after the end of the JSON", errBroken)
	}
	if raw[0] != '{' {
		return raw, fmt.Errorf("%w: the body is not an object", errShape)
	}
	return raw, nil
}

// source feeds a body to the decoder as assay reads it: without a byte order mark, with NUL bytes
// replaced, and with a limit on the size of a value.
type source struct {
	r     io.Reader
	left  int // bytes until the current value is given up
	begun bool
	mark  bool
}

func (s *source) Read(b []byte) (int, error) {
	if s.left <= 0 {
		return 0, fmt.Errorf("%w: a record or member is larger than %d MiB", errTooLarge, maxValueBytes>>20)
	}
	if !s.begun {
		s.begun = true
		var head [3]byte
		n, err := io.ReadFull(s.r, head[:])
		start := head[:n]
		if rest, ok := bytes.CutPrefix(start, []byte("\xef\xbb\xbf")); ok {
			start, s.mark = rest, true
		}
		if err == nil {
			s.r = io.MultiReader(bytes.NewReader(bytes.Clone(start)), s.r)
		} else {
			s.r = bytes.NewReader(bytes.Clone(start))
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				return 0, err
			}
		}
	}
	n, err := s.r.Read(b[:min(len(b), s.left, 64<<10)])
	s.left -= n
	for i, c := range b[:n] {
		if c == 0 {
			b[i] = 0xff
		}
	}
	return n, err
}
