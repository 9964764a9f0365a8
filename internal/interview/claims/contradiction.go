package claims

import (
	"math"
	"slices"
)

// Contradiction is two claims about one topic that cannot both be true.
type Contradiction struct {
	Topic       Topic
	First, Then Claim
}

// Contradictions finds, for each topic, the first two claims that contradict
// each other.
func Contradictions(all []Claim) (found []Contradiction) {
	for _, topic := range Topics() {
		var of []Claim
		for _, c := range all {
			if c.Topic == topic {
				of = append(of, c)
			}
		}
		if c, ok := firstContradiction(of); ok {
			found = append(found, c)
		}
	}
	return found
}

func firstContradiction(of []Claim) (found Contradiction, ok bool) {
	for i := range of {
		for j := i + 1; j < len(of); j++ {
			if IsContradiction(of[i], of[j]) {
				return Contradiction{of[i].Topic, of[i], of[j]}, true
			}
		}
	}
	return found, false
}

// SameSize is the factor by which two values may differ that people use for the
// same thing.
const SameSize = 1.5

// IsContradiction reports whether two claims about a topic cannot both be true. A
// trader with several trading hours may name one after the other, and need not name
// all instruments at once.
func IsContradiction(a, b Claim) bool {
	switch {
	case a.Topic == Hours, a.Topic == StrategyLength, a.allowsClaim(b), b.allowsClaim(a):
		return false
	case len(a.On) > 0 && len(b.On) > 0 && !slices.ContainsFunc(a.On, func(s string) bool { return isAmong(s, b.On) }):
		return false // gold may be held for minutes, and the euro for days
	case a.Op == Is && b.Op == Is:
		return a.Bool != b.Bool && (a.About == b.About || a.About == "" || b.About == "")
	case a.Op == OneOf && b.Op == OneOf:
		return a.Only && hasOthers(b.Set, a.Set) || b.Only && hasOthers(a.Set, b.Set)
	case a.Unit != b.Unit || a.Currency != b.Currency:
		return false
	}
	lowA, highA := a.StatedInterval()
	lowB, highB := b.StatedInterval()
	slack := 1.0
	if a.Unit != Count || a.Approximate || b.Approximate {
		slack = SameSize
	}
	return lowA > highB*slack || lowB > highA*slack
}

// StatedInterval returns the interval that a claim states.
func (c Claim) StatedInterval() (low, high float64) {
	switch c.Op {
	case AtMost:
		return 0, c.Value
	case AtLeast:
		return c.Value, math.Inf(1)
	case Range:
		return min(c.Value, c.High), max(c.Value, c.High)
	case Equal, Is, OneOf:
	}
	return c.Value, c.Value
}

// allowsClaim reports whether a claim is too loose to contradict another: one about some
// cases, or about most of them where the other is not about each.
func (c Claim) allowsClaim(o Claim) bool {
	return c.Modality == Sometimes || c.Modality == Usually && (o.Modality == Plain || c.Topic == News)
}

// SameAs reports whether two claims say the same about one topic in one segment.
func (c Claim) SameAs(o Claim) bool {
	return c.SegmentID == o.SegmentID && c.Topic == o.Topic && c.Op == o.Op && c.Value == o.Value && c.High == o.High && c.Bool == o.Bool &&
		slices.Equal(c.Set, o.Set)
}

// hasOthers reports whether something of a set is not in the set of a claim.
func hasOthers(set, of []string) bool {
	return slices.ContainsFunc(set, func(s string) bool { return !isAmong(s, of) })
}

// isAmong reports whether an instrument or a class is in a set, as itself, by its class, or as the
// class of one in it.
func isAmong(s string, set []string) bool {
	_, class := classifySymbol(s)
	return slices.ContainsFunc(set, func(o string) bool {
		_, of := classifySymbol(o)
		return o == s || class != "" && o == class || of != "" && of == s
	})
}
