// Package instrument says which instrument a symbol is a name of, and in which currencies it is
// quoted.
package instrument

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// brokerSuffixes are what brokers append to a symbol for their account types.
// Lower-cased; the first that fits is taken off.
var brokerSuffixes = [...]string{".cash", ".pro", ".raw", ".ecn", ".z", ".m", "_i", "#"}

// futureRoots are the futures whose contract months are one instrument. Only these
// are cut: NETH25 and ESX50 are indices that end as a contract month would.
var futureRoots = [...]string{
	"ES", "MES", "NQ", "MNQ", "YM", "MYM", "RTY", "M2K", "EMD", "NKD", "VX",
	"GC", "MGC", "SI", "SIL", "HG", "MHG", "PL", "PA", "CL", "MCL", "QM", "NG", "QG", "MNG", "RB", "HO", "BZ",
	"ZB", "ZN", "ZF", "ZT", "UB", "TN", "ZC", "ZS", "ZW", "ZL", "ZM", "HE", "LE", "GF", "KC", "CC", "CT", "SB",
	"6A", "6B", "6C", "6E", "6J", "6M", "6N", "6S", "M6A", "M6B", "M6E", "DX", "BTC", "MBT", "ETH", "MET",
	"FDAX", "FDXM", "FDXS", "FESX", "FSXE", "FGBL", "FGBM", "FGBS", "FGBX",
}

// contract is a future's root with its month: ESH5, ESH25, ESH2025, ES 03-25, ES MAR25,
// ES1! (the next one), with what platforms write before and after it. Years begin with
// 0 to 3 where they have two digits.
var contract = regexp.MustCompile(`^(?:[/@]|CM\.)?([A-Z0-9]{2,4}?)(?:[FGHJKMNQUVXZ](?:[0-9]|[0-3][0-9]|20[0-3][0-9])|[ _-](?:(?:0[1-9]|1[0-2])-[0-3][0-9]|(?:JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)-?(?:20)?[0-3][0-9])|[1-9]!)(?:[.:@][A-Z_]+)?$`)

// instruments are names of one market that platforms give to it, in upper case and
// without a broker's suffix. Futures are not among them: their contracts are worth
// other amounts than those of the index.
var instruments = map[string]string{
	"DJ30": "US30", "WS30": "US30", "DJI30": "US30", "DOW30": "US30", "US30USD": "US30",
	"US100": "NAS100", "USTEC": "NAS100", "USTECH100": "NAS100", "NDX100": "NAS100", "NASDAQ100": "NAS100", "NAS100USD": "NAS100",
	"US500": "SPX500", "SP500": "SPX500", "SPX500USD": "SPX500",
	"US2K": "US2000", "RUSSELL2000": "US2000", "US2000USD": "US2000",
	"DE40": "GER40", "DAX40": "GER40", "GER30": "GER40", "DE30": "GER40", "DAX30": "GER40", "DE30EUR": "GER40",
	"FTSE100": "UK100", "UK100GBP": "UK100", "FR40": "FRA40", "CAC40": "FRA40", "STOXX50": "EU50", "EUSTX50": "EU50", "EU50EUR": "EU50",
	"JPN225": "JP225", "NI225": "JP225", "NIKKEI225": "JP225", "JP225USD": "JP225",
	"GOLD": "XAUUSD", "SILVER": "XAGUSD",
}

// Names says which instrument a symbol is a name of, by the symbol in upper
// case. It holds the names that are known to assay and those of an organization.
type Names map[string]string

// NewNames returns the names that are known and an organization's own, which
// go before them: what an own name stands for is an instrument of its own, even if it
// is known as a name of another one.
func NewNames(own map[string]string) Names {
	all := make(Names, len(instruments)+len(own))
	for symbol, instrument := range own {
		all[upperSymbol(symbol)] = instrument
	}
	own = maps.Clone(all)
	for symbol, instrument := range instruments {
		if _, ok := own[symbol]; !ok {
			all[symbol] = cmp.Or(own[instrument], instrument)
		}
	}
	for _, instrument := range own {
		if own[instrument] == "" {
			delete(all, instrument)
		}
	}
	return all
}

// KeyOf returns the name under which the variants of a symbol are grouped: that of
// its instrument, or else Key.
func (i Names) KeyOf(raw string) string {
	if instrument, ok := i[upperSymbol(raw)]; ok {
		return instrument
	}
	key := Key(raw)
	if instrument, ok := i[key]; ok {
		return instrument
	}
	return key
}

func upperSymbol(raw string) string { return strings.ToUpper(strings.TrimSpace(raw)) }

// Key returns the name under which the variants of a symbol are grouped: upper
// case, without the suffix of the broker (EURUSD.pro, EURUSDm, EURUSD# are EURUSD) or
// what separates the currencies of a pair (EUR/USD is EURUSD), and without the contract month of a future (MESH5 and MESM5 are MES, for who rolls a
// position trades what he traded before). It is for grouping only; people are shown
// the raw name. A bare m is taken off only where it is the one lower-case letter, so
// that names that end in M keep it.
func Key(raw string) string {
	key := WithoutSuffix(raw)
	if last := len(key) - 1; last < 2 || key[last] != '!' && (key[last] < '0' || key[last] > '9') && !strings.ContainsAny(key, ".:@") {
		return key
	}
	if m := contract.FindStringSubmatch(key); m != nil && slices.Contains(futureRoots[:], m[1]) {
		return m[1]
	}
	return key
}

// WithoutSuffix is Key with the contract month.
func WithoutSuffix(raw string) string {
	s := strings.TrimSpace(raw)
	if exchange, symbol, ok := strings.Cut(s, ":"); ok && len(exchange) > 1 && len(symbol) > 1 && strings.Trim(exchange, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == "" {
		s = symbol // of OANDA:EURUSD and CME_MINI:ES1!, as TradingView writes them
	}
	if pair, ok := cutPair(s); ok {
		return pair
	}
	lower := strings.ToLower(s)
	for _, suffix := range brokerSuffixes {
		if len(lower) == len(s) && len(s) > len(suffix) && strings.HasSuffix(lower, suffix) {
			return strings.ToUpper(s[:len(s)-len(suffix)])
		}
	}
	if base, ok := strings.CutSuffix(s, "m"); ok && len(base) >= 3 && base == strings.ToUpper(base) {
		return base
	}
	return strings.ToUpper(s)
}

// pairBases are what is traded against currencies and written like one.
var pairBases = [...]string{"XAU", "XAG", "XPT", "XPD", "BTC", "ETH", "LTC", "XRP"}

// cutPair returns the pair that a symbol begins with: two codes of currencies, with or without a
// separator, and nothing after them but a broker's suffix. That begins with a sign, or it is of
// lower case after upper case, because EURUSDT is another pair.
func cutPair(s string) (pair string, ok bool) {
	if len(s) < 6 {
		return "", false
	}
	rest := s[3:]
	if strings.IndexByte("/-_.", rest[0]) >= 0 {
		rest = rest[1:]
	}
	if len(rest) < 3 {
		return "", false
	}
	codes, suffix := s[:3]+rest[:3], rest[3:]
	pair = strings.ToUpper(codes)
	base, quote := pair[:3], pair[3:]
	if len(pair) != 6 || !slices.Contains(currencies[:], quote) || !slices.Contains(currencies[:], base) && !slices.Contains(pairBases[:], base) {
		return "", false
	}
	isSign := func(c byte) bool { return strings.IndexByte(".+-_#&^!@ ", c) >= 0 }
	return pair, suffix == "" || isSign(suffix[0]) || codes == pair && suffix == strings.ToLower(suffix) && suffix[0] >= 'a' && suffix[0] <= 'z'
}
