package words

import (
	"regexp"
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
)

// Token is a word or a number of a segment. It has no punctuation and no case,
// because a recognizer writes neither, so that later code cannot depend on them.
type Token struct {
	Text       string // lower case; of a contraction one of its words
	Start, End int    // bytes of the segment's text
	StartMS    int    // on the timeline of the interview
	EndMS      int
	Confidence *float64 // from 0 to 1, or nil if the engine does not report it
	Paused     bool     // there is a pause before it
	Concludes  bool     // "so" stands before it
	Restarts   bool     // a phrase such as "I would say" stands before it
	loose      bool     // beside "or so", "give or take", and the like
}

// Tokens are the words of a segment, or of a part of one, in their order.
type Tokens []Token

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

// Tokenize reads the words of a segment, with their times. Fillers and words that
// were said twice in a row are left out.
func Tokenize(s claims.Segment) Tokens {
	var tokens Tokens
	for _, at := range pattern.FindAllStringIndex(s.Text, -1) {
		raw := s.Text[at[0]:at[1]]
		tokens = append(tokens, Token{
			Text: strings.ReplaceAll(strings.ToLower(raw), "’", "'"), Start: at[0], End: at[1],
			StartMS: s.StartMS, EndMS: s.EndMS, Confidence: s.Confidence,
		})
	}
	tokens = joinPairs(joinDotted(tokens), s.Text)
	assignTimes(tokens, s)
	tokens = joinAnswers(withoutSounds(correctSoundAlikes(joinLetters(expandContractions(readMarks(tokens))))))
	tokens = joinPhrases(withoutCounting(correctSoundAlikes(withoutFillers(withoutFillers(tokens)))))
	for i := 1; i < len(tokens); i++ {
		tokens[i].Paused = len(s.Words) > 0 && tokens[i].StartMS-tokens[i-1].EndMS >= pause
	}
	return tokens
}

// markWords are the words for marks before a value, and for fractions.
var markWords = map[string]string{
	"<": "under", "<=": "max", "≤": "max", ">": "over", ">=": "minimum", "≥": "minimum", "~": "about", "≈": "about", "½": "1/2", "¼": "1/4", "¾": "3/4",
}

// readMarks turns marks that are spoken, or stand with a value, into words, and drops all others.
func readMarks(tokens Tokens) (words Tokens) {
	for i, t := range tokens {
		before := i > 0 && isNumeral(tokens[i-1].Text)
		behind := isNumeral(tokens.TextAt(i + 1))
		switch t.Text {
		case "%":
			t.Text = "percent"
		case "$", "€", "£":
		case "&":
			t.Text = "and"
		case "<", "<=", "≤", ">", ">=", "≥", "~", "≈":
			if !behind && currencies[tokens.TextAt(i+1)] == "" {
				continue
			}
			t.Text = markWords[t.Text]
		case "½", "¼", "¾":
			t.Text = markWords[t.Text]
		case "+":
			if before && !behind && tokens[i-1].End == t.Start { // "30+ minutes"
				t.Text, t.End = "minimum", t.Start
				t.Start = words[len(words)-1].Start
				words = slices.Insert(words, len(words)-1, t)
				continue
			}
			if t.Text = "plus"; !behind {
				continue
			}
		case "-", "–", "—":
			switch {
			case (before || i > 0 && IsListed(tokens[i-1].Text, []string{"%", "am", "pm", "h", "k", "min", "mins"})) && behind:
				t.Text = "to"
			case behind && i > 0 && slices.Contains(Universal, tokens[i-1].Text):
				t.Text = "minus"
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
func expandContractions(tokens Tokens) (words Tokens) {
	for _, t := range tokens {
		for _, text := range strings.Fields(expandWord(t.Text)) {
			t.Text = text
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
func joinLetters(tokens Tokens) (joined Tokens) {
	for i := 0; i < len(tokens); i++ {
		t, n := tokens[i], countLetters(tokens[i:])
		for _, letter := range tokens[i+1 : i+n] {
			t.Text, t.End, t.EndMS = t.Text+letter.Text, letter.End, letter.EndMS
		}
		joined = append(joined, t)
		i += n - 1
	}
	return joined
}

// countLetters returns how many of the first tokens are letters of one word, or 1 if the first is a word.
func countLetters(tokens Tokens) int {
	if !isLetter(tokens[0].Text) || tokens[0].Text == "i" || tokens[0].Text == "a" && tokens.TextAt(1) != "m" {
		return 1
	}
	known, text := 0, tokens[0].Text
	n := 1
	for ; n < len(tokens) && isLetter(tokens[n].Text) && tokens[n].StartMS-tokens[n-1].EndMS < pause; n++ {
		if text += tokens[n].Text; n < longestAcronym && isAcronym(text) {
			known = n + 1
		}
	}
	if known > 0 {
		return known
	}
	unknown := slices.IndexFunc(tokens[1:n], func(t Token) bool { return t.Text == "i" || t.Text == "a" })
	if unknown >= 0 {
		return unknown + 1
	}
	return n
}

// isAcronym reports whether letters that were joined are a known name.
func isAcronym(text string) bool {
	return slices.Contains(acronyms, text) || zones[text] != "" || Classes[text] != "" || Codes[text] != "" || len(text) == 6 && claims.IsPair(strings.ToUpper(text))
}

// strategyNames are names of two words that mean neither an instrument nor how long trades are held.
var strategyNames = map[string][]string{
	"silver": {"bullet", "bullets"}, "judas": {"swing", "swings"}, "swing": {"point", "points", "failure", "failures"}, "gold": {"standard"},
}

// joinPhrases makes one word of two that are written apart, and of "no one" where
// it is no number.
func joinPhrases(tokens Tokens) (joined Tokens) {
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		next := func(n int) string { return tokens.TextAt(i + n) }
		word := ""
		switch {
		case t.Text == "no" && next(1) == "one" && !IsUnit(next(2)) && next(2) != "point" && next(2) != "and":
			word = "nobody"
		case IsListed(next(1), strategyNames[t.Text]):
			word = t.Text + next(1)
		case t.Text == "ha" && next(1) == "ha":
			word = "haha"
		case t.Text == "any" && next(1) == "more":
			word = "anymore"
		case t.Text == "any" && next(1) == "one":
			word = "anybody"
		case t.Text == "per" && next(1) == "cent":
			word = "percent"
		case (t.Text == "gave" || t.Text == "given") && next(1) == "up":
			word = "quit"
		case t.Text == "no" && next(1) == "longer" && next(2) != "than":
			word = "nolonger"
		}
		if word != "" {
			t.Text, t.End, t.EndMS = word, tokens[i+1].End, tokens[i+1].EndMS
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
func joinAnswers(tokens Tokens) (joined Tokens) {
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		for _, a := range answerPhrases {
			n := strings.Count(a.phrase, " ")
			if !tokens[i:].BeginsWithPhrase(a.phrase) || IsListed(tokens.TextAt(i+n+1), []string{"wait", "sorry", "actually", "only", "longer", "more", "one"}) ||
				IsListed(tokens.TextAt(i-1), SelfPronouns, OtherPronouns, Auxiliaries, Determiners[:17], Connectors) || a.phrase == "why not" && i+n+1 < len(tokens) {
				continue
			}
			t.Text, t.End, t.EndMS = a.word, tokens[i+n].End, tokens[i+n].EndMS
			i += n
			break
		}
		joined = append(joined, t)
	}
	return joined
}

// IsUnit reports whether the word says what a number before it counts.
func IsUnit(text string) bool {
	return text == "percent" || Durations[text] > 0 || currencies[text] != "" || scales[text] > 0 ||
		slices.Contains([]string{"account", "accounts", "trade", "trades", "half"}, text)
}

// sounds are made while somebody thinks.
var sounds = []string{"um", "uh", "uhm", "erm", "er", "hmm", "hm", "mm", "mhm", "ah", "eh"}

func withoutSounds(tokens Tokens) Tokens {
	return slices.DeleteFunc(tokens, func(t Token) bool { return slices.Contains(sounds, t.Text) })
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
func withoutFillers(tokens Tokens) (kept Tokens) {
	for i := 0; i < len(tokens); i++ {
		if n := fillerAt(tokens, i); n > 0 && (n < len(tokens) || tokens[i].Text != "of") { // not if "of course" is all that is said
			if tokens[i].Text == "so" && i+1 < len(tokens) {
				tokens[i+1].Concludes = true
			}
			if n > 1 && IsListed(tokens[i].Text, looseEnds) {
				if len(kept) > 0 {
					kept[len(kept)-1].loose = true
				}
				if i+n < len(tokens) {
					tokens[i+n].loose = true
				}
			}
			if i+n < len(tokens) {
				tokens[i+n].Restarts = tokens[i+n].Restarts || n > 1
			}
			i += n - 1
			continue
		}
		t := tokens[i]
		if n := len(kept); n > 0 && kept[n-1].Text == t.Text && kept[n-1].End <= t.Start && !isNumeral(t.Text) &&
			!slices.Contains([]string{"no", "ha", "sure"}, t.Text) && !isSpokenNumber(t.Text) &&
			(n < 2 || Codes[t.Text] == "" || Codes[kept[n-2].Text] == "" || Codes[tokens.TextAt(i+1)] == "") { // not "pound dollar, dollar yen"
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
func fillerAt(tokens Tokens, i int) int {
	next := tokens.TextAt(i + 1)
	switch text := tokens[i].Text; {
	case text == "like":
		if isNumeral(next) || isSpokenNumber(next) || IsListed(next, []string{"a", "half", "that", "this"}) || IsListed(tokens.TextAt(i-1), SelfPronouns, OtherPronouns) || slices.Contains([]string{"would", "more", "not"}, tokens.TextAt(i-1)) {
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
	case text == "what" && i > 0 && tokens.IsNumberAt(i+1): // "that is, what, six years"
		return 1
	case text == "let" && next == "say" && tokens.IsNumberAt(i+2):
		return 2
	case text == "well" && tokens.TextAt(i-1) == "as":
		return 0
	case slices.Contains(fillers, text):
		return 1
	}
	for _, phrase := range fillerPhrases {
		if tokens[i:].BeginsWithPhrase(phrase) && (phrase != "you know" || tokens.TextAt(i-1) != "do") && (phrase != "kind of" && phrase != "sort of" || tokens.TextAt(i-1) != "what") {
			return 1 + strings.Count(phrase, " ")
		}
	}
	return 0
}

// joinPairs takes "XAU/USD" for one word, like "XAUUSD".
func joinPairs(tokens Tokens, text string) (joined Tokens) {
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if i+1 < len(tokens) && t.End+1 == tokens[i+1].Start && text[t.End] == '/' {
			if pair := t.Text + tokens[i+1].Text; Classes[pair] != "" || len(pair) == 6 && claims.IsPair(strings.ToUpper(pair)) {
				t.Text, t.End = pair, tokens[i+1].End
				i++
			}
		}
		joined = append(joined, t)
	}
	return joined
}

// joinDotted takes "p.m." and "u.s." for one word each.
func joinDotted(tokens Tokens) Tokens {
	var joined Tokens
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		for len(t.Text) <= 3 && i+2 < len(tokens) && isLetter(tokens[i].Text) && tokens[i+1].Text == "." && isLetter(tokens[i+2].Text) &&
			tokens[i+2].End-tokens[i].Start == 3 {
			t.Text += tokens[i+2].Text
			t.End = tokens[i+2].End
			i += 2
		}
		joined = append(joined, t)
	}
	return joined
}

func isLetter(text string) bool { return len(text) == 1 && text[0] >= 'a' && text[0] <= 'z' }

// assignTimes gives tokens the times of the words that they are in. Words and text
// come from the same engine, so the words are in the order of the text.
func assignTimes(tokens Tokens, s claims.Segment) {
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
		for ; next < len(tokens) && tokens[next].Start < end; next++ {
			if tokens[next].Start >= begin {
				tokens[next].StartMS, tokens[next].EndMS = s.Words[i].StartMS, s.Words[i].EndMS
				if s.Words[i].Confidence != nil {
					tokens[next].Confidence = s.Words[i].Confidence
				}
			}
		}
	}
}
