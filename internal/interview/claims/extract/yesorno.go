package extract

import (
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/clause"
	"github.com/assayhq/assay/internal/interview/claims/rules"
	"github.com/assayhq/assay/internal/interview/claims/words"
)

// yesOrNo applies a rule: the first of its phrases counts.
func (st *statement) yesOrNo(rule rules.BoolRule) {
	if st.hasAny(rule.Unless) || st.refersToAsked(rule.Topic) || rule.Topic != claims.AccountSharing && rule.Topic != claims.OtherPeople && st.hasAny(otherTrading) {
		return
	}
	if st.asked == claims.News && rule.Topic == claims.News && st.hasAny(rule.Off) && !st.hasAny(rule.Triggers) {
		st.addClaim(claims.Claim{Topic: claims.News, Op: claims.Is}, 0, len(st.tokens)-1)
		return
	}
	for pass, phrases := range [][]string{rule.Ends, rule.Inverted, rule.Triggers} {
		for _, phrase := range phrases {
			if !st.tokens.HasPhrase(phrase) {
				continue
			}
			phraseWords := strings.Fields(phrase)
			at := st.tokens.FindWords(phraseWords, 0)
			if words.IsListed(phraseWords[0], []string{"not", "never", "or", "nor"}) || phrase == "no stop" { // what makes a verb of "average"
				at, phraseWords = at+1, phraseWords[1:]
			}
			if at < 0 || pass == 0 && !st.hasAny(rules.Closing) || pass == 2 && !st.isVerbNear(rule, at, at+len(phraseWords)) ||
				rule.Others && !st.byOthers(at) || rule.Topic == claims.AccountSharing && pass == 1 && !st.ofAccess() ||
				rule.Topic == claims.EAUse && pass == 1 && (st.tokens[:at].HasPhrase("manage", "managing", "am out", "get out") || isPartOfTrading(st.tokens[:at])) {
				continue
			}
			if pass == 2 && !st.fragment && st.isGeneral(at, at+len(phraseWords)) {
				return
			}
			if pass == 2 && st.isOtherKind(rule, at, at+len(phraseWords)) {
				return
			}
			so := !st.isDenied(at, negationReach)
			if pass < 2 { // "not only me", "don't trade manually", "never close before the weekend"
				so = st.isDenied(at, invertedReach+2*toInt(pass == 0))
			}
			if next := st.tokens.TextAt(at + len(phraseWords)); phraseWords[len(phraseWords)-1] == "with" && words.IsListed(next, []string{"no", "nothing", "zero"}) {
				so = !so // "I go to bed with no positions"
			}
			if st.hasAny(rule.Off) {
				so = false
			}
			if rule.Topic == claims.AccountSharing && pass == 1 && addsPeople(st.tokens[at+len(phraseWords):]) {
				so = true
			}
			if rule.Topic == claims.StopLossUse && !so && isOtherStop(st.tokens, at, at+len(phraseWords)) {
				return
			}
			if rule.Topic == claims.StopLossUse && !so && st.tokens[:at].HasPhrase("sometimes", "occasionally") {
				so = true // "sometimes I trade without a stop": mostly with one
			}
			first := at
			for j := max(0, at-negationReach); j < at; j++ {
				if words.IsNegation(st.tokens[j].Text) {
					first = j
					break
				}
			}
			c := claims.Claim{Topic: rule.Topic, About: rule.About, Op: claims.Is, Bool: so}
			if rule.Topic == claims.OtherPeople && pass == 1 && st.asked == claims.AccountSharing {
				c.Topic = claims.AccountSharing // "does anybody else trade them?" "I trade them by myself"
			}
			if rule.About == "program" && so && pass == 2 && (isForPart(st.tokens[at+len(phraseWords):]) || managesPart(st.tokens[max(0, at-5):at])) {
				c.Modality = claims.Sometimes
			}
			st.addClaim(c, first, at+len(phraseWords)-1)
			return
		}
	}
}

// refersToAsked reports whether the clause is about what was asked, and not about a topic: the subject of "it is automatic" is
// the stop, if that was the question.
func (st *statement) refersToAsked(topic claims.Topic) bool {
	return !words.IsListed(string(st.asked), []string{"", "free", string(topic), string(claims.StrategyLength)}) && len(st.context) > 1 && words.IsListed(st.context[0].Text, []string{"it", "that"}) && words.IsListed(st.context[1].Text, words.Auxiliaries)
}

// isOtherStop reports whether what is denied is a kind of stop, and not every one: "I never use a stop wider than
// twenty pips", "no trailing stops".
func isOtherStop(tokens words.Tokens, from, to int) bool {
	return words.IsListed(tokens.TextAt(from-1), []string{"trailing", "wide", "big", "tight", "guaranteed", "fixed", "far"}) ||
		words.IsListed(tokens.TextAt(to), []string{"wider", "bigger", "larger", "tighter", "smaller", "further", "over", "above", "below", "under", "beyond"}) ||
		tokens[to:].BeginsWithPhrase("of more") || tokens[to:].BeginsWithPhrase("of less") || tokens[to:].BeginsWithPhrase("more than") || tokens[to:].BeginsWithPhrase("is")
}

// isOtherKind reports whether a phrase is what the trader does not do, though nothing denies it: "rather than hedging",
// "averaging no hedging no".
func (st *statement) isOtherKind(rule rules.BoolRule, from, to int) bool {
	if st.tokens[max(0, from-4):from].HasPhrase("rather than", "instead of") {
		return true
	}
	next := st.tokens.TextAt(to)
	if from == 0 && words.IsListed(next, words.SelfPronouns) && words.IsListed(st.tokens.TextAt(to+1), []string{"find", "think", "consider", "hate", "call", "respect"}) {
		return true // "bots I find unfair"
	}
	return from == 0 && (next == "no" || next == "never") && to+1 < len(st.tokens) && slices.ContainsFunc(rules.BoolRules, func(other rules.BoolRule) bool {
		return other.Topic == rule.Topic && slices.ContainsFunc(other.Triggers, func(p string) bool { return st.tokens[to+1:].BeginsWithPhrase(p) })
	})
}

// isForPart reports whether the words behind a program say that it does a part of the
// trading: "for closing", "to set my stops".
func isForPart(behind words.Tokens) bool {
	for words.IsListed(behind.TextAt(0), []string{"that", "which", "i", "use", "only", "just"}) && !words.IsListed(behind.TextAt(1), []string{"manages", "handles", "closes", "moves", "sets", "trails", "calculates"}) {
		behind = behind[1:] // "that I use only for trailing the stop"
	}
	if words.IsListed(behind.TextAt(0), []string{"that", "which"}) && words.IsListed(behind.TextAt(1), []string{"manages", "handles", "closes", "moves", "sets", "trails", "calculates"}) {
		return true
	}
	return words.IsListed(behind.TextAt(0), []string{"for", "to"}) && len(behind) > 1 &&
		!behind.HasPhrase("trade", "trades", "trading", "everything", "all", "entries", "enter", "open", "opening")
}

// isPartOfTrading reports whether the words name either entries or exits, so that the other may be done in another
// way: "my entries are manual".
func isPartOfTrading(tokens words.Tokens) bool {
	return tokens.HasPhrase("entries", "entry", "open", "enter") != tokens.HasPhrase("exits", "exit", "close")
}

// managesPart reports whether the words before a program say that it does a part of the trading: "my stop is moved by".
func managesPart(before words.Tokens) bool {
	return before.HasPhrase("moved by", "trade manager", "managed by", "handled by", "closed by", "set by", "trailing")
}

// isGeneral reports whether the phrase from one token to another is what a general
// opinion is of: "hedging is for beginners".
func (st *statement) isGeneral(from, to int) bool {
	return from <= 2 && !words.IsListed(st.tokens.TextAt(to+1), []string{"at", "behind", "below", "above"}) && words.IsListed(st.tokens.TextAt(to), []string{"is", "are", "was", "were", "can", "makes", "make", "kills"}) && !st.deniedBehind(from) &&
		!st.tokens.HasPhrase("i", "we", "me", "my", "mine", "every", "all", "always", "place", "set", "off", "on") && !st.tokens[:from].HasNegation()
}

// addsPeople reports whether the words behind "nobody but me" or "nobody else" name somebody
// else: "and my brother", "apart from my brother".
func addsPeople(behind words.Tokens) bool {
	i := 0
	for words.IsListed(behind.TextAt(i), []string{"and", "or", "but", "except", "besides", "apart", "from", "other", "than", "just"}) || i > 0 && words.IsListed(behind.TextAt(i), words.Determiners) {
		i++
	}
	return i > 0 && words.IsListed(behind.TextAt(i), words.People) && !behind.HasNegation()
}

// ofAccess reports whether "only me" and "nobody else" are about the account.
func (st *statement) ofAccess() bool {
	return st.asked == claims.AccountSharing || st.asked == claims.OtherPeople ||
		st.hasAny([]string{"account", "accounts", "access", "log", "logs", "password", "login", "credentials", "uses it", "touches", "person", "trades for me"})
}

// byOthers reports whether somebody else, or nobody, does what the words at token i
// say.
func (st *statement) byOthers(i int) bool {
	return st.Foreign || st.tokens[:i].HasPhrase("nobody") || st.tokens.HasPhrase("nobody else", "anybody else", "somebody else")
}

// onlyAsked reports whether the words limit what was asked to some of it: "only CPI".
func (st *statement) onlyAsked(topic claims.Topic) bool {
	return st.asked == topic && clause.IsFragment(st.tokens) && st.tokens[0].Text == "only"
}

// isVerbNear reports whether one of the rule's verbs is near its trigger.
func (st *statement) isVerbNear(rule rules.BoolRule, from, to int) bool {
	if len(rule.Verbs) == 0 || st.onlyAsked(rule.Topic) || st.hasAny(rule.Off) || st.fragment {
		return true
	}
	if rule.Topic == claims.StopLossUse && st.hasStopThere(from, to) {
		return true
	}
	if rule.Topic == claims.StopLossUse && st.asked == claims.StopLossUse && words.IsListed(st.tokens.TextAt(to+toInt(words.IsListed(st.tokens.TextAt(to), []string{"are", "is", "goes", "sits"}))), []string{"at", "behind", "below", "above", "under"}) && from < 2 && !st.hasAny([]string{"at break", "breakeven", "at entry"}) {
		return true // "SL at the swing low"
	}
	around := append(st.wordsBetween(from-rule.Before, from), st.wordsBetween(to, to+rule.Behind)...)
	return slices.ContainsFunc(around, func(w string) bool { return slices.Contains(rule.Verbs, w) }) ||
		slices.ContainsFunc(st.wordsBetween(from, to), func(w string) bool { return slices.Contains(rule.Verbs, w) })
}
