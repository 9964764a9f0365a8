package extract

import (
	"slices"
	"strings"
	"sync"

	"github.com/assayhq/assay/internal/interview/claims"
)

// topicPhrases are the phrases that name a yes-or-no topic, each as its words.
var topicPhrases = sync.OnceValue(func() (all [][]string) {
	for _, rule := range boolRules {
		if !isListed(string(rule.topic), []string{string(claims.StopLossUse), string(claims.EAUse), string(claims.News), string(claims.Averaging)}) || rule.others {
			continue
		}
		for _, phrase := range rule.triggers {
			all = append(all, strings.Fields(phrase))
		}
	}
	return all
})

// topicEnd returns where the words end that name a yes-or-no topic from token i on, with describing words before it: "the
// red folder news". It is i if there are none.
func topicEnd(tokens []token, i int) int {
	end := i
	for at := i; at < min(i+4, len(tokens)); at++ {
		for _, words := range topicPhrases() {
			if startsWith(tokens[at:], words) {
				end = max(end, at+len(words))
			}
		}
		if end <= at && !isListed(tokens[at].text, determiners, []string{"big", "high", "impact", "red", "folder", "economic", "trading", "such"}) {
			break
		}
	}
	return end
}

// frontsTopic reports whether token i begins a clause that names its topic before its subject, or has it as its subject: "on
// news I go flat", "robots I don't believe in", "hedging is not allowed".
func frontsTopic(tokens []token, i int) bool {
	at := i
	if isListed(textAt(tokens, at), []string{"on", "at", "in", "with", "for", "about", "around", "during", "through"}) {
		at++
	}
	end := topicEnd(tokens, at)
	if end == at {
		return false
	}
	next, after := textAt(tokens, end), textAt(tokens, end+1)
	if isListed(next, selfPronouns, otherPronouns) {
		return isVerb(after) || isListed(after, adverbs)
	}
	return at == i && isListed(next, []string{"is", "are", "does"}) && after != ""
}

// topicAt reports whether such a clause begins at token i without a conjunction, or one that names what the trader does not
// do: "doubling up, not at all".
func topicAt(tokens []token, begin, i int) bool {
	before := tokens[i-1].text
	ends := isListed(before, []string{"all", "too", "again", "now", "either"})
	if needsObject(tokens, i-1) || isListed(before, adverbs) && !ends || isListed(before, auxiliaries, connectors, pastVerbs, thirdVerbs, beliefVerbs, negations) || isListed(before, relativeHeads) && !ends || isSubject(before) || !isComplete(tokens[begin:i]) {
		return false
	}
	for _, words := range topicPhrases() {
		if !startsWith(tokens[i:], words) {
			continue
		}
		if end := i + len(words); strings.HasSuffix(words[0], "ing") && !isListed(before, []string{"am", "of"}) && endsClauseDenied(tokens[end:]) ||
			isListed(textAt(tokens, end), selfPronouns) && isListed(textAt(tokens, end+1), auxiliaries) && isNegation(textAt(tokens, end+2)) {
			return true
		}
	}
	return false
}

// endsClauseDenied reports whether the next words are a denial with at most a few words before it: "after a loss, not at all".
func endsClauseDenied(behind []token) bool {
	for n := range min(5, len(behind)) {
		if beginsWithPhrase(behind[n:], "not at all") || beginsWithPhrase(behind[n:], "no way") {
			return true
		}
		if isSubject(behind[n].text) {
			return false
		}
	}
	return false
}

// hasOwnObject reports whether the clause that begins with a pronoun at token i has an object, so that it does not qualify
// the word before it: "an EA that does the whole thing, I only switch it off".
func hasOwnObject(tokens []token, i int) bool {
	at := i + 1
	for isListed(textAt(tokens, at), auxiliaries, adverbs) {
		at++
	}
	return at > i && isListed(textAt(tokens, at+1), []string{"it", "them"}) && !isSubject(textAt(tokens, at))
}

// comparesAt reports whether "the better the setup, the more I put" begins at token i.
func comparesAt(tokens []token, begin, i int) bool {
	comparative := func(at int) bool {
		return textAt(tokens, at) == "the" && isListed(textAt(tokens, at+1), []string{"better", "bigger", "higher", "stronger", "more", "less", "longer", "worse", "smaller", "lower", "wider", "tighter"})
	}
	if !comparative(i) || !isComplete(tokens[begin:i]) || needsObject(tokens, i-1) {
		return false
	}
	for at := i + 2; at < min(i+8, len(tokens)); at++ {
		if comparative(at) {
			return true
		}
	}
	return false
}

// isLeftAt reports whether "what is left is" or the like begins at token i.
func isLeftAt(tokens []token, i int) bool {
	return tokens[i].text == "what" && isListed(textAt(tokens, i+1), []string{"is", "remains"}) && slices.ContainsFunc(tokens[i+2:min(i+6, len(tokens))], func(t token) bool { return t.text == "is" })
}
