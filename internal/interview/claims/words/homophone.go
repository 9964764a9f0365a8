package words

import "slices"

// countedNouns are nouns that follow a number.
var countedNouns = []string{
	"accounts", "trades", "positions", "entries", "setups", "seconds", "minutes", "hours", "days", "weeks", "months", "dollars", "bucks",
}

// soundAlikes are words that recognizers write for the number that sounds the same.
var soundAlikes = map[string]string{"to": "two", "too": "two", "for": "four", "fore": "four", "ate": "eight"}

// correctSoundAlikes writes the number for a word that sounds the same where no
// sentence can have the word: "I risk to percent", "I hold for about for hours".
func correctSoundAlikes(tokens Tokens) Tokens {
	for i := range tokens {
		next, before := tokens.TextAt(i+1), tokens.TextAt(i-1)
		number := soundAlikes[tokens[i].Text]
		switch {
		case number != "" && expectsNumber(before, next) && (i == 0 || !tokens[:i].IsNumberAt(i-1)):
			tokens[i].Text = number
		case tokens[i].Text == "then" && IsListed(before, []string{"less", "more", "longer", "fewer", "higher", "bigger"}) &&
			(tokens.IsNumberAt(i+1) || IsListed(next, Hedges)):
			tokens[i].Text = "than"
		case tokens[i].Text == "our" && IsListed(before, []string{"an", "half", "per"}):
			tokens[i].Text = "hour"
		case tokens[i].Text == "ours" && i > 0 && tokens[:i].IsNumberAt(i-1):
			tokens[i].Text = "hours"
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
	case IsListed(before, []string{"have", "got", "own", "run", "take", "make", "manage"}):
		return IsListed(next, countedNouns[:5])
	}
	return IsListed(before, []string{"for", "about", "around", "roughly", "than", "most", "least", "only", "max", "maximum", "almost"})
}

// withoutCounting leaves the last number of those that somebody counts aloud: "one,
// two, three. Three."
func withoutCounting(tokens Tokens) (kept Tokens) {
	for i := 0; i < len(tokens); i++ {
		last := i
		for next := smallNumbers[tokens[i].Text]; tokens[i].Text == "one" && last+1 < len(tokens) && smallNumbers[tokens[last+1].Text] == next+1; next++ {
			last++
		}
		if last < i+2 {
			kept = append(kept, tokens[i])
			continue
		}
		if tokens.TextAt(last+1) == tokens[last].Text {
			last++
		}
		kept = append(kept, tokens[last])
		i = last
	}
	return kept
}
