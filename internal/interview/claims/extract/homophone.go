package extract

import "slices"

// countedNouns are nouns that follow a number.
var countedNouns = []string{
	"accounts", "trades", "positions", "entries", "setups", "seconds", "minutes", "hours", "days", "weeks", "months", "dollars", "bucks",
}

// soundAlikes are words that recognizers write for the number that sounds the same.
var soundAlikes = map[string]string{"to": "two", "too": "two", "for": "four", "fore": "four", "ate": "eight"}

// correctSoundAlikes writes the number for a word that sounds the same where no
// sentence can have the word: "I risk to percent", "I hold for about for hours".
func correctSoundAlikes(tokens []token) []token {
	for i := range tokens {
		next, before := textAt(tokens, i+1), textAt(tokens, i-1)
		number := soundAlikes[tokens[i].text]
		switch {
		case number != "" && expectsNumber(before, next) && (i == 0 || !isNumberAt(tokens[:i], i-1)):
			tokens[i].text = number
		case tokens[i].text == "then" && isListed(before, []string{"less", "more", "longer", "fewer", "higher", "bigger"}) &&
			(isNumberAt(tokens, i+1) || isListed(next, hedges)):
			tokens[i].text = "than"
		case tokens[i].text == "our" && isListed(before, []string{"an", "half", "per"}):
			tokens[i].text = "hour"
		case tokens[i].text == "ours" && i > 0 && isNumberAt(tokens[:i], i-1):
			tokens[i].text = "hours"
		}
	}
	return tokens
}

// expectsNumber reports whether a number has to stand between two words.
func expectsNumber(before, next string) bool {
	switch {
	case next == "percent":
		return true
	case !slices.Contains(countedNouns, next):
		return false
	case isListed(before, []string{"have", "got", "own", "run", "take", "make", "manage"}):
		return isListed(next, countedNouns[:5])
	}
	return isListed(before, []string{"for", "about", "around", "roughly", "than", "most", "least", "only", "max", "maximum", "almost"})
}

// withoutCounting leaves the last number of those that somebody counts aloud: "one,
// two, three. Three."
func withoutCounting(tokens []token) (kept []token) {
	for i := 0; i < len(tokens); i++ {
		last := i
		for next := smallNumbers[tokens[i].text]; tokens[i].text == "one" && last+1 < len(tokens) && smallNumbers[tokens[last+1].text] == next+1; next++ {
			last++
		}
		if last < i+2 {
			kept = append(kept, tokens[i])
			continue
		}
		if textAt(tokens, last+1) == tokens[last].text {
			last++
		}
		kept = append(kept, tokens[last])
		i = last
	}
	return kept
}
