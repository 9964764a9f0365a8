package contracttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Rules for single records. Each is the last part of a case id.
const (
	ruleRequired = "required"   // the record is unusable
	ruleTypes    = "types"      // an optional field is lost
	ruleForms    = "json-types" // a value is accepted although it has another JSON type
	ruleEnums    = "enums"      // an unknown value of an optional enumeration
	ruleSpelling = "spelling"   // an enumeration value in another case
	ruleFormats  = "formats"    // country, currency, email, phone
	ruleUTC      = "utc"        // a time with another offset
	ruleUTF8     = "utf8"       // bytes that are not UTF-8
	ruleText     = "text"       // half a surrogate pair, or NUL
	ruleIDs      = "id-types"   // ids of several types, as floats, or with white space
	ruleClosed   = "closed"     // close_time and close_price
	ruleBumped   = "bumped"     // updated_at is before the close time
	rulePaid     = "paid"       // paid_at is set but the status is not paid
	ruleTwice    = "duplicates" // a duplicate member in one record
)

// head is what is remembered of a record.
type head struct {
	index   int    // in the record's page
	key     string // identifies the record: the id, preceded by the account's id for trades; empty if unusable
	id      string
	updated time.Time
	sentAt  string    // updated_at as it was sent
	parent  string    // trader_id, or account_id of a trade
	account string    // account_id of a payout
	content uint64    // hash of parent and the fields that never change
	open    bool      // of a trade
	closed  time.Time // of a trade; zero while it is open
	floats  bool      // of an account whose equity differs from its balance
	numeric bool      // the id was a number
}

// reading is the state of judging one record.
type reading struct {
	list    *list
	members map[string]json.RawMessage
	found   problems
	id      string // for people
	usable  bool
}

// judgeRecord reads a record. Its head has no key if assay could not use it.
func (l *list) judgeRecord(raw json.RawMessage, found problems) head {
	r := &reading{list: l, found: found, usable: true}
	switch {
	case raw[0] != '{':
		found.add(ruleRequired, "", "the item of the list is not an object")
		return head{}
	case len(raw) > maxRecordBytes:
		found.add(ruleRequired, "", "the record is larger than 1 MiB")
		return head{}
	}
	deep, bad := r.scanMembers(raw)
	if deep {
		found.add(ruleRequired, "", fmt.Sprintf("the record is nested more than %d levels deep", maxDepth))
		return head{}
	}
	h := head{}
	h.id = r.readIdentifier("id", true)
	r.id = r.nameRecord(h.id)
	h.numeric = h.id != "" && r.members["id"][0] != '"'
	if bad {
		found.add(ruleUTF8, r.id, "bytes that are not UTF-8")
	}
	for i := range l.fields {
		r.judgeField(&l.fields[i], &h)
	}
	l.finish(r, &h)
	if h.key = h.id; l.name == "trades" && h.id != "" {
		h.key = h.parent + "\x00" + h.id
	}
	if !r.usable {
		h.key = ""
	}
	return h
}

// scanMembers splits the record into its members. deep reports that it is nested too deeply, bad
// that its text is not UTF-8.
func (r *reading) scanMembers(raw json.RawMessage) (deep, bad bool) {
	depth, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deep = deep || depth > maxDepth
		case c == '}' || c == ']':
			depth--
		}
	}
	if deep {
		return true, false
	}
	r.members = make(map[string]json.RawMessage, len(r.list.fields))
	d := json.NewDecoder(bytes.NewReader(raw))
	_, _ = d.Token() // skips the brace; the syntax has been checked
	for d.More() {
		name, _ := memberName(d)
		var value json.RawMessage
		if d.Decode(&value) != nil {
			break
		}
		if _, twice := r.members[name]; twice {
			r.found.add(ruleTwice, "", name+" stands in it twice")
		}
		r.members[name] = value
	}
	return false, !utf8.Valid(raw)
}

// nameRecord names the record for people. The id of a trade is unique in its account only.
func (r *reading) nameRecord(id string) string {
	var account string
	if v := r.members["account_id"]; json.Unmarshal(v, &account) != nil {
		account = string(v)
	}
	if r.list.name != "trades" || id == "" || account == "" {
		return id
	}
	return id + " of account " + account
}

// rejectRecord says that assay cannot use the record.
func (r *reading) rejectRecord(detail string) {
	if r.usable {
		r.found.add(ruleRequired, r.id, detail)
	}
	r.usable = false
}

// rejectField reports a field that cannot be used: either the record or only the field is lost.
func (r *reading) rejectField(f *field, detail string) {
	if f.required {
		r.rejectRecord(f.name + " " + detail)
		return
	}
	r.found.add(ruleTypes, r.id, f.name+" "+detail)
}

// findValue returns the field with its name or an alias. Null and blank strings count as absent.
func (r *reading) findValue(f *field) (json.RawMessage, bool) {
	var wrong json.RawMessage
	for _, name := range [...]string{f.name, f.alias} {
		v, ok := r.members[name]
		switch {
		case name == "" || !ok || v[0] == 'n' || v[0] == '"' && strings.TrimSpace(string(v[1:len(v)-1])) == "":
		case f.kind == anObject && v[0] == '{', f.kind == manyTexts && v[0] == '[',
			f.kind != anObject && f.kind != manyTexts && (v[0] == '"' || v[0] == '-' || v[0] >= '0' && v[0] <= '9'):
			return v, true
		default:
			wrong = v
		}
	}
	switch {
	case wrong != nil && f.decisive && string(wrong) != "false":
		r.rejectRecord(f.name + " is no RFC 3339 time with an offset: " + truncateLine(string(wrong), 40))
	case wrong != nil:
		r.rejectField(f, "has a value of the wrong type: "+truncateLine(string(wrong), 40))
	case f.required:
		r.rejectRecord(f.name + " is missing, null or empty" + r.describeMisspelling(f.name))
	}
	return nil, false
}

// describeMisspelling names the member whose name is another spelling of the given one, such as updatedAt
// for updated_at.
func (r *reading) describeMisspelling(name string) string {
	marks := strings.NewReplacer("_", "", "-", "")
	for _, member := range slices.Sorted(maps.Keys(r.members)) {
		if member != name && strings.EqualFold(marks.Replace(member), marks.Replace(name)) {
			return "; the record has " + member + " instead"
		}
	}
	return ""
}

// decodeText decodes a string, or returns a number's digits.
func (r *reading) decodeText(f *field, v json.RawMessage, limit int) (text string, number, ok bool) {
	if v[0] != '"' {
		text, number = string(v), true
	} else {
		_ = json.Unmarshal(v, &text) // the syntax has been checked
		if hasBadEscape(v) {
			r.found.add(ruleText, r.id, f.name+" holds NUL or half of a surrogate pair")
		}
		text = strings.TrimSpace(text)
	}
	switch {
	case text == "" && f.required:
		r.rejectRecord(f.name + " is missing, null or empty")
	case len(text) > limit:
		r.rejectField(f, fmt.Sprintf("is longer than %d bytes", limit))
	default:
		return text, number, text != ""
	}
	return "", false, false
}

// hasBadEscape reports whether the escapes of a string produce invalid text.
func hasBadEscape(v json.RawMessage) bool {
	s := string(v)
	for i := 0; i+5 < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		if s[i+1] != 'u' {
			i++
			continue
		}
		unit, _ := strconv.ParseUint(s[i+2:i+6], 16, 16)
		switch {
		case unit == 0, unit >= 0xdc00 && unit <= 0xdfff:
			return true
		case unit >= 0xd800 && unit <= 0xdbff:
			rest := s[i+6:]
			if !strings.HasPrefix(rest, `\u`) || len(rest) < 6 {
				return true
			}
			low, _ := strconv.ParseUint(rest[2:6], 16, 16)
			if low < 0xdc00 || low > 0xdfff {
				return true
			}
			i += 6
		}
		i += 5
	}
	return false
}

// readIdentifier reads an id: a string, or a whole number digit for digit.
func (r *reading) readIdentifier(name string, required bool) string {
	f := &field{name: name, kind: anID, required: required}
	v, ok := r.findValue(f)
	if !ok {
		return ""
	}
	if v[0] != '"' {
		whole, fraction, dotted := strings.Cut(string(v), ".")
		if bytes.ContainsAny(v, "eE") || dotted && (strings.Trim(fraction, "0") != "" || len(strings.TrimPrefix(whole, "-")) > 15) {
			r.rejectField(f, "is a number with a fraction or an exponent, which has probably been rounded: "+truncateLine(string(v), 40))
			return ""
		}
		if dotted {
			r.found.add(ruleIDs, r.id, name+" is a float: "+truncateLine(string(v), 40))
		}
		v = json.RawMessage(whole)
	}
	if !utf8.Valid(v) || hasBadEscape(v) || strings.Contains(decodeString(v), "\x1f") {
		r.rejectField(f, "holds bytes that are not UTF-8, half of a surrogate pair, NUL or U+001F, without which several ids would look the same")
		return ""
	}
	text, _, _ := r.decodeText(f, v, 512)
	if sent := decodeString(v); text != "" && strings.TrimSpace(sent) != sent {
		r.found.add(ruleIDs, r.id, name+" has white space around it, which is removed: "+truncateLine(string(v), 40))
	}
	return text
}

// decodeString returns the value of a string, and nothing for other values.
func decodeString(v json.RawMessage) (text string) {
	_ = json.Unmarshal(v, &text)
	return text
}

// judgeField judges one field and records what the head keeps of it.
func (r *reading) judgeField(f *field, h *head) {
	if f.kind == anID {
		if f.name == "id" {
			return
		}
		id := r.readIdentifier(f.name, f.required)
		switch f.name {
		case r.list.parent:
			h.parent = id
			h.addContent(id)
		case "account_id":
			h.account = id
		}
		return
	}
	v, ok := r.findValue(f)
	if !ok {
		return
	}
	switch f.kind {
	case aTime:
		r.judgeTime(f, v, h)
	case aNumber:
		r.judgeNumber(f, v)
	case anEnum:
		r.judgeEnum(f, v)
	case aSide:
		r.judgeSide(f, v)
	case anObject:
		r.judgeObject(f, v)
	case manyTexts:
		r.judgeStrings(f, v)
	default:
		r.judgeWords(f, v)
	}
	if f.fixed {
		h.addContent(string(v))
	}
}

// addContent adds the value of a field that tells records apart.
func (h *head) addContent(value string) {
	sum := fnv.New64a()
	_, _ = io.WriteString(sum, value)
	h.content = h.content*31 + sum.Sum64()
}

// judgeNumber judges an amount.
func (r *reading) judgeNumber(f *field, v json.RawMessage) {
	text, quoted := string(v), v[0] == '"'
	if quoted {
		_ = json.Unmarshal(v, &text)
		if text = strings.TrimSpace(text); f.quotable {
			text = removeGrouping(text)
		}
	}
	switch fits, ok := isDecimal(text); {
	case !ok:
		r.rejectField(f, "is no decimal number: "+truncateLine(text, 40))
	case !fits:
		r.rejectRecord(f.name + " is a number with more than 1000 digits")
	case quoted && !f.quotable:
		r.found.add(ruleForms, r.id, f.name+" is a number in a string: "+truncateLine(string(v), 40))
	}
}

func (r *reading) judgeEnum(f *field, v json.RawMessage) {
	text, _, ok := r.decodeText(f, v, 4<<10)
	if !ok || slices.Contains(f.values, text) {
		return
	}
	for _, value := range f.values {
		if strings.EqualFold(value, text) {
			r.found.add(ruleSpelling, r.id, f.name+" is "+truncateLine(strconv.Quote(text), 40)+" instead of "+value)
			return
		}
	}
	detail := f.name + " is " + truncateLine(strconv.Quote(text), 40) + ", none of " + strings.Join(f.values, ", ")
	if f.required {
		r.rejectRecord(detail)
		return
	}
	r.found.add(ruleEnums, r.id, detail)
}

func (r *reading) judgeSide(f *field, v json.RawMessage) {
	text, number, ok := r.decodeText(f, v, 4<<10)
	if number {
		if n, err := strconv.ParseFloat(text, 64); err == nil && (n == 0 || n == 1) {
			return
		}
	}
	if !ok {
		return
	}
	known := []string{"buy", "sell", "long", "short", "0", "1"}
	switch lower := strings.ToLower(text); {
	case slices.Contains(known, text):
	case slices.Contains(known, lower):
		r.found.add(ruleSpelling, r.id, f.name+" is "+truncateLine(strconv.Quote(text), 40)+" instead of "+lower)
	default:
		r.rejectRecord(f.name + " is " + truncateLine(strconv.Quote(text), 40) + ", none of buy, sell, long, short, 0 and 1")
	}
}

// judgeObject judges metadata. A value that the database cannot hold costs the record.
func (r *reading) judgeObject(f *field, v json.RawMessage) {
	if len(v) > 64<<10 {
		r.rejectField(f, "is larger than 64 KiB")
		return
	}
	d := json.NewDecoder(bytes.NewReader(v))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			break
		}
		if n, ok := token.(json.Number); ok {
			if fits, _ := isDecimal(n.String()); !fits {
				r.rejectRecord(f.name + " holds a number with more than 1000 digits")
				return
			}
		}
	}
	if hasBadEscape(v) {
		r.found.add(ruleText, r.id, f.name+" holds NUL or half of a surrogate pair")
	}
}

// judgeStrings judges tags. assay leaves out null and blank strings.
func (r *reading) judgeStrings(f *field, v json.RawMessage) {
	var all []json.RawMessage
	_ = json.Unmarshal(v, &all)
	kept := 0
	for _, s := range all {
		text := string(s)
		switch {
		case s[0] == '"':
			_ = json.Unmarshal(s, &text)
			text = strings.TrimSpace(text)
			if hasBadEscape(s) {
				r.found.add(ruleText, r.id, f.name+" holds NUL or half of a surrogate pair")
			}
		case s[0] == 'n':
			text = ""
		case s[0] == '-' || s[0] >= '0' && s[0] <= '9':
			r.found.add(ruleForms, r.id, f.name+" holds a number instead of a string: "+truncateLine(text, 40))
		default:
			r.found.add(ruleTypes, r.id, f.name+" holds something else than strings: "+truncateLine(text, 40))
			text = ""
		}
		switch {
		case text == "":
		case len(text) > 256:
			r.found.add(ruleTypes, r.id, f.name+" holds a string of more than 256 bytes")
		default:
			kept++
		}
	}
	if kept > 100 {
		r.found.add(ruleTypes, r.id, f.name+" holds more than 100 strings")
	}
}

// judgeWords judges texts, some of which have a required format.
func (r *reading) judgeWords(f *field, v json.RawMessage) {
	limit := 4 << 10
	if f.kind == anEmail {
		limit = 320
	}
	text, number, ok := r.decodeText(f, v, limit)
	if !ok {
		return
	}
	if number {
		r.found.add(ruleForms, r.id, f.name+" is a number instead of a string: "+truncateLine(text, 40))
	}
	if f.form != nil && !strings.ContainsAny(text, "\ufffd\x00") && !f.form.MatchString(text) {
		r.found.add(ruleFormats, r.id, f.name+" is not "+f.formName+": "+truncateLine(strconv.Quote(text), 40))
	}
}

// removeGrouping removes thousands separators.
func removeGrouping(text string) string {
	if !strings.Contains(text, ",") {
		return text
	}
	sign, rest := "", text
	if rest[0] == '-' || rest[0] == '+' {
		sign, rest = rest[:1], rest[1:]
	}
	whole, fraction, dotted := strings.Cut(rest, ".")
	groups := strings.Split(whole, ",")
	for i, g := range groups {
		if i == 0 && (g == "" || len(g) > 3 || len(groups) > 1 && g[0] == '0') || i > 0 && len(g) != 3 {
			return text
		}
	}
	if dotted {
		fraction = "." + fraction
	}
	return sign + strings.Join(groups, "") + fraction
}

// isDecimal reports whether a text is a decimal number, and whether it fits into a thousand digits
// on either side of its point.
func isDecimal(text string) (fits, ok bool) {
	const most = 1000
	s := strings.TrimLeft(text, "+-")
	if len(text)-len(s) > 1 {
		return false, false
	}
	mantissa, exponent, exponential := s, "", false
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent, exponential = s[:i], s[i+1:], true
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := func(s string) bool { return strings.Trim(s, "0123456789") == "" }
	if whole+fraction == "" || !digits(whole) || !digits(fraction) {
		return false, false
	}
	power := 0
	if exponential {
		unsigned := strings.TrimLeft(exponent, "+-")
		if unsigned == "" || !digits(unsigned) || len(exponent)-len(unsigned) > 1 {
			return false, false
		}
		unsigned = strings.TrimLeft(unsigned, "0")
		if len(unsigned) > 6 {
			unsigned = "999999"
		}
		if power, _ = strconv.Atoi("0" + unsigned); exponent[0] == '-' {
			power = -power
		}
	}
	all := whole + fraction
	point := len(whole) + power
	significant := strings.TrimLeft(all, "0")
	point -= len(all) - len(significant)
	if significant = strings.TrimRight(significant, "0"); significant == "" {
		return true, true
	}
	return point <= most && len(significant)-point <= most, true
}
