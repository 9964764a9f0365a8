package claims

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
)

// classes are the instruments that people name, by the symbol class that trades
// are grouped in.
var classes = map[string]string{
	"gold": "XAUUSD", "xau": "XAUUSD", "xauusd": "XAUUSD", "silver": "XAGUSD", "xag": "XAGUSD", "xagusd": "XAGUSD",
	"fiber": "EURUSD", "cable": "GBPUSD", "aussie": "AUDUSD", "kiwi": "NZDUSD", "loonie": "USDCAD", "swissy": "USDCHF",
	"euro us dollar": "EURUSD", "eu": "EURUSD", "gu": "GBPUSD", "uj": "USDJPY", "gj": "GBPJPY", "eurodollar": "EURUSD", // as traders call them
	"nas": "NAS100", "nasdaq": "NAS100", "nas100": "NAS100", "us100": "NAS100", "nq": "NAS100", "mnq": "NAS100", "ustec": "NAS100",
	"dow": "US30", "dj 30": "US30", "ym": "US30", "mym": "US30", "mes": "SPX500", "us tech 100": "NAS100", "us30": "US30", "dow jones": "US30", "s and p": "SPX500", "s and p five hundred": "SPX500", "us five hundred": "SPX500",
	"spx five hundred": "SPX500", "us thirty": "US30", "us one hundred": "NAS100", "nas one hundred": "NAS100", "nas 100": "NAS100", "us 30": "US30",
	"us 100": "NAS100", "us 500": "SPX500", "nasdaq one hundred": "NAS100", "ger forty": "GER40", "ger 40": "GER40", "dax forty": "GER40",
	"us500": "SPX500", "spx": "SPX500", "es": "SPX500",
	"ftse": "UK100", "uk100": "UK100", "uk 100": "UK100", "uk one hundred": "UK100", "nikkei": "JP225", "jp225": "JP225", "cac": "FRA40",
	"dax": "GER40", "ger40": "GER40", "de40": "GER40", "de 30": "GER40", "de 40": "GER40", "ger 30": "GER40", "jp 225": "JP225", "spx 500": "SPX500", "ger30": "GER40", "oil": "OIL", "crude": "OIL", "wti": "OIL", "brent": "OIL", "usoil": "OIL",
	"btc": "BTCUSD", "bitcoin": "BTCUSD", "btcusd": "BTCUSD", "btcusdt": "BTCUSD", "ethusd": "ETHUSD", "ethusdt": "ETHUSD", "solusd": "SOLUSD", "xrp": "XRPUSD", "xrpusd": "XRPUSD",
	"ethereum": "ETHUSD", "ether": "ETHUSD", "eth": "ETHUSD",
	"russell": "US2000", "hang seng": "HK50", "euro stoxx": "EU50", "natural gas": "GAS", "ripple": "XRPUSD", "solana": "SOLUSD", "platinum": "XPTUSD",
	"forex": "forex", "fx": "forex", "currencies": "forex", "currency pairs": "forex", "majors": "forex", "major pairs": "forex", "minors": "forex",
	"minor pairs": "forex", "exotics": "forex", "indices": "indices", "indexes": "indices", "crypto": "crypto", "cryptos": "crypto", "cryptocurrencies": "crypto", "metals": "metals",
}

// instrumentVerbs make a sentence one about what is traded.
var instrumentVerbs = []string{
	"trade", "trades", "trading", "focus", "specialize", "specialise", "trader", "main pair", "main market", "switched to", "moved to",
	"favorite pair", "portfolio", "mainly", "mostly", "stick to", "pairs", "instrument", "instruments", "markets", "scalp", "scalping", "swing",
	"nothing but", "stick with", "touch", "lot for", "lots for", "lot on", "lots on", "went back to", "gone back to", "back to", "went over to", "i do", "only do", "mostly do", "mainly do",
}

// codes are the currencies that people name, by their codes.
var codes = map[string]string{
	"euro": "EUR", "pound": "GBP", "dollar": "USD", "yen": "JPY", "aussie": "AUD", "kiwi": "NZD", "loonie": "CAD", "franc": "CHF", "swissy": "CHF",
	"eur": "EUR", "gbp": "GBP", "usd": "USD", "jpy": "JPY", "aud": "AUD", "nzd": "NZD", "cad": "CAD", "chf": "CHF",
}

// mention is an instrument where it was named.
type mention struct {
	class       string
	first, last int
}

// readInstruments reads which instruments are named.
func (st *statement) readInstruments(asked Topic) {
	short := len(st.tokens) < 5 && st.hasAny([]string{"only"}) && !st.hasAny([]string{"on", "for", "with", "in"}) &&
		!slices.ContainsFunc(st.tokens, func(t token) bool { return isVerb(t.text) })
	answered := asked == Instruments && st.tokens[0].text != "because" || asked == "" && (short || st.namesAlone())
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
	if asked == Instruments && only < 0 && len(st.tokens) == last+4 && endsWith(st.tokens, "that is it", "that is all") {
		only = last + 1 // "just the Nasdaq, that's it"
	}
	if only >= 0 && (st.onlyThen(only, last) || st.hasAny([]string{"news"})) {
		only = -1
	}
	if only >= 0 {
		first, last = min(first, only), max(last, only)
	}
	slices.Sort(set)
	c := Claim{Topic: Instruments, Op: OneOf, Set: set, Only: only >= 0}
	if excepted >= 0 {
		c.Modality = Plain
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
		if codes[t.text] != "" && !slices.Contains(set, classForex) &&
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
	return next != "no" || x.last+2 >= len(st.tokens) || isClass(classes[textAt(st.tokens, x.last+2)])
}

// isClass reports whether an instrument is a class of instruments. "Gold, no forex" denies the
// class; "gold, no silver" may correct the name.
func isClass(instrument string) bool {
	return isListed(instrument, []string{classForex, classIndices, classMetals, classCrypto, classEnergy})
}

// instrumentSpans finds the instruments that are named: pairs first, then what has
// a name, the longest name first, so that no word counts twice.
func instrumentSpans(tokens []token) (found []mention) {
	taken := make([]bool, len(tokens))
	take := func(class string, first, n int) {
		if slices.Contains(taken[first:first+n], true) {
			return
		}
		for i := range n {
			taken[first+i] = true
		}
		found = append(found, mention{class, first, first + n - 1})
	}
	for _, i := range againstDollar(tokens) {
		take(pairWithDollar(codes[tokens[i].text]), i, 1)
	}
	for i := range tokens {
		if i+1 < len(tokens) && canBeginPair(tokens, i) && codes[tokens[i].text] != "" && codes[tokens[i+1].text] != "" && tokens[i].text != tokens[i+1].text {
			take(codes[tokens[i].text]+codes[tokens[i+1].text], i, 2)
		}
		if t := tokens[i].text; len(t) == 6 && isPair(strings.ToUpper(t)) {
			take(strings.ToUpper(t), i, 1)
		}
	}
	for _, name := range namesByLength() {
		if !hasPhrase(tokens, name) {
			continue
		}
		words := strings.Fields(name)
		for at := findTokens(tokens, words, 0); at >= 0; at = findTokens(tokens, words, at+1) {
			if name == "eu" && (textAt(tokens, at-1) == "the" || isListed(textAt(tokens, at+1), dayTimes, []string{"time", "hours", "market", "markets", "stocks", "indices"})) {
				continue // the European Union
			}
			take(classes[name], at, len(words))
		}
	}
	return found
}

// againstDollar returns where currencies are named that are traded against the dollar: "euro, pound and yen, all against
// the dollar".
func againstDollar(tokens []token) (places []int) {
	at := findTokens(tokens, []string{"against", "the", "dollar"}, 0)
	for i := at - 1; i >= 0; i-- {
		switch text := tokens[i].text; {
		case codes[text] != "" && codes[text] != "USD":
			places = append(places, i)
		case !isListed(text, []string{"and", "the", "all", "or", "each", "plus"}):
			return places
		}
	}
	return places
}

// pairWithDollar returns the pair of a currency and the dollar.
func pairWithDollar(code string) string {
	if isListed(code, []string{"EUR", "GBP", "AUD", "NZD"}) {
		return code + "USD"
	}
	return "USD" + code
}

// canBeginPair reports whether a pair of currencies can begin at token i. Of three
// currencies in a row, it is unclear which two are a pair.
func canBeginPair(tokens []token, i int) bool {
	first, last := i, i
	for first > 0 && codes[tokens[first-1].text] != "" {
		first--
	}
	for last+1 < len(tokens) && codes[tokens[last+1].text] != "" {
		last++
	}
	return (last-first)%2 == 1
}

// namesByLength are the names of instruments, the longest first.
var namesByLength = sync.OnceValue(func() []string {
	return slices.SortedFunc(maps.Keys(classes), func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
})

// instrumentWords returns how many words the name of an instrument has that begins at token i: 0 if there is none.
func instrumentWords(tokens []token, i int) (words int) {
	name := ""
	for n := 0; n < 3 && i+n < len(tokens); n++ {
		if name += " " + tokens[i+n].text; classes[name[1:]] != "" {
			words = n + 1
		}
	}
	return words
}
