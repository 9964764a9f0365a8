package clause

import (
	"slices"

	"github.com/assayhq/assay/internal/interview/claims/rules"
	"github.com/assayhq/assay/internal/interview/claims/words"
)

// readConditions limits the clauses next to a condition, and voids what follows
// from a condition that is not true.
func readConditions(clauses []Clause) {
	for i := range clauses {
		c := &clauses[i]
		if i > 0 && words.IsListed(c.Tokens[0].Text, words.Neutral) && IsOfSizedAccount(clauses[i-1].Tokens) {
			c.Conditional = true // "on a fifty k account, that is 250 dollars"
		}
		first := ConditionOf(c.Tokens)
		if first == "" {
			continue
		}
		c.Conditional = true
		counter := c.Unreal || c.Tokens.HasPhrase("had", "were", "was", "did", "could", "would") && (i+1 == len(clauses) || !clauses[i+1].Tokens.HasPhrase("have"))
		for _, main := range MainsOf(clauses, i) {
			if first == "when" && c.Past {
				main.Past = main.Past || hasPastVerb(main.Tokens)
				continue
			}
			main.Conditional = true
			main.Unreal = main.Unreal || main.Tokens.HasPhrase("will") && (first == "once" || c.Tokens.HasPhrase("bigger", "larger", "funded", "pass"))
			main.Unreal = main.Unreal || first != "when" && counter && (!main.Tokens.HasPhrase("never", "not") || main.Tokens.HasPhrase("would"))
		}
	}
}

// MainsOf returns the clauses that a condition may limit: the previous one or, if
// the condition comes first, the next one.
func MainsOf(clauses []Clause, i int) (list []*Clause) {
	leads := i == 0 || clauses[i-1].Link == Under || clauses[i].Link != Under || clauses[i].Tokens[0].Text == "and"
	if i+1 < len(clauses) && clauses[i+1].Tokens[0].Text == "then" {
		return []*Clause{&clauses[i+1]}
	}
	ofNews := i+1 < len(clauses) && IsNewsCondition(clauses[i].Tokens) && len(clauses[max(0, i-1)].Tokens.FindClocks()) > 0
	if i > 0 && clauses[i].Link == Under && !answersBefore(clauses, i) && !leadsOn(clauses, i) && !ofNews {
		list = append(list, &clauses[i-1])
	}
	if i+1 < len(clauses) && (leads || clauses[i+1].Link == Apart) && clauses[i+1].Link != Against {
		list = append(list, &clauses[i+1])
	}
	return list
}

// answersBefore reports whether the words before condition i are a whole answer, so that it limits only the clause
// behind it: "one, if it loses I come back tomorrow".
func answersBefore(clauses []Clause, i int) bool {
	before := clauses[i-1].Tokens
	whole := len(before) == 2 && words.IsListed(before[0].Text, words.SelfPronouns) || // "I hedge"
		!before.HasVerb() && !slices.ContainsFunc(before, func(t words.Token) bool { return words.IsSubject(t.Text) })
	next := i + 1
	for next < len(clauses) && clauses[next].Link == Together {
		next++
	}
	return whole && next < len(clauses) && clauses[next].Link == Apart && words.IsListed(clauses[next].Tokens[0].Text, words.SelfPronouns)
}

// leadsOn reports whether condition i, behind a denial, is that of the clause behind it: "I don't use them, if it drops I add".
func leadsOn(clauses []Clause, i int) bool {
	return i+1 < len(clauses) && clauses[i+1].Link == Apart && words.IsListed(clauses[i+1].Tokens[0].Text, words.SelfPronouns) && ConditionOf(clauses[i].Tokens) == "if" && (clauses[i-1].Tokens.HasNegation() || clauses[i-1].Tokens.HasPhrase(rules.NewsRule().Off...)) ||
		i+1 < len(clauses) && clauses[i+1].Link == Apart && clauses[i].Tokens.HasPhrase("against me") && !clauses[i-1].Tokens.HasPhrase(rules.Adding...) // what the question asks
}

// ConditionOf returns the word that makes a clause a condition, or "" if it is
// none.
func ConditionOf(tokens words.Tokens) string {
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

// IsOfSizedAccount reports whether the words give an example for the size of an account: "on a fifty k account that is 250
// dollars".
func IsOfSizedAccount(tokens words.Tokens) bool {
	return slices.ContainsFunc(tokens.FindNumbers(), func(n words.Number) bool {
		return tokens.TextAt(n.Last+1) == "account" && words.IsListed(tokens.TextAt(n.First-1), []string{"a", "an"}) && words.IsListed(tokens.TextAt(n.First-2), []string{"on", "for", "with"})
	})
}

// IsNewsCondition reports whether a clause is the condition that there is news.
func IsNewsCondition(tokens words.Tokens) bool {
	rule := rules.NewsRule()
	return words.IsListed(ConditionOf(tokens), []string{"when", "whenever", "if"}) && tokens.HasPhrase(rule.Triggers...) && !tokens.HasPhrase(rule.Unless...) && !tokens.HasNegation()
}

func toInt(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
