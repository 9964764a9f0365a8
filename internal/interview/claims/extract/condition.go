package extract

import (
	"slices"

	"github.com/assayhq/assay/internal/interview/claims/rules"
	"github.com/assayhq/assay/internal/interview/claims/words"
)

// readConditions limits the clauses next to a condition, and voids what follows
// from a condition that is not true.
func readConditions(clauses []clause) {
	for i := range clauses {
		c := &clauses[i]
		if i > 0 && words.IsListed(c.tokens[0].Text, words.Neutral) && ofSizedAccount(clauses[i-1].tokens) {
			c.conditional = true // "on a fifty k account, that is 250 dollars"
		}
		first := conditionOf(c.tokens)
		if first == "" {
			continue
		}
		c.conditional = true
		counter := c.unreal || c.tokens.HasPhrase("had", "were", "was", "did", "could", "would") && (i+1 == len(clauses) || !clauses[i+1].tokens.HasPhrase("have"))
		for _, main := range mainsOf(clauses, i) {
			if first == "when" && c.past {
				main.past = main.past || hasPastVerb(main.tokens)
				continue
			}
			main.conditional = true
			main.unreal = main.unreal || main.tokens.HasPhrase("will") && (first == "once" || c.tokens.HasPhrase("bigger", "larger", "funded", "pass"))
			main.unreal = main.unreal || first != "when" && counter && (!main.tokens.HasPhrase("never", "not") || main.tokens.HasPhrase("would"))
		}
	}
}

// mainsOf returns the clauses that a condition may limit: the previous one or, if
// the condition comes first, the next one.
func mainsOf(clauses []clause, i int) (list []*clause) {
	leads := i == 0 || clauses[i-1].link == under || clauses[i].link != under || clauses[i].tokens[0].Text == "and"
	if i+1 < len(clauses) && clauses[i+1].tokens[0].Text == "then" {
		return []*clause{&clauses[i+1]}
	}
	ofNews := i+1 < len(clauses) && isNewsCondition(clauses[i].tokens) && len(clauses[max(0, i-1)].tokens.FindClocks()) > 0
	if i > 0 && clauses[i].link == under && !answersBefore(clauses, i) && !leadsOn(clauses, i) && !ofNews {
		list = append(list, &clauses[i-1])
	}
	if i+1 < len(clauses) && (leads || clauses[i+1].link == apart) && clauses[i+1].link != against {
		list = append(list, &clauses[i+1])
	}
	return list
}

// answersBefore reports whether the words before condition i are a whole answer, so that it limits only the clause
// behind it: "one, if it loses I come back tomorrow".
func answersBefore(clauses []clause, i int) bool {
	before := clauses[i-1].tokens
	whole := len(before) == 2 && words.IsListed(before[0].Text, words.SelfPronouns) || // "I hedge"
		!before.HasVerb() && !slices.ContainsFunc(before, func(t words.Token) bool { return words.IsSubject(t.Text) })
	next := i + 1
	for next < len(clauses) && clauses[next].link == together {
		next++
	}
	return whole && next < len(clauses) && clauses[next].link == apart && words.IsListed(clauses[next].tokens[0].Text, words.SelfPronouns)
}

// leadsOn reports whether condition i, behind a denial, is that of the clause behind it: "I don't use them, if it drops I add".
func leadsOn(clauses []clause, i int) bool {
	return i+1 < len(clauses) && clauses[i+1].link == apart && words.IsListed(clauses[i+1].tokens[0].Text, words.SelfPronouns) && conditionOf(clauses[i].tokens) == "if" && (clauses[i-1].tokens.HasNegation() || clauses[i-1].tokens.HasPhrase(rules.NewsRule().Off...)) ||
		i+1 < len(clauses) && clauses[i+1].link == apart && clauses[i].tokens.HasPhrase("against me") && !clauses[i-1].tokens.HasPhrase(rules.Adding...) // what the question asks
}

// conditionOf returns the word that makes a clause a condition, or "" if it is
// none.
func conditionOf(tokens words.Tokens) string {
	if at := toInt(tokens[0].Text == "and"); tokens.TextAt(at) == "in" && tokens.TextAt(at+1) == "case" {
		return "if"
	}
	for _, t := range tokens[:min(2, len(tokens))] {
		if words.IsListed(t.Text, []string{"if", "when", "whenever", "unless", "once"}) {
			return t.Text
		}
	}
	return ""
}

// ofSizedAccount reports whether the words give an example for the size of an account: "on a fifty k account that is 250
// dollars".
func ofSizedAccount(tokens words.Tokens) bool {
	return slices.ContainsFunc(tokens.FindNumbers(), func(n words.Number) bool {
		return tokens.TextAt(n.Last+1) == "account" && words.IsListed(tokens.TextAt(n.First-1), []string{"a", "an"}) && words.IsListed(tokens.TextAt(n.First-2), []string{"on", "for", "with"})
	})
}

// isNewsCondition reports whether a clause is the condition that there is news.
func isNewsCondition(tokens words.Tokens) bool {
	rule := rules.NewsRule()
	return words.IsListed(conditionOf(tokens), []string{"when", "whenever", "if"}) && tokens.HasPhrase(rule.Triggers...) && !tokens.HasPhrase(rule.Unless...) && !tokens.HasNegation()
}
