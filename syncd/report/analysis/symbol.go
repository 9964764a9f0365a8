package analysis

import "strings"

// brokerSuffixes are what brokers append to a symbol for their account types.
// Lower-cased; the first that fits is taken off.
var brokerSuffixes = [...]string{".cash", ".pro", ".raw", ".ecn", ".z", ".m", "_i", "#"}

// SymbolKey returns the name under which a broker's variants of a symbol are
// grouped: upper case, without the suffix of the broker (EURUSD.pro, EURUSDm,
// EURUSD# are EURUSD). It is for grouping only; people are shown the raw name.
// A bare m is taken off only where it is the one lower-case letter, so that
// names that end in M keep it.
func SymbolKey(raw string) string {
	s := strings.TrimSpace(raw)
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
