package auth

import (
	"slices"
	"strings"
	"unicode"

	"github.com/assayhq/assay/apiserver/decode"
)

// leastDistinct is how many different characters of a new password must be outside of known words
// and sequences.
const leastDistinct = 5

// shortestWord is the length of the shortest parts of a name or an address that are looked for.
const shortestWord = 3

// commonWords are common parts of leaked passwords, apart from names, dates and sequences.
const commonWords = `password passwort passwd passw pass motdepasse contrasena senha parola
admin administrator root user guest login logon letmein changeme default secret security access master manager
welcome willkommen bienvenue hello hallo iloveyou loveyou lovely forever whatever trustno nothing freedom money
dragon monkey tiger shadow sunshine princess flower cookie cheese chocolate banana orange summer winter spring autumn
football baseball basketball hockey soccer superman batman spiderman starwars pokemon naruto matrix mustang ferrari porsche
computer internet google facebook samsung iphone windows linux server system database assay trading trader
january february march april june july august september october november december monday tuesday wednesday thursday friday saturday sunday
michael daniel thomas jordan jessica ashley charlie robert andrew matthew michelle nicole
1q2w3e4r5t6y 1q2w3e4r 1q2w3e q1w2e3r4t5y6 q1w2e3r4 q1w2e3 1qaz2wsx 1qaz 2wsx 3edc 4rfv qazwsxedc qazwsx zaq12wsx zaqwsx asdzxc qweasd`

// keyboardRows are characters that are next to each other on keyboards.
var keyboardRows = []string{
	"1234567890-=", "qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./", "qwertzuiop", "yxcvbnm", "azertyuiop", "qsdfghjklm", "wxcvbn", "!@#$%^&*()_+",
}

// lookalikes are characters that people use in place of letters.
var lookalikes = map[rune]rune{'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', '$': 's', '!': 'i'}

// isGuessable reports whether too little of a password is left without words that everybody would
// try, words related to its person, repetitions and sequences.
func isGuessable(password string, about []string) bool {
	text := []rune(strings.ToLower(normalizePassword(password)))
	known := make([]bool, len(text)) // by index
	for _, word := range slices.Concat(strings.Fields(commonWords), wordsOf(about)) {
		markWord(known, text, []rune(word))
	}
	markSequences(known, text)
	markRepetition(known, text)
	left := make(map[rune]bool)
	for i, c := range text {
		if !known[i] && !decode.Blank(string(c)) {
			left[c] = true
		}
	}
	return len(left) < leastDistinct
}

// wordsOf splits names and addresses into words.
func wordsOf(about []string) (words []string) {
	for _, text := range about {
		for _, word := range strings.FieldsFunc(strings.ToLower(normalizePassword(text)), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
			if len([]rune(word)) >= shortestWord {
				words = append(words, word)
			}
		}
	}
	return words
}

// markWord marks the occurrences of the word, also with look-alikes of its letters.
func markWord(known []bool, text, word []rune) {
	for i := 0; i+len(word) <= len(text); i++ {
		same := true
		for j, c := range word {
			same = same && (text[i+j] == c || lookalikes[text[i+j]] == c)
		}
		if same {
			markAll(known[i : i+len(word)])
		}
	}
}

// markSequences marks three or more characters that are equal or follow each other in the
// alphabet or on a keyboard, in either direction.
func markSequences(known []bool, text []rune) {
	for begin := 0; begin < len(text); {
		end := begin + 1
		for end < len(text) && stepBetween(text[end-1], text[end]) != 0 && (end == begin+1 || stepBetween(text[end-1], text[end]) == stepBetween(text[begin], text[begin+1])) {
			end++
		}
		if end-begin >= 3 {
			markAll(known[begin:end])
		}
		begin = max(end-1, begin+1)
	}
}

// The steps between the characters of a sequence.
const (
	same = iota + 1
	up
	down
	right
	left
)

// stepBetween returns the step from the first character to the second, or zero if there is none.
func stepBetween(a, b rune) int {
	switch {
	case a == b:
		return same
	case b == a+1:
		return up
	case b == a-1:
		return down
	}
	for _, row := range keyboardRows {
		i, j := strings.IndexRune(row, a), strings.IndexRune(row, b)
		if i >= 0 && j >= 0 {
			switch j - i {
			case 1:
				return right
			case -1:
				return left
			}
		}
	}
	return 0
}

// markRepetition marks repetitions of the beginning of the text.
func markRepetition(known []bool, text []rune) {
	for period := 1; period <= len(text)/2; period++ {
		if slices.Equal(text[period:], text[:len(text)-period]) {
			markAll(known[period:])
			return
		}
	}
}

func markAll(places []bool) {
	for i := range places {
		places[i] = true
	}
}
