package decode

import (
	"net/http"
	"slices"
	"strings"

	"github.com/assayhq/assay/apiserver/problem"
)

// Tags is the value of If-Match or If-None-Match (RFC 9110, 13.1): any representation, or one of
// those listed. The zero value matches none.
type Tags struct {
	any  bool
	list []entityTag
}

// entityTag is an entity tag (RFC 9110, 8.8.3).
type entityTag struct {
	text string // including its quotes
	weak bool
}

// EntityTags reads the header with that name. It returns nil if the header is absent. A malformed
// header is noted as a fault and matches nothing.
func (f *Faults) EntityTags(header http.Header, name string) *Tags {
	values := header.Values(name)
	if len(values) == 0 {
		return nil
	}
	tags, ok := parseTags(strings.Join(values, ","))
	if !ok {
		f.Header(name, problem.InvalidFormat, `Must be * or entity tags in quotes, such as "bm90IGEgdGFn", separated by commas.`)
	}
	return &tags
}

// Strong reports whether the tags match a representation with the strong tag, by the strong
// comparison of If-Match.
func (t *Tags) Strong(tag string) bool {
	return t.hasMatch(tag, func(e entityTag) bool { return !e.weak })
}

// StrongPart reports whether the tags match a representation whose strong tag begins with the
// text, which includes the opening quotation mark.
func (t *Tags) StrongPart(start string) bool {
	return t.any || slices.ContainsFunc(t.list, func(e entityTag) bool { return !e.weak && strings.HasPrefix(e.text, start) })
}

// Weak reports whether the tags match a representation with the tag, by the weak comparison of
// If-None-Match.
func (t *Tags) Weak(tag string) bool {
	return t.hasMatch(tag, func(entityTag) bool { return true })
}

func (t *Tags) hasMatch(tag string, counts func(entityTag) bool) bool {
	if t.any {
		return true
	}
	for _, e := range t.list {
		if e.text == tag && counts(e) {
			return true
		}
	}
	return false
}

// parseTags parses "*" or a list of entity tags. Empty elements are allowed, as in all lists of
// HTTP (RFC 9110, 5.6.1).
func parseTags(text string) (tags Tags, ok bool) {
	text = trimSpace(text)
	if text == "*" {
		return Tags{any: true}, true
	}
	for text != "" {
		if text[0] == ',' {
			text = trimSpace(text[1:])
			continue
		}
		var tag entityTag
		if tag, text, ok = cutTag(text); !ok {
			return Tags{}, false
		}
		tags.list = append(tags.list, tag)
		text = trimSpace(text)
		if text != "" && text[0] != ',' {
			return Tags{}, false
		}
	}
	return tags, true
}

// cutTag splits off the entity tag at the start of the text.
func cutTag(text string) (tag entityTag, rest string, ok bool) {
	text, tag.weak = strings.CutPrefix(text, "W/")
	if text == "" || text[0] != '"' {
		return tag, "", false
	}
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			tag.text = text[:i+1]
			return tag, text[i+1:], true
		case c <= ' ' || c == 0x7f:
			return tag, "", false
		}
	}
	return tag, "", false
}

// trimSpace removes the white space that HTTP defines.
func trimSpace(text string) string { return strings.Trim(text, " \t") }
