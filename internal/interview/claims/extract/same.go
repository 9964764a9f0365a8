package extract

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/words"
)

// mergeSame merges claims that state the same into one, with the others' quotes.
// The firmest comes first, and among equal ones what was written, because it was
// not misheard.
func mergeSame(all []claims.Claim) (kept []claims.Claim) {
	at := map[string]int{}
	for _, c := range all {
		i, ok := at[contentKey(c)]
		if !ok {
			at[contentKey(c)] = len(kept)
			kept = append(kept, c)
			continue
		}
		first := &kept[i]
		if first.ID == c.ID || first.SegmentID == c.SegmentID && first.Quote == c.Quote && first.StartMS == c.StartMS {
			continue // an engine that repeats itself says it once
		}
		if firmer := first.Modality == claims.Sometimes && c.Modality != claims.Sometimes; firmer ||
			c.Typed && !first.Typed && (first.Modality == claims.Sometimes) == (c.Modality == claims.Sometimes) {
			*first, c = c, *first
			first.Also, c.Also = append(first.Also, c.Also...), nil
		}
		first.Also = append(first.Also, claims.Quote{ID: c.ID, Text: c.Quote, SegmentID: c.SegmentID, StartMS: c.StartMS, EndMS: c.EndMS})
	}
	return kept
}

// withoutSubsets drops instruments that the same segment names among others: "mostly Nasdaq, some Dow, but ninety percent
// Nasdaq".
func withoutSubsets(all []claims.Claim) []claims.Claim {
	return slices.DeleteFunc(slices.Clone(all), func(c claims.Claim) bool {
		return c.Topic == claims.Instruments && !c.Only && slices.ContainsFunc(all, func(o claims.Claim) bool {
			return o.Topic == claims.Instruments && o.SegmentID == c.SegmentID && o.Modality != claims.Sometimes && len(o.Set) > len(c.Set) &&
				!slices.ContainsFunc(c.Set, func(x string) bool { return !slices.Contains(o.Set, x) })
		})
	})
}

// contentKey returns what a claim states, in whatever words.
func contentKey(c claims.Claim) string {
	return fmt.Sprintf("%s|%s|%s|%g|%g|%t|%s|%t|%s|%s|%s|%s", c.Topic, c.About, c.Op, c.Value, c.High, c.Bool, strings.Join(c.Set, ","), c.Only, strings.Join(c.On, ","), c.Zone, c.Unit, c.Currency)
}

// leastValueConfidence is the confidence below which a number or its unit is not
// trusted, whatever the words around it.
const leastValueConfidence = 0.3

// grammatical are words that carry no value of their own.
var grammatical = []string{
	"i", "we", "my", "our", "the", "a", "an", "of", "for", "on", "in", "at", "to", "with", "and", "or", "is", "are", "am", "it", "that", "this", "do",
	"be", "have", "per", "as", "by", "from", "than",
}

// wordConfidence returns how sure the engine is about the words that carry the
// value: the geometric mean of the content words from first to last. A number or
// unit that is hardly recognized decides alone.
func (st *statement) wordConfidence(first, last int) *float64 {
	sum, n, least := 0.0, 0, 1.0
	known := false
	for i, t := range st.tokens[first : last+1] {
		if t.Confidence == nil {
			continue
		}
		known = true
		if words.IsListed(t.Text, grammatical) {
			continue
		}
		x := min(max(*t.Confidence, 1e-6), 1)
		sum, n = sum+math.Log(x), n+1
		if slices.ContainsFunc(st.numbers, func(x words.Number) bool { return x.First <= first+i && first+i <= x.Last }) {
			least = min(least, x)
		}
	}
	switch {
	case !known:
		return nil
	case least < leastValueConfidence:
		return &least
	case n == 0:
		return st.tokens[first].Confidence
	}
	return new(math.Exp(sum / float64(n)))
}
