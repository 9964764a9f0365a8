package extract

import (
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
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
		!slices.ContainsFunc(st.tokens, func(t token) bool { return isVerb(t.text) })
	answered := asked == claims.Instruments && st.tokens[0].text != "because" || asked == "" && (short || st.namesAlone())
	if !answered && !st.hasAny(instrumentVerbs) || st.flipped ||
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
		if !slices.Contains(set, n.class) {
			set = append(set, n.class)
		}
		first, last = min(first, n.first), max(last, n.last)
	}
	if excepted >= 0 { // "I don't trade anything except gold"
		for _, n := range instrumentSpans(st.tokens) {
			if n.first > excepted {
				set, first, last = append(set, n.class), min(first, excepted), max(last, n.last)
			}
		}
	}
	if len(set) == 0 || st.namesOthers(set) || st.deniesAll(last) {
		return
	}
	only := slices.IndexFunc(st.tokens, func(t token) bool { return t.text == "only" || t.text == "exclusively" })
	for _, phrase := range []string{"nothing but", "nothing else", "the only thing", "and that is it", "and that is all"} {
		if at := findTokens(st.tokens, strings.Fields(phrase), 0); at >= 0 && only < 0 {
			only = at
		}
	}
	if only < 0 {
		only = excepted
	}
	if asked == claims.Instruments && only < 0 && len(st.tokens) == last+4 && endsWith(st.tokens, "that is it", "that is all") {
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
	named := instrumentSpans(st.tokens)
	if slices.ContainsFunc(named, func(x mention) bool { return st.isJoinedWithName(x, named) }) {
		return true
	}
	for i, t := range st.tokens {
		if codes[t.text] != "" && !slices.Contains(set, claims.ClassForex) &&
			!slices.ContainsFunc(named, func(x mention) bool { return x.first <= i && i <= x.last }) {
			return true
		}
	}
	return st.hasAny([]string{"and other", "and others", "and some other", "and futures", "and commodities", "and cfds", "and so on", "and more"})
}

// isJoinedWithName reports whether "and" stands between an instrument and a name that is not known.
func (st *statement) isJoinedWithName(x mention, named []mention) bool {
	isJoint := func(i int) bool { return isListed(textAt(st.tokens, i), []string{"and", "or", "plus"}) }
	isOther := func(i int) bool {
		return mayBeName(st.tokens, i) && !isListed(st.tokens[i].text, []string{"futures", "cfd", "cfds", "spot", "index", "options", "micros", "minis"}) &&
			!slices.ContainsFunc(named, func(o mention) bool { return o.first <= i && i <= o.last })
	}
	left, right := x.first-1, x.last+1
	for left >= 0 && isListed(st.tokens[left].text, determiners, adverbs) {
		left--
	}
	if isJoint(right) {
		for right++; isListed(textAt(st.tokens, right), determiners, adverbs); right++ {
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
	at := slices.IndexFunc(rest, func(t token) bool { return isListed(t.text, selfPronouns) })
	return hasPhrase(rest, "not for me", "not my thing", "not my style", "not something") || at >= 0 && len(rest) <= reach && deniedIn(rest[at:])
}

// namesAlone reports whether there is nothing but instruments: "gold and the Dax".
func (st *statement) namesAlone() bool {
	named := instrumentSpans(st.tokens)
	for i, t := range st.tokens {
		if !isListed(t.text, []string{"and", "the", "mostly", "mainly", "usually", "also", "plus", "right", "now", "currently", "only", "both"}) &&
			!slices.ContainsFunc(named, func(x mention) bool { return x.first <= i && i <= x.last }) {
			return false
		}
	}
	return len(st.tokens) > 1
}

// onlyThen reports whether "only" at a token limits the time and not the instrument:
// "I trade the Dax only in the morning".
func (st *statement) onlyThen(only, last int) bool {
	return only > last && isListed(textAt(st.tokens, only+1), []string{"between", "from", "in", "at", "during", "when", "on", "after", "before", "if"})
}

// namedInstruments returns the instruments that the clause names, sorted, and if so wanted those
// of which something is denied, too.
func (st *statement) namedInstruments(denied bool) (set []string) {
	for _, n := range instrumentSpans(st.tokens) {
		if st.isNamed(n) || denied && !st.isExcepted(n.first) {
			set = append(set, n.class)
		}
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// isExcepted reports whether the words at token i are an exception: "everything
// except gold".
func (st *statement) isExcepted(i int) bool {
	for _, phrase := range exceptions {
		words := strings.Fields(phrase)
		if at := findTokens(st.tokens, words, 0); at >= 0 && at < i {
			return true
		}
	}
	return false
}

// onlyExcepted returns where the exception begins if everything else is denied: "nothing except gold". Otherwise it is -1.
func (st *statement) onlyExcepted() int {
	for _, phrase := range []string{"anything except", "anything but", "anything other than", "anything apart from", "anything besides"} {
		if at := findTokens(st.tokens, strings.Fields(phrase), 0); at > 0 && deniedIn(st.tokens[:at]) {
			return at
		}
	}
	return -1
}

// exceptions begin what is left out.
var exceptions = []string{"except", "excluding", "apart from", "other than", "everything but", "anything but", "all but"}

// findInstruments finds the instruments of a clause that are not denied.
func (st *statement) findInstruments() (found []mention) {
	for _, x := range instrumentSpans(st.tokens) {
		if st.isNamed(x) {
			found = append(found, x)
		}
	}
	return found
}

// isNamed reports whether an instrument is neither denied nor excepted, nor what another one is compared with.
func (st *statement) isNamed(x mention) bool {
	if isListed(textAt(st.tokens, x.last+1), []string{"is", "are", "was"}) && st.isJudged(number{first: x.first, last: x.last}) {
		return false // "gold is like a wild animal"
	}
	return !st.isNegated(x.first) && !st.isExcepted(x.first) && st.apartFrom(x) && !hasPhrase(st.tokens[max(0, x.first-3):x.first], "than")
}

// apartFrom reports whether an instrument does not come after a "no" that may as
// well correct the one before it: "gold, no, silver".
func (st *statement) apartFrom(x mention) bool {
	next := textAt(st.tokens, x.last+1)
	return next != "no" || x.last+2 >= len(st.tokens) || claims.IsClass(classes[textAt(st.tokens, x.last+2)])
}
