package extract_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/extract"
)

// BenchmarkExtract reads the answers of the corpus as one segment, once and four times over. The time for a word is the
// same if reading is linear.
func BenchmarkExtract(b *testing.B) {
	var all []string
	for _, a := range corpus(b) {
		all = append(all, plainOf(spokenNumbers(a.text)))
	}
	words := strings.Fields(strings.Join(all, " "))
	for _, times := range []int{1, 4} {
		b.Run(fmt.Sprintf("%d words", times*len(words)), func(b *testing.B) {
			s := claims.Segment{ID: "s1", Text: strings.Repeat(strings.Join(words, " ")+" ", times)}
			for b.Loop() {
				extract.Claims([]claims.Segment{s}, nil)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*times*len(words)), "ns/word")
		})
	}
}
