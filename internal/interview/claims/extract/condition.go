package extract

import "slices"

// readConditions limits the clauses next to a condition, and voids what follows
// from a condition that is not true.
func readConditions(clauses []clause) {
	for i := range clauses {
		c := &clauses[i]
		if i > 0 && isListed(c.tokens[0].text, neutral) && ofSizedAccount(clauses[i-1].tokens) {
			c.conditional = true // "on a fifty k account, that is 250 dollars"
		}
		first := conditionOf(c.tokens)
		if first == "" {
			continue
		}
		c.conditional = true
		counter := c.unreal || hasPhrase(c.tokens, "had", "were", "was", "did", "could", "would") && (i+1 == len(clauses) || !hasPhrase(clauses[i+1].tokens, "have"))
		for _, main := range mainsOf(clauses, i) {
			if first == "when" && c.past {
				main.past = main.past || hasPastVerb(main.tokens)
				continue
			}
			main.conditional = true
			main.unreal = main.unreal || hasPhrase(main.tokens, "will") && (first == "once" || hasPhrase(c.tokens, "bigger", "larger", "funded", "pass"))
			main.unreal = main.unreal || first != "when" && counter && (!hasPhrase(main.tokens, "never", "not") || hasPhrase(main.tokens, "would"))
		}
	}
}

// mainsOf returns the clauses that a condition may limit: the previous one or, if
// the condition comes first, the next one.
func mainsOf(clauses []clause, i int) (list []*clause) {
	leads := i == 0 || clauses[i-1].link == under || clauses[i].link != under || clauses[i].tokens[0].text == "and"
	if i+1 < len(clauses) && clauses[i+1].tokens[0].text == "then" {
		return []*clause{&clauses[i+1]}
	}
	ofNews := i+1 < len(clauses) && isNewsCondition(clauses[i].tokens) && len(findClocks(clauses[max(0, i-1)].tokens)) > 0
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
	whole := len(before) == 2 && isListed(before[0].text, selfPronouns) || // "I hedge"
		!hasVerb(before) && !slices.ContainsFunc(before, func(t token) bool { return isSubject(t.text) })
	next := i + 1
	for next < len(clauses) && clauses[next].link == together {
		next++
	}
	return whole && next < len(clauses) && clauses[next].link == apart && isListed(clauses[next].tokens[0].text, selfPronouns)
}

// leadsOn reports whether condition i, behind a denial, is that of the clause behind it: "I don't use them, if it drops I add".
func leadsOn(clauses []clause, i int) bool {
	return i+1 < len(clauses) && clauses[i+1].link == apart && isListed(clauses[i+1].tokens[0].text, selfPronouns) && conditionOf(clauses[i].tokens) == "if" && (deniedIn(clauses[i-1].tokens) || hasPhrase(clauses[i-1].tokens, newsRule().off...)) ||
		i+1 < len(clauses) && clauses[i+1].link == apart && hasPhrase(clauses[i].tokens, "against me") && !hasPhrase(clauses[i-1].tokens, adds...) // what the question asks
}

// conditionOf returns the word that makes a clause a condition, or "" if it is
// none.
func conditionOf(tokens []token) string {
	if at := toInt(tokens[0].text == "and"); textAt(tokens, at) == "in" && textAt(tokens, at+1) == "case" {
		return "if"
	}
	for _, t := range tokens[:min(2, len(tokens))] {
		if isListed(t.text, []string{"if", "when", "whenever", "unless", "once"}) {
			return t.text
		}
	}
	return ""
}

// ofSizedAccount reports whether the words give an example for the size of an account: "on a fifty k account that is 250
// dollars".
func ofSizedAccount(tokens []token) bool {
	return slices.ContainsFunc(findNumbers(tokens), func(n number) bool {
		return textAt(tokens, n.last+1) == "account" && isListed(textAt(tokens, n.first-1), []string{"a", "an"}) && isListed(textAt(tokens, n.first-2), []string{"on", "for", "with"})
	})
}

// isNewsCondition reports whether a clause is the condition that there is news.
func isNewsCondition(tokens []token) bool {
	rule := newsRule()
	return isListed(conditionOf(tokens), []string{"when", "whenever", "if"}) && hasPhrase(tokens, rule.triggers...) && !hasPhrase(tokens, rule.unless...) && !deniedIn(tokens)
}
