package extract

import (
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/words"
)

// instrumentVerbs make a sentence one about what is traded.
var instrumentVerbs = []string{
	"trade", "trades", "trading", "focus", "specialize", "specialise", "trader", "main pair", "main market", "switched to", "moved to",
	"favorite pair", "portfolio", "mainly", "mostly", "stick to", "pairs", "instrument", "instruments", "markets", "scalp", "scalping", "swing",
	"nothing but", "stick with", "touch", "lot for", "lots for", "lot on", "lots on", "went back to", "gone back to", "back to", "went over to", "i do", "only do", "mostly do", "mainly do",
}

// readInstruments reads which instruments are named.
func (st *statement) readInstruments(asked claims.Topic) {
	short := len(st.tokens) < 5 && st.hasAny([]string{"only"}) && !st.hasAny([]string{"on", "for", "with", "in"}) &&
		!slices.ContainsFunc(st.tokens, func(t words.Token) bool { return words.IsVerb(t.Text) })
	answered := asked == claims.Instruments && st.tokens[0].Text != "because" || asked == "" && (short || st.namesAlone())
	if !answered && !st.hasAny(instrumentVerbs) || st.Flipped ||
		st.hasAny([]string{"news", "wedding", "ring", "rings", "jewelry", "medal"}) && !st.hasAny(instrumentVerbs) {
		return
	}
	if st.hasAny([]string{"look at", "looked at", "looked into", "watch", "follow", "show", "teach"}) && !st.hasAny(instrumentVerbs) {
		return
	}
	var set []string
	first, last := len(st.tokens), -1
	excepted := st.onlyExcepted()
	for _, n := range st.findInstruments() {
		if !slices.Contains(set, n.Class) {
			set = append(set, n.Class)
		}
		first, last = min(first, n.First), max(last, n.Last)
	}
	if excepted >= 0 { // "I don't trade anything except gold"
		for _, n := range st.tokens.FindInstruments() {
			if n.First > excepted {
				set, first, last = append(set, n.Class), min(first, excepted), max(last, n.Last)
			}
		}
	}
	if len(set) == 0 || st.namesOthers(set) || st.deniesAll(last) {
		return
	}
	only := slices.IndexFunc(st.tokens, func(t words.Token) bool { return t.Text == "only" || t.Text == "exclusively" })
	for _, phrase := range []string{"nothing but", "nothing else", "the only thing", "and that is it", "and that is all"} {
		if at := st.tokens.FindWords(strings.Fields(phrase), 0); at >= 0 && only < 0 {
			only = at
		}
	}
	if only < 0 {
		only = excepted
	}
	if asked == claims.Instruments && only < 0 && len(st.tokens) == last+4 && st.tokens.EndsWith("that is it", "that is all") {
		only = last + 1 // "just the Nasdaq, that's it"
	}
	if only >= 0 && (st.onlyThen(only, last) || st.hasAny([]string{"news"})) {
		only = -1
	}
	if only >= 0 {
		first, last = min(first, only), max(last, only)
	}
	slices.Sort(set)
	c := claims.Claim{Topic: claims.Instruments, Op: claims.OneOf, Set: set, Only: only >= 0}
	if excepted >= 0 {
		c.Modality = claims.Plain
	}
	st.addClaim(c, first, last)
}

// namesOthers reports whether the clause names, beside the set, what no symbol can be
// compared with: a currency that is in no pair, or "gold and other things".
func (st *statement) namesOthers(set []string) bool {
	named := st.tokens.FindInstruments()
	if slices.ContainsFunc(named, func(x words.Mention) bool { return st.isJoinedWithName(x, named) }) {
		return true
	}
	for i, t := range st.tokens {
		if words.Codes[t.Text] != "" && !slices.Contains(set, claims.ClassForex) &&
			!slices.ContainsFunc(named, func(x words.Mention) bool { return x.First <= i && i <= x.Last }) {
			return true
		}
	}
	return st.hasAny([]string{"and other", "and others", "and some other", "and futures", "and commodities", "and cfds", "and so on", "and more"})
}

// isJoinedWithName reports whether "and" stands between an instrument and a name that is not known.
func (st *statement) isJoinedWithName(x words.Mention, named []words.Mention) bool {
	isJoint := func(i int) bool { return words.IsListed(st.tokens.TextAt(i), []string{"and", "or", "plus"}) }
	isOther := func(i int) bool {
		return mayBeName(st.tokens, i) && !words.IsListed(st.tokens[i].Text, []string{"futures", "cfd", "cfds", "spot", "index", "options", "micros", "minis"}) &&
			!slices.ContainsFunc(named, func(o words.Mention) bool { return o.First <= i && i <= o.Last })
	}
	left, right := x.First-1, x.Last+1
	for left >= 0 && words.IsListed(st.tokens[left].Text, words.Determiners, words.Adverbs) {
		left--
	}
	if isJoint(right) {
		for right++; words.IsListed(st.tokens.TextAt(right), words.Determiners, words.Adverbs); right++ {
		}
		if isOther(right) {
			return true
		}
	}
	return left > 0 && isJoint(left) && isOther(left-1)
}

// deniesAll reports whether the words behind the last instrument deny all of them: "gold and oil are not for me".
func (st *statement) deniesAll(last int) bool {
	rest := st.tokens[last+1:]
	at := slices.IndexFunc(rest, func(t words.Token) bool { return words.IsListed(t.Text, words.SelfPronouns) })
	return rest.HasPhrase("not for me", "not my thing", "not my style", "not something") || at >= 0 && len(rest) <= reach && rest[at:].HasNegation()
}

// namesAlone reports whether there is nothing but instruments: "gold and the Dax".
func (st *statement) namesAlone() bool {
	named := st.tokens.FindInstruments()
	for i, t := range st.tokens {
		if !words.IsListed(t.Text, []string{"and", "the", "mostly", "mainly", "usually", "also", "plus", "right", "now", "currently", "only", "both"}) &&
			!slices.ContainsFunc(named, func(x words.Mention) bool { return x.First <= i && i <= x.Last }) {
			return false
		}
	}
	return len(st.tokens) > 1
}

// onlyThen reports whether "only" at a token limits the time and not the instrument:
// "I trade the Dax only in the morning".
func (st *statement) onlyThen(only, last int) bool {
	return only > last && words.IsListed(st.tokens.TextAt(only+1), []string{"between", "from", "in", "at", "during", "when", "on", "after", "before", "if"})
}

// namedInstruments returns the instruments that the clause names, sorted, and if so wanted those
// of which something is denied, too.
func (st *statement) namedInstruments(denied bool) (set []string) {
	for _, n := range st.tokens.FindInstruments() {
		if st.isNamed(n) || denied && !st.isExcepted(n.First) {
			set = append(set, n.Class)
		}
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// isExcepted reports whether the words at token i are an exception: "everything
// except gold".
func (st *statement) isExcepted(i int) bool {
	for _, phrase := range exceptions {
		phraseWords := strings.Fields(phrase)
		if at := st.tokens.FindWords(phraseWords, 0); at >= 0 && at < i {
			return true
		}
	}
	return false
}

// onlyExcepted returns where the exception begins if everything else is denied: "nothing except gold". Otherwise it is -1.
func (st *statement) onlyExcepted() int {
	for _, phrase := range []string{"anything except", "anything but", "anything other than", "anything apart from", "anything besides"} {
		if at := st.tokens.FindWords(strings.Fields(phrase), 0); at > 0 && st.tokens[:at].HasNegation() {
			return at
		}
	}
	return -1
}

// exceptions begin what is left out.
var exceptions = []string{"except", "excluding", "apart from", "other than", "everything but", "anything but", "all but"}

// findInstruments finds the instruments of a clause that are not denied.
func (st *statement) findInstruments() (found []words.Mention) {
	for _, x := range st.tokens.FindInstruments() {
		if st.isNamed(x) {
			found = append(found, x)
		}
	}
	return found
}

// isNamed reports whether an instrument is neither denied nor excepted, nor what another one is compared with.
func (st *statement) isNamed(x words.Mention) bool {
	if words.IsListed(st.tokens.TextAt(x.Last+1), []string{"is", "are", "was"}) && st.isJudged(words.Number{First: x.First, Last: x.Last}) {
		return false // "gold is like a wild animal"
	}
	return !st.isNegated(x.First) && !st.isExcepted(x.First) && st.apartFrom(x) && !st.tokens[max(0, x.First-3):x.First].HasPhrase("than")
}

// apartFrom reports whether an instrument does not come after a "no" that may as
// well correct the one before it: "gold, no, silver".
func (st *statement) apartFrom(x words.Mention) bool {
	next := st.tokens.TextAt(x.Last + 1)
	return next != "no" || x.Last+2 >= len(st.tokens) || claims.IsClass(words.Classes[st.tokens.TextAt(x.Last+2)])
}
