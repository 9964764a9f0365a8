package clause_test

import (
	"testing"
	"unicode/utf8"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/clause"
	"github.com/assayhq/assay/internal/interview/claims/words"
)

// FuzzCut checks that words are cut into clauses that are all in the text, in its
// order, whatever the text and the pauses are.
func FuzzCut(f *testing.F) {
	f.Add("I hold for twenty minutes. I never said that I trade the news, no, sorry: 2–3 % a day", 600)
	f.Add("yeah right i'm out at 9:30 a.m. and then no one else logs in", 0)
	f.Add("no no no yes İ ſ ’n’ $ €5k half past half", 100000)
	f.Fuzz(func(t *testing.T, text string, gap int) {
		s := claims.Segment{Text: text, EndMS: 1 << 30}
		for at, w := 0, 0; at < len(text) && w < 1000; w++ {
			_, size := utf8.DecodeRuneInString(text[at:])
			s.Words = append(s.Words, claims.Word{Text: text[at : at+size], StartMS: w * gap % (1 << 30), EndMS: w * gap % (1 << 30)})
			at += size
		}
		clauses := clause.Cut(words.Tokenize(s))
		clause.ReadManners(clauses)
		last := 0
		for _, c := range clauses {
			if len(c.Tokens) == 0 {
				t.Fatal("a clause without words")
			}
			for _, w := range c.Tokens {
				if w.Start < last || w.End <= w.Start || w.End > len(text) {
					t.Fatalf("a word from %d to %d behind %d of %d bytes", w.Start, w.End, last, len(text))
				}
				last = w.Start
			}
		}
	})
}
