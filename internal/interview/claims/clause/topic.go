package clause

import (
	"slices"
	"strings"
	"sync"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/rules"
	"github.com/assayhq/assay/internal/interview/claims/words"
)

// topicPhrases are the phrases that name a yes-or-no topic, each as its words.
var topicPhrases = sync.OnceValue(func() (all [][]string) {
	for _, rule := range rules.BoolRules {
		if !words.IsListed(string(rule.Topic), []string{string(claims.StopLossUse), string(claims.EAUse), string(claims.News), string(claims.Averaging)}) || rule.Others {
			continue
		}
		for _, phrase := range rule.Triggers {
			all = append(all, strings.Fields(phrase))
		}
	}
	return all
})

// TopicEnd returns where the words end that name a yes-or-no topic from token i on, with describing words before it: "the
// red folder news". It is i if there are none.
func TopicEnd(tokens words.Tokens, i int) int {
	end := i
	for at := i; at < min(i+4, len(tokens)); at++ {
		for _, phraseWords := range topicPhrases() {
			if tokens[at:].StartsWith(phraseWords) {
				end = max(end, at+len(phraseWords))
			}
		}
		if end <= at && !words.IsListed(tokens[at].Text, words.Determiners, []string{"big", "high", "impact", "red", "folder", "economic", "trading", "such"}) {
			break
		}
	}
	return end
}

// frontsTopic reports whether token i begins a clause that names its topic before its subject, or has it as its subject: "on
// news I go flat", "robots I don't believe in", "hedging is not allowed".
func frontsTopic(tokens words.Tokens, i int) bool {
	at := i
	if words.IsListed(tokens.TextAt(at), []string{"on", "at", "in", "with", "for", "about", "around", "during", "through"}) {
		at++
	}
	end := TopicEnd(tokens, at)
	if end == at {
		return false
	}
	next, after := tokens.TextAt(end), tokens.TextAt(end+1)
	if words.IsListed(next, words.SelfPronouns, words.OtherPronouns) {
		return words.IsVerb(after) || words.IsListed(after, words.Adverbs)
	}
	return at == i && words.IsListed(next, []string{"is", "are", "does"}) && after != ""
}

// topicAt reports whether such a clause begins at token i without a conjunction, or one that names what the trader does not
// do: "doubling up, not at all".
func topicAt(tokens words.Tokens, begin, i int) bool {
	before := tokens[i-1].Text
	ends := words.IsListed(before, []string{"all", "too", "again", "now", "either"})
	if needsObject(tokens, i-1) || words.IsListed(before, words.Adverbs) && !ends || words.IsListed(before, words.Auxiliaries, words.Connectors, words.PastVerbs, words.ThirdVerbs, words.BeliefVerbs, words.Negations) || words.IsListed(before, words.RelativeHeads) && !ends || words.IsSubject(before) || !isComplete(tokens[begin:i]) {
		return false
	}
	for _, phraseWords := range topicPhrases() {
		if !tokens[i:].StartsWith(phraseWords) {
			continue
		}
		if end := i + len(phraseWords); strings.HasSuffix(phraseWords[0], "ing") && !words.IsListed(before, []string{"am", "of"}) && endsClauseDenied(tokens[end:]) ||
			words.IsListed(tokens.TextAt(end), words.SelfPronouns) && words.IsListed(tokens.TextAt(end+1), words.Auxiliaries) && words.IsNegation(tokens.TextAt(end+2)) {
			return true
		}
	}
	return false
}

// endsClauseDenied reports whether the next words are a denial with at most a few words before it: "after a loss, not at all".
func endsClauseDenied(behind words.Tokens) bool {
	for n := range min(5, len(behind)) {
		if behind[n:].BeginsWithPhrase("not at all") || behind[n:].BeginsWithPhrase("no way") {
			return true
		}
		if words.IsSubject(behind[n].Text) {
			return false
		}
	}
	return false
}

// hasOwnObject reports whether the clause that begins with a pronoun at token i has an object, so that it does not qualify
// the word before it: "an EA that does the whole thing, I only switch it off".
func hasOwnObject(tokens words.Tokens, i int) bool {
	at := i + 1
	for words.IsListed(tokens.TextAt(at), words.Auxiliaries, words.Adverbs) {
		at++
	}
	return at > i && words.IsListed(tokens.TextAt(at+1), []string{"it", "them"}) && !words.IsSubject(tokens.TextAt(at))
}

// comparesAt reports whether "the better the setup, the more I put" begins at token i.
func comparesAt(tokens words.Tokens, begin, i int) bool {
	comparative := func(at int) bool {
		return tokens.TextAt(at) == "the" && words.IsListed(tokens.TextAt(at+1), []string{"better", "bigger", "higher", "stronger", "more", "less", "longer", "worse", "smaller", "lower", "wider", "tighter"})
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
func isLeftAt(tokens words.Tokens, i int) bool {
	return tokens[i].Text == "what" && words.IsListed(tokens.TextAt(i+1), []string{"is", "remains"}) && slices.ContainsFunc(tokens[i+2:min(i+6, len(tokens))], func(t words.Token) bool { return t.Text == "is" })
}
