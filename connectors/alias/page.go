package alias

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// Errors of ReadPage and ReadObject. The text of an error that wraps them is one
// sentence that may be shown to the platform's owner.
var (
	// ErrSyntax means that the body is no complete JSON text. Reading it again may
	// help.
	ErrSyntax = errors.New("the body is not valid JSON")
	// ErrShape means that the body is JSON, but not the JSON that was requested.
	ErrShape = errors.New("unexpected JSON")
	// ErrTooManyRecords means that the page has more than MaxRecords items.
	ErrTooManyRecords = errors.New("too many records in one page")
)

// listNames are the members that may hold a page's records, of which exactly one must
// be an array.
var listNames = []string{"data", "items", "results", "records"}

// Page is a page cut into its records.
type Page struct {
	// Items are the JSON texts of the records, cut from one string.
	Items []string
	// Envelope reads the members of the envelope other than the list. There are
	// none if Bare is set.
	Envelope *Record
	// Bare is set when the body is the array itself.
	Bare bool
	// Duplicates counts envelope members that were named more than once; the last one counts.
	Duplicates int
	// Repaired is the error, which wraps ErrSyntax, of a body that could be read only
	// after its syntax was corrected. It is nil if the body is valid JSON.
	Repaired error
}

// ReadPage checks the syntax of a whole body and cuts it into records. It skips a
// byte order mark at the start. Control characters in strings become U+FFFD, and
// NaN, Infinity and -Infinity become null, because one careless record would
// otherwise hide all others. The table describes what is read from the envelope
// besides the records. It does not keep body.
func ReadPage(body []byte, envelope *Table) (*Page, error) {
	p, err := readPage(body, envelope)
	if !errors.Is(err, ErrSyntax) {
		return p, err
	}
	repaired := repairSyntax(body)
	if repaired == nil {
		return nil, err
	}
	p, again := readPage(repaired, envelope)
	switch {
	case errors.Is(again, ErrSyntax):
		return nil, err // it says where the body as it was sent breaks
	case again != nil:
		return nil, again
	}
	p.Repaired = err
	return p, nil
}

func readPage(body []byte, envelope *Table) (*Page, error) {
	r := newReader(body)
	p := &Page{Envelope: newRecord(envelope)}
	var err error
	switch r.dec.PeekKind() {
	case '{':
		err = r.readEnvelope(p, envelope)
	case '[':
		p.Bare = true
		err = r.readArray(p)
	default:
		err = r.unexpectedError("an object with a list of records, or an array")
	}
	if err == nil {
		err = r.expectEnd()
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// MaxCursorBytes bounds a cursor, because it is sent in the query of a request.
const MaxCursorBytes = 4 << 10

// Cursor reads the cursor of the next page from the envelope's field f: a string as
// it is, a number by its digits. It is empty when the list ends, which means that
// the field is absent, null or an empty string. Any other value is an error that
// wraps ErrShape, because taking it for the end would silently leave out the rest
// of the list.
func (p *Page) Cursor(f int) (string, error) {
	fd := &p.Envelope.table.fields[f]
	name, v := fd.Aliases[0], p.Envelope.walker.slots[fd.slots[0]]
	cursor, clean := v.text, true
	switch v.kind {
	case absent, nullValue:
		return "", nil
	case stringValue:
		cursor, clean = unquote(v.innerText())
	case numberValue:
	default:
		return "", fmt.Errorf("%w: %s is neither a string nor null", ErrShape, name)
	}
	switch {
	case !clean:
		return "", fmt.Errorf("%w: %s is not valid text", ErrShape, name)
	case len(cursor) > MaxCursorBytes:
		return "", fmt.Errorf("%w: %s is longer than %d bytes", ErrShape, name, MaxCursorBytes)
	}
	return cursor, nil
}

// ReadObject checks the syntax of a body that must be one object, and returns
// its text.
func ReadObject(body []byte) (string, error) {
	r := newReader(body)
	if r.dec.PeekKind() != '{' {
		return "", r.unexpectedError("an object")
	}
	v, err := r.dec.ReadValue()
	if err != nil {
		return "", syntaxError(err)
	}
	text := string(v)
	if err := r.expectEnd(); err != nil {
		return "", err
	}
	return text, nil
}

func newRecord(t *Table) *Record {
	return &Record{table: t, walker: walker{slots: make([]value, t.slots)}}
}

// reader reads one body.
type reader struct {
	body []byte
	dec  *jsontext.Decoder
}

func newReader(body []byte) *reader {
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	if bytes.IndexByte(body, 0) >= 0 {
		// A NUL is illegal anywhere in JSON, but a database column that was dumped
		// into a string can hold one. Replaced by a byte that is not UTF-8, it
		// costs that string a U+FFFD instead of the whole page.
		body = bytes.ReplaceAll(body, []byte{0}, []byte{0xff})
	}
	return &reader{body, jsontext.NewDecoder(bytes.NewBuffer(body),
		jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))}
}

// readEnvelope reads an object around the list.
func (r *reader) readEnvelope(p *Page, envelope *Table) error {
	if _, err := r.dec.ReadToken(); err != nil {
		return syntaxError(err)
	}
	lists, failures := 0, map[string]bool{}
	for r.dec.PeekKind() == '"' {
		name, err := r.dec.ReadToken()
		if err != nil {
			return syntaxError(err)
		}
		member := name.String()
		if r.dec.PeekKind() == '[' && slices.Contains(listNames, member) {
			if lists++; lists > 1 {
				return fmt.Errorf("%w: more than one array among %s", ErrShape, strings.Join(listNames, ", "))
			}
			if err := r.readArray(p); err != nil {
				return err
			}
			continue
		}
		v, err := r.dec.ReadValue()
		if err != nil {
			return syntaxError(err)
		}
		p.storeMember(envelope.root.members[member], v)
		if says := failureMembers[member]; says != nil {
			failures[member] = says(v)
		}
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return syntaxError(err)
	}
	if lists == 0 {
		return fmt.Errorf("%w: no array of records under %s", ErrShape, strings.Join(listNames, ", "))
	}
	if len(p.Items) > 0 {
		return nil
	}
	for _, member := range slices.Sorted(maps.Keys(failures)) {
		if failures[member] {
			return fmt.Errorf("%w: the list is empty, and %s says that the request failed", ErrShape, member)
		}
	}
	return nil
}

// failureMembers are the members of an envelope that say whether a request failed. An
// empty list beside one that does is no list that ends: what it would have held is
// never asked for again.
var failureMembers = map[string]func(jsontext.Value) bool{
	"error": saysError, "errors": saysError,
	"success": saysFalse, "ok": saysFalse,
	"status": saysFailed,
}

// saysFalse reports whether a value is false, as a boolean or a text.
func saysFalse(v jsontext.Value) bool {
	return v.Kind() == 'f' || v.Kind() == '"' && strings.EqualFold(strings.Trim(string(v), `" `), "false")
}

// saysFailed reports whether a value is one of the texts by which platforms say that a
// request failed (JSend has "fail" and "error").
func saysFailed(v jsontext.Value) bool {
	return v.Kind() == '"' && slices.Contains([]string{"error", "fail", "failed", "failure"}, strings.ToLower(strings.Trim(string(v), `" `)))
}

// saysError reports whether the value of a member such as error names an error: whether
// it, or any value in it, is true, a number other than a code of success, or a text that
// does not say that there is none. Platforms that always send the member write a code
// of 0 or 200 and an empty message, "OK", null or "none" otherwise.
func saysError(v jsontext.Value) bool {
	for d := newReader(v).dec; ; {
		token, err := d.ReadToken()
		if err != nil {
			return false // its end, because the syntax was checked
		}
		switch token.Kind() {
		case 't':
			return true
		case '0':
			if !isSuccess(token.String()) {
				return true
			}
		case '"':
			within, n := d.StackIndex(d.StackDepth())
			if isName := within == '{' && n%2 == 1; !isName && !saysNone(token.String()) {
				return true
			}
		}
	}
}

// saysNone reports whether a text in an error says that there is no error.
func saysNone(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	switch text {
	case "", "false", "nil", "no error", "none", "null":
		return true
	}
	success := isSuccess(text)
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return !unicode.IsLetter(c) }) {
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

// storeMember keeps a member of the envelope other than the list. n is nil if the
// member is not read.
func (p *Page) storeMember(n *node, v jsontext.Value) {
	if n != nil {
		w := &p.Envelope.walker
		w.duplicate = false
		w.storeValue(n, string(v))
		if w.duplicate {
			p.Duplicates++
		}
	}
}

// readArray reads the list itself. It cuts the records' texts from one copy of the
// part of the body that holds them.
func (r *reader) readArray(p *Page) error {
	if _, err := r.dec.ReadToken(); err != nil {
		return syntaxError(err)
	}
	type span struct{ start, end int }
	var spans []span
	for kind := r.dec.PeekKind(); kind != ']'; kind = r.dec.PeekKind() {
		v, err := r.dec.ReadValue()
		if err != nil {
			return syntaxError(err)
		}
		if len(spans) == MaxRecords {
			return fmt.Errorf("%w: more than %d", ErrTooManyRecords, MaxRecords)
		}
		if spans == nil {
			spans = make([]span, 0, estimateRecords(len(r.body), len(v)))
		}
		end := int(r.dec.InputOffset())
		spans = append(spans, span{end - len(v), end})
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return syntaxError(err)
	}
	if len(spans) == 0 {
		return nil
	}
	first := spans[0].start
	text := string(r.body[first:spans[len(spans)-1].end])
	p.Items = make([]string, len(spans))
	for i, s := range spans {
		p.Items[i] = text[s.start-first : s.end-first]
	}
	return nil
}

// estimateRecords guesses how many records a body holds from the first one's size, so
// that the list seldom has to grow.
func estimateRecords(body, record int) int {
	return min(body/(record+1)+8, 1024)
}

// expectEnd makes sure that only white space follows.
func (r *reader) expectEnd() error {
	switch _, err := r.dec.ReadToken(); {
	case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return nil
	case err != nil:
		return syntaxError(err)
	}
	return fmt.Errorf("%w: there is more text after its end", ErrSyntax)
}

// unexpectedError returns the error for a body that begins with neither brace nor
// bracket: JSON of another shape, or no JSON at all.
func (r *reader) unexpectedError(want string) error {
	if len(bytes.TrimSpace(r.body)) == 0 {
		return fmt.Errorf("%w: it is empty", ErrSyntax)
	}
	for start, is := range otherForms {
		if bytes.HasPrefix(r.body, []byte(start)) {
			return fmt.Errorf("%w: it is %s", ErrSyntax, is)
		}
	}
	if err := r.dec.SkipValue(); err != nil {
		return syntaxError(err)
	}
	if err := r.expectEnd(); err != nil {
		return err
	}
	return fmt.Errorf("%w: not %s", ErrShape, want)
}

// otherForms are the first bytes of bodies in other forms, and what to say of each.
var otherForms = map[string]string{
	"\x1f\x8b": "compressed with gzip, but no Content-Encoding header says so",
	"\xff\xfe": "encoded in UTF-16, but JSON must be UTF-8",
	"\xfe\xff": "encoded in UTF-16, but JSON must be UTF-8",
}

// syntaxError says where the syntax breaks. It quotes nothing of the body.
func syntaxError(err error) error {
	var syntactic *jsontext.SyntacticError
	if errors.Is(err, io.EOF) && !errors.As(err, &syntactic) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it ends too early", ErrSyntax)
	}
	if errors.As(err, &syntactic) {
		return fmt.Errorf("%w: at byte %d: %w", ErrSyntax, syntactic.ByteOffset, syntactic.Err)
	}
	return fmt.Errorf("%w: %w", ErrSyntax, err)
}
