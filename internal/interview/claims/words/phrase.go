package words

import (
	"slices"
	"strings"
)

// TextAt returns the text of token i, or nothing if there is no such token.
func (ts Tokens) TextAt(i int) string {
	if i < 0 || i >= len(ts) {
		return ""
	}
	return ts[i].Text
}

// StartsWith reports whether the tokens begin with the words.
func (ts Tokens) StartsWith(words []string) bool {
	if len(ts) < len(words) {
		return false
	}
	for i, w := range words {
		if ts[i].Text != w {
			return false
		}
	}
	return true
}

// FindWords returns where the words are in the tokens, not before token from, or -1 if they are not there.
func (ts Tokens) FindWords(words []string, from int) int {
	for i := from; i+len(words) <= len(ts); i++ {
		if ts[i:].StartsWith(words) {
			return i
		}
	}
	return -1
}

// FindPhrase returns where a phrase is in the tokens, or -1 if it is not there.
func (ts Tokens) FindPhrase(phrase string) int {
	return ts.FindWords(strings.Fields(phrase), 0)
}

// HasPhrase reports whether any of the phrases is in the tokens.
func (ts Tokens) HasPhrase(phrases ...string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool {
		first, rest, _ := strings.Cut(p, " ")
		for i := range ts {
			if ts[i].Text == first && ts[i+1:].BeginsWithPhrase(rest) {
				return true
			}
		}
		return false
	})
}

// BeginsWithPhrase reports whether the tokens begin with the words of a phrase.
func (ts Tokens) BeginsWithPhrase(phrase string) bool {
	for i := 0; phrase != ""; i++ {
		var word string
		if word, phrase, _ = strings.Cut(phrase, " "); i >= len(ts) || ts[i].Text != word {
			return false
		}
	}
	return true
}

// EndsWith reports whether the tokens end with any of the phrases.
func (ts Tokens) EndsWith(phrases ...string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool {
		n := len(strings.Fields(p))
		return len(ts) >= n && ts[len(ts)-n:].HasPhrase(p)
	})
}

// FindLast returns the last word that is in any of the lists, or nothing if there is none.
func (ts Tokens) FindLast(lists ...[]string) string {
	for i := len(ts) - 1; i >= 0; i-- {
		if IsListed(ts[i].Text, lists...) {
			return ts[i].Text
		}
	}
	return ""
}

// HasNegation reports whether any of the words denies something.
func (ts Tokens) HasNegation() bool {
	return slices.ContainsFunc(ts, func(t Token) bool { return IsNegation(t.Text) })
}

// HasVerb reports whether a word is a verb that is no noun behind an article or a preposition.
func (ts Tokens) HasVerb() bool {
	for i, t := range ts {
		if IsVerb(t.Text) && !IsListed(ts.TextAt(i-1), Determiners, Prepositions) {
			return true
		}
	}
	return false
}
