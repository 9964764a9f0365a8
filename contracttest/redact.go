package contracttest

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// shortKey is the length in bytes below which a key may also be an ordinary word or letter of an
// answer, such as the name of a member.
const shortKey = 8

// hiddenKey replaces the API key.
const hiddenKey = "<API_KEY>"

// redacter removes the API key from texts.
type redacter struct {
	forms []string // in which a platform may send the key back, longest first
	whole bool     // hide only what is a whole value, because the key is short
}

func newRedacter(key string) *redacter {
	marshalled, _ := json.Marshal(key) // cannot fail for a string
	inJSON := string(marshalled[1 : len(marshalled)-1])
	quoted := strconv.Quote(key)
	forms := []string{
		inJSON, strings.ReplaceAll(inJSON, "/", `\/`), quoted[1 : len(quoted)-1], strings.ReplaceAll(quoted[1:len(quoted)-1], "/", `\/`),
		html.EscapeString(key), url.QueryEscape(key), url.PathEscape(key), base64.StdEncoding.EncodeToString([]byte(key)), key,
	}
	slices.Sort(forms)
	forms = slices.Compact(forms)
	slices.SortStableFunc(forms, func(a, b string) int { return len(b) - len(a) })
	return &redacter{forms: forms, whole: len(key) < shortKey}
}

// Replace returns the text without the key. A short key is hidden where it is a whole value: in
// quotes, after an equals sign, or after Bearer, and not as the name of a member. Elsewhere it is
// a part of other words, which a reader needs.
func (r *redacter) Replace(text string) string {
	var b strings.Builder
	for from, i := 0, 0; ; {
		form, at := r.findForm(text, i)
		if at < 0 {
			b.WriteString(text[from:])
			return b.String()
		}
		if i = at + len(form); r.whole && !isWholeValue(text[:at], text[i:]) {
			i = at + 1
			continue
		}
		b.WriteString(text[from:at])
		b.WriteString(hiddenKey)
		from = i
	}
}

// ReplaceIn is Replace for the beginning of a text, which may end in the middle of the key. Such a part
// of the key is left out.
func (r *redacter) ReplaceIn(beginning string) string {
	const harmless = 3 // bytes of a key that are no secret
	text := r.Replace(beginning)
	for _, form := range r.forms {
		for n := min(len(form)-1, len(text)); n > harmless; n-- {
			if strings.HasSuffix(text, form[:n]) {
				return text[:len(text)-n]
			}
		}
	}
	return text
}

// findForm returns the first form of the key in text[start:], the longest if several begin there,
// and its place in text, or -1.
func (r *redacter) findForm(text string, start int) (form string, at int) {
	at = -1
	for _, f := range r.forms {
		if i := strings.Index(text[start:], f); i >= 0 && (at < 0 || start+i < at) {
			form, at = f, start+i
		}
	}
	return form, at
}

// isWholeValue reports whether what lies between two texts is a whole value.
func isWholeValue(before, after string) bool {
	before, after = strings.TrimRight(before, `\`), strings.TrimLeft(after, `\`)
	switch {
	case strings.HasSuffix(before, "Bearer "), strings.HasSuffix(before, "="):
		return after == "" || strings.ContainsAny(after[:1], "\"'&;, \r\n}<")
	case before == "":
		return after == ""
	case strings.HasSuffix(before, `"`), strings.HasSuffix(before, "'"):
		quote := before[len(before)-1:]
		rest, closed := strings.CutPrefix(after, quote)
		return closed && !strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), ":")
	}
	return false
}
