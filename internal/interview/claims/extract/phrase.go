package extract

import (
	"slices"
	"strings"
)

func textAt(tokens []token, i int) string {
	if i < 0 || i >= len(tokens) {
		return ""
	}
	return tokens[i].text
}

func startsWith(tokens []token, words []string) bool {
	if len(tokens) < len(words) {
		return false
	}
	for i, w := range words {
		if tokens[i].text != w {
			return false
		}
	}
	return true
}

// findTokens returns where the words are in the tokens from i on, or -1 if they are
// not there.
func findTokens(tokens []token, words []string, from int) int {
	for i := from; i+len(words) <= len(tokens); i++ {
		if startsWith(tokens[i:], words) {
			return i
		}
	}
	return -1
}

// findPhrase returns where a phrase is in the tokens, or -1 if it is not there.
func findPhrase(tokens []token, phrase string) int {
	return findTokens(tokens, strings.Fields(phrase), 0)
}

// hasPhrase reports whether any of the phrases is in the tokens.
func hasPhrase(tokens []token, phrases ...string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool {
		first, rest, _ := strings.Cut(p, " ")
		for i := range tokens {
			if tokens[i].text == first && beginsWithPhrase(tokens[i+1:], rest) {
				return true
			}
		}
		return false
	})
}

// beginsWithPhrase reports whether the tokens begin with the words of a phrase.
func beginsWithPhrase(tokens []token, phrase string) bool {
	for i := 0; phrase != ""; i++ {
		var word string
		if word, phrase, _ = strings.Cut(phrase, " "); i >= len(tokens) || tokens[i].text != word {
			return false
		}
	}
	return true
}

func endsWith(tokens []token, phrases ...string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool {
		n := len(strings.Fields(p))
		return len(tokens) >= n && hasPhrase(tokens[len(tokens)-n:], p)
	})
}

func lastOf(tokens []token, lists ...[]string) string {
	for i := len(tokens) - 1; i >= 0; i-- {
		if isListed(tokens[i].text, lists...) {
			return tokens[i].text
		}
	}
	return ""
}

func deniedIn(tokens []token) bool {
	return slices.ContainsFunc(tokens, func(t token) bool { return isNegation(t.text) })
}

// hasVerb reports whether a word is a verb that is no noun behind an article or a preposition.
func hasVerb(tokens []token) bool {
	for i, t := range tokens {
		if isVerb(t.text) && !isListed(textAt(tokens, i-1), determiners, prepositions) {
			return true
		}
	}
	return false
}
