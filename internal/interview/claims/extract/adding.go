package extract

import (
	"slices"

	"github.com/assayhq/assay/internal/interview/claims"
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
func readAdding(s claims.Segment, clauses []clause, i int, asked Asked) []claims.Claim {
	c := clauses[i]
	if c.isVoid() || c.foreign || !slices.ContainsFunc(c.tokens, func(t token) bool { return isListed(t.text, selfPronouns) }) && subjectOf(c.tokens) != nothing {
		return nil
	}
	at := -1
	for _, phrase := range adds {
		if found := findPhrase(c.tokens, phrase); found >= 0 && (at < 0 || found < at) {
			at = found
		}
	}
	if at < 0 || hasPhrase(c.tokens, "add up", "adds up", "to add that", "add value", "add anything to") {
		return nil
	}
	st := readPart(s, c, c.tokens)
	around := slices.Clone(c.tokens)
	if i > 0 && conditionOf(clauses[i-1].tokens) != "" && !clauses[i-1].unreal {
		around = append(around, clauses[i-1].tokens...)
	}
	if i+1 < len(clauses) && conditionOf(clauses[i+1].tokens) != "" {
		around = append(around, clauses[i+1].tokens...)
	}
	loses, wins := hasPhrase(around, losingWords...), hasPhrase(around, winningWords...)
	denied := st.isNegated(at)
	if !loses && !wins && denied && hasPhrase(tokenize(claims.Segment{Text: asked.Prompt}), "against you") {
		loses = true
	}
	if loses == wins {
		return nil
	}
	about := "scaling"
	if loses {
		about = "averaging"
	}
	st.addClaim(claims.Claim{Topic: claims.Averaging, About: about, Op: claims.Is, Bool: !denied}, at, min(at+1, len(c.tokens)-1))
	return st.claims
}

// readOpposite reads that the trader opens the opposite position: "if I am in a buy, I open a sell".
func readOpposite(s claims.Segment, clauses []clause, i int) []claims.Claim {
	c := clauses[i]
	if c.isVoid() || c.foreign || deniedIn(c.tokens) {
		return nil
	}
	for _, sides := range [][2][]string{{{"a sell", "a short", "sells"}, {"a buy", "long", "a long", "buys"}}, {{"a buy", "a long", "buys"}, {"a sell", "short", "a short", "sells"}}} {
		opens := hasPhrase(c.tokens, "open", "add", "put on", "place") && hasPhrase(c.tokens, sides[0]...)
		if !opens || hasPhrase(c.tokens, "close") {
			continue
		}
		for j := max(0, i-2); j < i; j++ {
			if conditionOf(clauses[j].tokens) != "" && !clauses[j].foreign && hasPhrase(clauses[j].tokens, sides[1]...) && hasPhrase(clauses[j].tokens, "i am", "am in", "i have") {
				st := readPart(s, c, c.tokens)
				st.conditional = true
				st.addClaim(claims.Claim{Topic: claims.Averaging, About: "hedging", Op: claims.Is, Bool: true}, 0, len(c.tokens)-1)
				return st.claims
			}
		}
	}
	return nil
}
