package claims

import (
	"maps"
	"slices"
	"strings"
)

// classes are the instruments that people name, by the symbol class that trades
// are grouped in.
var classes = map[string]string{
	"gold": "XAUUSD", "xau": "XAUUSD", "xauusd": "XAUUSD", "silver": "XAGUSD", "xag": "XAGUSD", "xagusd": "XAGUSD",
	"euro dollar": "EURUSD", "eurusd": "EURUSD", "eur usd": "EURUSD", "euro us dollar": "EURUSD", "fiber": "EURUSD",
	"pound dollar": "GBPUSD", "gbpusd": "GBPUSD", "gbp usd": "GBPUSD", "cable": "GBPUSD",
	"dollar yen": "USDJPY", "usdjpy": "USDJPY", "usd jpy": "USDJPY", "pound yen": "GBPJPY", "gbpjpy": "GBPJPY", "euro yen": "EURJPY", "eurjpy": "EURJPY",
	"aussie": "AUDUSD", "audusd": "AUDUSD", "kiwi": "NZDUSD", "nzdusd": "NZDUSD", "loonie": "USDCAD", "usdcad": "USDCAD", "swissy": "USDCHF", "usdchf": "USDCHF",
	"nas": "NAS100", "nasdaq": "NAS100", "nas100": "NAS100", "us100": "NAS100", "nq": "NAS100", "ustec": "NAS100",
	"dow": "US30", "us30": "US30", "dow jones": "US30", "s&p": "SPX500", "us500": "SPX500", "spx": "SPX500", "es": "SPX500",
	"dax": "GER40", "ger40": "GER40", "de40": "GER40", "ger30": "GER40", "oil": "OIL", "crude": "OIL", "wti": "OIL", "brent": "OIL", "usoil": "OIL",
	"btc": "BTCUSD", "bitcoin": "BTCUSD", "btcusd": "BTCUSD", "ethereum": "ETHUSD", "eth": "ETHUSD",
	"forex": "forex", "fx": "forex", "currencies": "forex", "currency pairs": "forex", "indices": "indices", "indexes": "indices", "crypto": "crypto", "metals": "metals",
}

// instrumentVerbs make a sentence one about what is traded.
var instrumentVerbs = []string{"trade", "trades", "trading", "traded", "only", "focus", "mainly", "mostly", "stick to", "pairs", "instrument", "instruments", "markets"}

// instruments reads which instruments are named.
func (st *statement) instruments(asked Topic) {
	if asked != Instruments && !st.hasAny(instrumentVerbs) {
		return
	}
	var (
		set         []string
		first, last = len(st.tokens), -1
	)
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		words := strings.Fields(strings.ReplaceAll(name, "&", " & "))
		at := find(st.tokens, words, 0)
		if at < 0 || st.negated(at) {
			continue
		}
		if !slices.Contains(set, classes[name]) {
			set = append(set, classes[name])
		}
		first, last = min(first, at), max(last, at+len(words)-1)
	}
	if len(set) == 0 {
		return
	}
	only := find(st.tokens, []string{"only"}, 0)
	if only < 0 {
		only = find(st.tokens, []string{"just"}, 0)
	}
	if only >= 0 {
		first, last = min(first, only), max(last, only)
	}
	slices.Sort(set)
	st.claim(Claim{Topic: Instruments, Op: OneOf, Set: set, Only: only >= 0}, first, last)
}

// sessions are the hours of trading sessions, in the zone of their city.
var sessions = []struct {
	phrase   string
	zone     string
	from, to float64
}{
	{"london", "Europe/London", 8, 17},
	{"new york", "America/New_York", 8, 17},
	{"ny session", "America/New_York", 8, 17},
	{"asia", "Asia/Tokyo", 9, 18},
	{"asian", "Asia/Tokyo", 9, 18},
	{"tokyo", "Asia/Tokyo", 9, 18},
	{"sydney", "Australia/Sydney", 8, 17},
}

// hourWords make a sentence one about the time of the day.
var hourWords = []string{"trade", "trading", "session", "hours", "morning", "afternoon", "evening", "night", "open", "time", "o'clock", "am", "pm", "from", "between"}

// hours reads the hours of the day, or the session, in which trades are made.
func (st *statement) hours(asked Topic) {
	if asked != Hours && !st.hasAny([]string{"session", "sessions", "hours", "morning", "afternoon", "evening", "am", "pm", "o'clock", "time zone", "timezone"}) {
		return
	}
	if !st.hasAny(hourWords) {
		return
	}
	zone := ""
	for _, s := range sessions {
		if find(st.tokens, strings.Fields(s.phrase), 0) >= 0 {
			zone = s.zone
		}
	}
	if st.hasAny([]string{"my time", "local time", "my timezone", "my time zone"}) {
		zone = "own"
	}
	for i, n := range st.numbers {
		if st.used[i] || !n.ranged || n.unit != NoUnit || n.low > 24 || n.high > 24 || n.low < 0 {
			continue
		}
		from, to := st.onClock(n)
		st.used[i] = true
		st.claim(Claim{Topic: Hours, Op: Range, Value: from, High: to, Zone: zone, Unit: Clock, Approximate: n.approximate}, n.first, st.clockEnd(n))
		return
	}
	st.session()
}

// session reads a session that is named without hours.
func (st *statement) session() {
	for _, s := range sessions {
		words := strings.Fields(s.phrase)
		at := find(st.tokens, words, 0)
		if at < 0 || st.negated(at) {
			continue
		}
		last := at + len(words) - 1
		if last+1 < len(st.tokens) && strings.HasPrefix(st.tokens[last+1].text, "session") {
			last++
		}
		st.claim(Claim{Topic: Hours, Op: Range, Value: s.from, High: s.to, Zone: s.zone, Unit: Clock}, at, last)
		return
	}
}

// onClock reads two hours with what says in which half of the day they are.
func (st *statement) onClock(n number) (from, to float64) {
	behind := st.words(n.last+1, n.last+5)
	inside := st.words(n.first, n.last+1)
	afternoon := func(words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return w == "pm" || w == "afternoon" || w == "evening" || w == "night" })
	}
	morning := func(words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return w == "am" || w == "morning" })
	}
	from, to = n.low, n.high
	if afternoon(behind) && !morning(behind) {
		if to < 12 {
			to += 12
		}
		if from < 12 && !morning(inside) && from+12 <= to {
			from += 12
		}
	}
	return from, to
}

// clockEnd is the last token of the hours: "in the morning" belongs to them.
func (st *statement) clockEnd(n number) int {
	last := n.last
	for i := n.last + 1; i < min(n.last+5, len(st.tokens)); i++ {
		if slices.Contains([]string{"am", "pm", "morning", "afternoon", "evening", "night"}, st.tokens[i].text) {
			last = i
		}
	}
	return last
}
