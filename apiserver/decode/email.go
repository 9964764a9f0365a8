package decode

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxEmail is the most characters of an email address (RFC 5321).
const MaxEmail = 254

// IsEmail reports whether a text is a well-formed address of at most MaxEmail characters. Letters and digits of all scripts
// are accepted on both sides (RFC 6531). Quoted names, comments and addresses in brackets are
// not.
func IsEmail(text string) bool {
	name, domain, _ := strings.Cut(text, "@")
	if name == "" || domain == "" || !utf8.ValidString(text) || utf8.RuneCountInString(text) > MaxEmail {
		return false
	}
	for _, c := range name {
		if strings.ContainsRune(`<>()[]\,;:"@`, c) || unicode.IsSpace(c) || unicode.IsControl(c) || Blank(string(c)) {
			return false
		}
	}
	for label := range strings.SplitSeq(domain, ".") {
		if label == "" || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") || strings.ContainsFunc(label, noDomainCharacter) {
			return false
		}
	}
	return true
}

func noDomainCharacter(c rune) bool {
	return c != '-' && !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c)
}
