package extract

import (
	"regexp"
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
)

// token is a word or a number of a segment. It has no punctuation and no case,
// because a recognizer writes neither, so that later code cannot depend on them.
type token struct {
	text       string // lower case; of a contraction one of its words
	start, end int    // bytes of the segment's text
	startMS    int
	endMS      int
	confidence *float64
	paused     bool // there is a pause before it
	concludes  bool // "so" stands before it
	restarts   bool // a phrase such as "I would say" stands before it
	loose      bool // beside "or so", "give or take", and the like
}

// pattern finds numbers (with thousands, decimals or minutes, and fractions), words, and the
// marks that are read as words.
// A comma before one or two digits is a decimal mark, as in 0,5.
var pattern = regexp.MustCompile(strings.Join([]string{
	`[0-9]+/[0-9]+`,
	`[1-9][0-9]{0,2}(?:\.[0-9]{3})+,[0-9]{1,2}\b`,
	`[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?`,
	`[0-9]+,[0-9]{1,2}\b`,
	`0,[0-9]+`,
	`[0-9]+(?:[.:][0-9]+)?`,
	`\.[0-9]+`,
	`[\p{L}]+(?:['’][\p{L}]+)*`,
	`[<>]=`,
	`[%$€£.&+<>≤≥~≈½¼¾–—-]`,
}, "|"))

// pause is the shortest silence that may end a sentence, in milliseconds.
const pause = 500

// tokenize reads the words of a segment, with their times. Fillers and words that
// were said twice in a row are left out.
func tokenize(s claims.Segment) []token {
	var tokens []token
	for _, at := range pattern.FindAllStringIndex(s.Text, -1) {
		raw := s.Text[at[0]:at[1]]
		tokens = append(tokens, token{
			text: strings.ReplaceAll(strings.ToLower(raw), "’", "'"), start: at[0], end: at[1],
			startMS: s.StartMS, endMS: s.EndMS, confidence: s.Confidence,
		})
	}
	tokens = joinPairs(joinDotted(tokens), s.Text)
	assignTimes(tokens, s)
	tokens = joinAnswers(withoutSounds(correctSoundAlikes(joinLetters(expandContractions(readMarks(tokens))))))
	tokens = joinPhrases(withoutCounting(correctSoundAlikes(withoutFillers(withoutFillers(tokens)))))
	for i := 1; i < len(tokens); i++ {
		tokens[i].paused = len(s.Words) > 0 && tokens[i].startMS-tokens[i-1].endMS >= pause
	}
	return tokens
}

// markWords are the words for marks before a value, and for fractions.
var markWords = map[string]string{
	"<": "under", "<=": "max", "≤": "max", ">": "over", ">=": "minimum", "≥": "minimum", "~": "about", "≈": "about", "½": "1/2", "¼": "1/4", "¾": "3/4",
}

// readMarks turns marks that are spoken, or stand with a value, into words, and drops all others.
func readMarks(tokens []token) (words []token) {
	for i, t := range tokens {
		before := i > 0 && isNumeral(tokens[i-1].text)
		behind := isNumeral(textAt(tokens, i+1))
		switch t.text {
		case "%":
			t.text = "percent"
		case "$", "€", "£":
		case "&":
			t.text = "and"
		case "<", "<=", "≤", ">", ">=", "≥", "~", "≈":
			if !behind && currencies[textAt(tokens, i+1)] == "" {
				continue
			}
			t.text = markWords[t.text]
		case "½", "¼", "¾":
			t.text = markWords[t.text]
		case "+":
			if before && !behind && tokens[i-1].end == t.start { // "30+ minutes"
				t.text, t.end = "minimum", t.start
				t.start = words[len(words)-1].start
				words = slices.Insert(words, len(words)-1, t)
				continue
			}
			if t.text = "plus"; !behind {
				continue
			}
		case "-", "–", "—":
			switch {
			case (before || i > 0 && isListed(tokens[i-1].text, []string{"%", "am", "pm", "h", "k", "min", "mins"})) && behind:
				t.text = "to"
			case behind && i > 0 && slices.Contains(universal, tokens[i-1].text):
				t.text = "minus"
			default:
				continue
			}
		case ".":
			continue
		}
		words = append(words, t)
	}
	return words
}

func isNumeral(text string) bool { return text != "" && text[0] >= '0' && text[0] <= '9' }

// contracted are the words that a contraction means, where its end does not show
// it.
var contracted = map[string]string{
	"can't": "can not", "cant": "can not", "cannot": "can not", "won't": "will not", "wont": "will not", "ain't": "is not", "aint": "is not",
	"dont": "do not", "doesnt": "does not", "didnt": "did not",
	"isnt": "is not", "arent": "are not", "wasnt": "was not", "werent": "were not", "havent": "have not", "hasnt": "has not", "hadnt": "had not",
	"wouldnt": "would not", "couldnt": "could not", "shouldnt": "should not",
	"im": "i am", "ive": "i have", "youre": "you are", "theyre": "they are", "thats": "that is", "hes": "he is", "shes": "she is",
	"gonna": "going to", "wanna": "want to", "gotta": "have to", "everyday": "every day", "stoploss": "stop loss", "stoplosses": "stop losses",
	"cuz": "because", "pct": "percent", "cause": "because", "yeah": "yes", "yep": "yes", "yup": "yes", "yea": "yes", "nope": "no", "nah": "no", "noone": "nobody",
	"avg": "average", "approx": "about", "yr": "year", "yrs": "years", "anyone": "anybody", "someone": "somebody", "everyone": "everybody",
}

// endings are what the end of a contraction means.
var endings = []struct{ end, word string }{{"n't", "not"}, {"'m", "am"}, {"'ve", "have"}, {"'ll", "will"}, {"'re", "are"}, {"'d", "would"}}

// shortened are words whose 's is a verb and no possessive.
var shortened = []string{"it", "that", "he", "she", "what", "there", "here", "who", "where", "how", "everything", "nobody", "this"}

// expandContractions writes contractions as the words that they mean.
func expandContractions(tokens []token) (words []token) {
	for _, t := range tokens {
		for _, text := range strings.Fields(expandWord(t.text)) {
			t.text = text
			words = append(words, t)
		}
	}
	return words
}

func expandWord(text string) string {
	if long, ok := contracted[text]; ok {
		return long
	}
	for _, e := range endings {
		if stem, ok := strings.CutSuffix(text, e.end); ok && stem != "" {
			return stem + " " + e.word
		}
	}
	if stem, ok := strings.CutSuffix(text, "'s"); ok && stem != "" {
		if slices.Contains(shortened, stem) {
			return stem + " is"
		}
		return stem
	}
	return text
}

// acronyms are those that are spoken as letters and are no names of instruments or zones.
var acronyms = []string{"am", "pm", "nfp", "cpi", "fomc", "ppi", "ea", "eas", "sl", "us", "uk", "ny", "fx", "eur", "usd", "gbp", "jpy"}

// longestAcronym is how many letters the longest known name has that is spoken as letters: XAUUSD.
const longestAcronym = 6

// joinLetters joins letters that were recognized one by one, such as "n f p" and "a m", where they are no words. A pause
// ends them, and so does the end of a known name.
func joinLetters(tokens []token) (joined []token) {
	for i := 0; i < len(tokens); i++ {
		t, n := tokens[i], countLetters(tokens[i:])
		for _, letter := range tokens[i+1 : i+n] {
			t.text, t.end, t.endMS = t.text+letter.text, letter.end, letter.endMS
		}
		joined = append(joined, t)
		i += n - 1
	}
	return joined
}

// countLetters returns how many of the first tokens are letters of one word, or 1 if the first is a word.
func countLetters(tokens []token) int {
	if !isLetter(tokens[0].text) || tokens[0].text == "i" || tokens[0].text == "a" && textAt(tokens, 1) != "m" {
		return 1
	}
	known, text := 0, tokens[0].text
	n := 1
	for ; n < len(tokens) && isLetter(tokens[n].text) && tokens[n].startMS-tokens[n-1].endMS < pause; n++ {
		if text += tokens[n].text; n < longestAcronym && isAcronym(text) {
			known = n + 1
		}
	}
	if known > 0 {
		return known
	}
	unknown := slices.IndexFunc(tokens[1:n], func(t token) bool { return t.text == "i" || t.text == "a" })
	if unknown >= 0 {
		return unknown + 1
	}
	return n
}

// isAcronym reports whether letters that were joined are a known name.
func isAcronym(text string) bool {
	return slices.Contains(acronyms, text) || zones[text] != "" || classes[text] != "" || codes[text] != "" || len(text) == 6 && claims.IsPair(strings.ToUpper(text))
}

// strategyNames are names of two words that mean neither an instrument nor how long trades are held.
var strategyNames = map[string][]string{
	"silver": {"bullet", "bullets"}, "judas": {"swing", "swings"}, "swing": {"point", "points", "failure", "failures"}, "gold": {"standard"},
}

// joinPhrases makes one word of two that are written apart, and of "no one" where
// it is no number.
func joinPhrases(tokens []token) (joined []token) {
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		next := func(n int) string { return textAt(tokens, i+n) }
		word := ""
		switch {
		case t.text == "no" && next(1) == "one" && !unitWord(next(2)) && next(2) != "point" && next(2) != "and":
			word = "nobody"
		case isListed(next(1), strategyNames[t.text]):
			word = t.text + next(1)
		case t.text == "ha" && next(1) == "ha":
			word = "haha"
		case t.text == "any" && next(1) == "more":
			word = "anymore"
		case t.text == "any" && next(1) == "one":
			word = "anybody"
		case t.text == "per" && next(1) == "cent":
			word = "percent"
		case (t.text == "gave" || t.text == "given") && next(1) == "up":
			word = "quit"
		case t.text == "no" && next(1) == "longer" && next(2) != "than":
			word = "nolonger"
		}
		if word != "" {
			t.text, t.end, t.endMS = word, tokens[i+1].end, tokens[i+1].endMS
			i++
		}
		joined = append(joined, t)
	}
	return joined
}

// answerPhrases are answers of several words, and the word that they come to. Of "yeah, no" the last word counts.
var answerPhrases = []struct{ phrase, word string }{
	{"yes no", "no"},
	{"no yes", "yes"},
	{"of course not", "no"},
	{"certainly not", "no"},
	{"definitely not", "no"},
	{"no thank you", "no"},
	{"no thanks", "no"},
	{"yes please", "yes"},
	{"yes of course", "yes"},
	{"why not", "yes"},
}

// joinAnswers makes one word of an answer of several words, where it is not part of a sentence.
func joinAnswers(tokens []token) (joined []token) {
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		for _, a := range answerPhrases {
			n := strings.Count(a.phrase, " ")
			if !beginsWithPhrase(tokens[i:], a.phrase) || isListed(textAt(tokens, i+n+1), []string{"wait", "sorry", "actually", "only", "longer", "more", "one"}) ||
				isListed(textAt(tokens, i-1), selfPronouns, otherPronouns, auxiliaries, determiners[:17], connectors) || a.phrase == "why not" && i+n+1 < len(tokens) {
				continue
			}
			t.text, t.end, t.endMS = a.word, tokens[i+n].end, tokens[i+n].endMS
			i += n
			break
		}
		joined = append(joined, t)
	}
	return joined
}

// unitWord reports whether the word says what a number before it counts.
func unitWord(text string) bool {
	return text == "percent" || durations[text] > 0 || currencies[text] != "" || scales[text] > 0 ||
		slices.Contains([]string{"account", "accounts", "trade", "trades", "half"}, text)
}

// sounds are made while somebody thinks.
var sounds = []string{"um", "uh", "uhm", "erm", "er", "hmm", "hm", "mm", "mhm", "ah", "eh"}

func withoutSounds(tokens []token) []token {
	return slices.DeleteFunc(tokens, func(t token) bool { return slices.Contains(sounds, t.text) })
}

// fillers mean nothing.
var fillers = []string{
	"basically", "literally", "honestly", "well", "okay", "ok", "so", "even",
	"simply", "personally", "please",
}

// fillerPhrases mean nothing, either, but for those that make the value before or after them approximate.
var fillerPhrases = []string{
	"you know", "kind of", "sort of", "let me see", "i would say", "i must say", "to be honest", "as i said", "of course", "if i am honest",
	"if you ask me", "to tell you the truth", "last but not least", "let me think", "let me count", "as far as i know", "believe it or not",
	"at the moment", "give or take", "coming up to", "close to", "more or less", "or so", "or something like that", "or something", "something like that",
	"i want to say", "if you mean", "if you count that", "according to my journal", "according to my stats", "according to my statistics",
}

// looseEnds are the first words of the filler phrases that make a value approximate.
var looseEnds = []string{"give", "more", "or", "coming", "close"}

// withoutFillers leaves out what means nothing, and repeated words.
func withoutFillers(tokens []token) (kept []token) {
	for i := 0; i < len(tokens); i++ {
		if n := fillerAt(tokens, i); n > 0 && (n < len(tokens) || tokens[i].text != "of") { // not if "of course" is all that is said
			if tokens[i].text == "so" && i+1 < len(tokens) {
				tokens[i+1].concludes = true
			}
			if n > 1 && isListed(tokens[i].text, looseEnds) {
				if len(kept) > 0 {
					kept[len(kept)-1].loose = true
				}
				if i+n < len(tokens) {
					tokens[i+n].loose = true
				}
			}
			if i+n < len(tokens) {
				tokens[i+n].restarts = tokens[i+n].restarts || n > 1
			}
			i += n - 1
			continue
		}
		t := tokens[i]
		if n := len(kept); n > 0 && kept[n-1].text == t.text && kept[n-1].end <= t.start && !isNumeral(t.text) &&
			!slices.Contains([]string{"no", "ha", "sure"}, t.text) && !isSpokenNumber(t.text) &&
			(n < 2 || codes[t.text] == "" || codes[kept[n-2].text] == "" || codes[textAt(tokens, i+1)] == "") { // not "pound dollar, dollar yen"
			continue
		}
		kept = append(kept, t)
	}
	return kept
}

// isSpokenNumber reports whether a word is a number by itself.
func isSpokenNumber(text string) bool {
	_, ok := smallNumbers[text]
	return ok || tens[text] > 0
}

// fillerAt returns how many tokens of a filler are at i, or 0 if there are none.
func fillerAt(tokens []token, i int) int {
	next := textAt(tokens, i+1)
	switch text := tokens[i].text; {
	case text == "like":
		if isNumeral(next) || isSpokenNumber(next) || isListed(next, []string{"a", "half", "that", "this"}) || isListed(textAt(tokens, i-1), selfPronouns, otherPronouns) || slices.Contains([]string{"would", "more", "not"}, textAt(tokens, i-1)) {
			return 0
		}
		return 1
	case text == "just":
		if slices.Contains([]string{"me", "kidding", "joking", "myself", "i"}, next) {
			return 0
		}
		return 1
	case text == "actually":
		if i > 0 && (isNumeral(next) || isSpokenNumber(next) || next == "more" || next == "about" || next == "no") {
			return 0
		}
		return 1
	case text == "what" && i > 0 && isNumberAt(tokens, i+1): // "that is, what, six years"
		return 1
	case text == "let" && next == "say" && isNumberAt(tokens, i+2):
		return 2
	case text == "well" && textAt(tokens, i-1) == "as":
		return 0
	case slices.Contains(fillers, text):
		return 1
	}
	for _, phrase := range fillerPhrases {
		if beginsWithPhrase(tokens[i:], phrase) && (phrase != "you know" || textAt(tokens, i-1) != "do") && (phrase != "kind of" && phrase != "sort of" || textAt(tokens, i-1) != "what") {
			return 1 + strings.Count(phrase, " ")
		}
	}
	return 0
}

// joinPairs takes "XAU/USD" for one word, like "XAUUSD".
func joinPairs(tokens []token, text string) (joined []token) {
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if i+1 < len(tokens) && t.end+1 == tokens[i+1].start && text[t.end] == '/' {
			if pair := t.text + tokens[i+1].text; classes[pair] != "" || len(pair) == 6 && claims.IsPair(strings.ToUpper(pair)) {
				t.text, t.end = pair, tokens[i+1].end
				i++
			}
		}
		joined = append(joined, t)
	}
	return joined
}

// joinDotted takes "p.m." and "u.s." for one word each.
func joinDotted(tokens []token) []token {
	var joined []token
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		for len(t.text) <= 3 && i+2 < len(tokens) && isLetter(tokens[i].text) && tokens[i+1].text == "." && isLetter(tokens[i+2].text) &&
			tokens[i+2].end-tokens[i].start == 3 {
			t.text += tokens[i+2].text
			t.end = tokens[i+2].end
			i += 2
		}
		joined = append(joined, t)
	}
	return joined
}

func isLetter(text string) bool { return len(text) == 1 && text[0] >= 'a' && text[0] <= 'z' }

// assignTimes gives tokens the times of the words that they are in. Words and text
// come from the same engine, so the words are in the order of the text.
func assignTimes(tokens []token, s claims.Segment) {
	from := 0
	for i, next := 0, 0; i < len(s.Words); i++ {
		word := strings.ToLower(strings.TrimSpace(s.Words[i].Text))
		if word == "" {
			continue
		}
		at := strings.Index(strings.ToLower(s.Text[from:]), word)
		if at < 0 {
			continue
		}
		begin, end := from+at, from+at+len(word)
		from = min(end, len(s.Text))
		for ; next < len(tokens) && tokens[next].start < end; next++ {
			if tokens[next].start >= begin {
				tokens[next].startMS, tokens[next].endMS = s.Words[i].StartMS, s.Words[i].EndMS
				if s.Words[i].Confidence != nil {
					tokens[next].confidence = s.Words[i].Confidence
				}
			}
		}
	}
}
