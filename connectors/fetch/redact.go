package fetch

import (
	"encoding/json"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/seal"
)

// maxQuote is how much of an answer is quoted, in bytes: enough for the message of an
// error page, and too little to copy records into errors and logs.
const maxQuote = 200

// redacted replaces a key.
const redacted = "***"

// withheld replaces a whole text in which the key was found but could not be cut
// out.
const withheld = "[withheld: it contains the API key]"

// keyForms returns the forms in which a platform may echo the key.
func keyForms(key string) []string {
	key = strings.TrimSpace(key)
	forms := []string{key, url.QueryEscape(key), url.PathEscape(key), (&url.URL{Path: key}).EscapedPath()}
	if quoted, err := json.Marshal(key); err == nil {
		forms = append(forms, string(quoted[1:len(quoted)-1]))
	}
	return forms
}

// redactKey removes the key from a text that comes from the platform. If the key
// occurs in an escaping from which it cannot be cut out reliably, it replaces the
// whole text with withheld.
func redactKey(key seal.Secret, text string) string {
	for _, form := range keyForms(key.Reveal()) {
		if form == "" {
			continue
		}
		text = strings.ReplaceAll(text, form, redacted)
	}
	if holdsKey(strings.TrimSpace(key.Reveal()), text) {
		return withheld
	}
	return text
}

// excerptBody returns the printable start of a body, without the key. body may
// itself be the cut start of an answer, so a key that is cut off at its end must
// not show either.
func excerptBody(key seal.Secret, body []byte) string {
	text := redactKey(key, string(body[:min(len(body), maxHead)]))
	if len(body) >= maxHead && text != withheld {
		longest := maxPiece
		for _, form := range keyForms(key.Reveal()) {
			longest = max(longest, len(form))
		}
		text = text[:max(len(text)-longest, 0)]
	}
	return record.TruncateText(makePrintable(text), maxQuote)
}

// makePrintable returns a text as one line of valid, visible characters.
func makePrintable(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case !unicode.IsPrint(r):
			return utf8.RuneError
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}
