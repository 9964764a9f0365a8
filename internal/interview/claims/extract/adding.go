package extract

import (
	"slices"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/clause"
	"github.com/assayhq/assay/internal/interview/claims/rules"
	"github.com/assayhq/assay/internal/interview/claims/words"
)

// Words for what a position does while the trader adds to it.
var (
	losingWords = []string{
		"against me", "drop", "drops", "fall", "falls", "dips", "dip", "goes down", "going down", "is down", "lower", "cheaper", "minus", "red", "loser", "losers", "losing",
		"drawdown", "better price", "better level", "better average", "worse", "on the way down",
	}
	winningWords = []string{"profit", "my way", "winner", "winners", "winning", "my favor", "my favour", "green", "goes up", "break even"}
)

// readAdding reads whether the trader adds to positions that lose (averaging) or win (scaling), which the condition beside
// the clause may say: "if it drops, I add".
func readAdding(s claims.Segment, clauses []clause.Clause, i int, asked Asked) []claims.Claim {
	c := clauses[i]
	if c.IsVoid() || c.Foreign || !slices.ContainsFunc(c.Tokens, func(t words.Token) bool { return words.IsListed(t.Text, words.SelfPronouns) }) && clause.SubjectOf(c.Tokens) != clause.Nothing {
		return nil
	}
	at := -1
	for _, phrase := range rules.Adding {
		if found := c.Tokens.FindPhrase(phrase); found >= 0 && (at < 0 || found < at) {
			at = found
		}
	}
	if at < 0 || c.Tokens.HasPhrase("add up", "adds up", "to add that", "add value", "add anything to") {
		return nil
	}
	st := readPart(s, c, c.Tokens)
	around := slices.Clone(c.Tokens)
	if i > 0 && clause.ConditionOf(clauses[i-1].Tokens) != "" && !clauses[i-1].Unreal {
		around = append(around, clauses[i-1].Tokens...)
	}
	if i+1 < len(clauses) && clause.ConditionOf(clauses[i+1].Tokens) != "" {
		around = append(around, clauses[i+1].Tokens...)
	}
	loses, wins := around.HasPhrase(losingWords...), around.HasPhrase(winningWords...)
	denied := st.isNegated(at)
	if !loses && !wins && denied && words.Tokenize(claims.Segment{Text: asked.Prompt}).HasPhrase("against you") {
		loses = true
	}
	if loses == wins {
		return nil
	}
	about := "scaling"
	if loses {
		about = "averaging"
	}
	st.addClaim(claims.Claim{Topic: claims.Averaging, About: about, Op: claims.Is, Bool: !denied}, at, min(at+1, len(c.Tokens)-1))
	return st.claims
}

// readOpposite reads that the trader opens the opposite position: "if I am in a buy, I open a sell".
func readOpposite(s claims.Segment, clauses []clause.Clause, i int) []claims.Claim {
	c := clauses[i]
	if c.IsVoid() || c.Foreign || c.Tokens.HasNegation() {
		return nil
	}
	for _, sides := range [][2][]string{{{"a sell", "a short", "sells"}, {"a buy", "long", "a long", "buys"}}, {{"a buy", "a long", "buys"}, {"a sell", "short", "a short", "sells"}}} {
		opens := c.Tokens.HasPhrase("open", "add", "put on", "place") && c.Tokens.HasPhrase(sides[0]...)
		if !opens || c.Tokens.HasPhrase("close") {
			continue
		}
		for j := max(0, i-2); j < i; j++ {
			if clause.ConditionOf(clauses[j].Tokens) != "" && !clauses[j].Foreign && clauses[j].Tokens.HasPhrase(sides[1]...) && clauses[j].Tokens.HasPhrase("i am", "am in", "i have") {
				st := readPart(s, c, c.Tokens)
				st.Conditional = true
				st.addClaim(claims.Claim{Topic: claims.Averaging, About: "hedging", Op: claims.Is, Bool: true}, 0, len(c.Tokens)-1)
				return st.claims
			}
		}
	}
	return nil
}
