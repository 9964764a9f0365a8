package extract

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/clause"
	"github.com/assayhq/assay/internal/interview/claims/words"
)

// awayWords say that somebody does not trade at a time, or does something else. tradingWords say the opposite.
var (
	awayWords = []string{
		"flat", "pause", "pauses", "pausing", "break", "breaks", "done", "finished", "analysis", "analyze", "analyse", "study", "studying", "journal",
		"journaling", "backtest", "backtesting", "prepare", "preparation", "gym", "sleep", "sleeping", "asleep", "work", "working", "job", "shift", "office",
		"school", "university", "class", "lunch", "dinner", "breakfast", "commute", "rest", "resting", "nap", "away", "closed", "busy",
		"avoid", "avoids", "avoiding", "sidelines",
	}
	awayPhrases  = []string{"out of", "stay out", "stays out", "staying out", "am out", "stay off", "sit out", "step aside", "stop trading", "look at charts"}
	tradingWords = []string{"trade", "trades", "traded", "trading", "scalp", "scalps", "scalping", "session", "sessions", "entries", "enter", "execute", "active"}
)

// presence is what a word says about whether somebody trades.
type presence int

const (
	unsaid presence = iota
	trades
	isAbsent
)

// presenceAt returns what the words that end at token i say.
func presenceAt(tokens words.Tokens, i int) presence {
	before := tokens.TextAt(i - 1)
	switch text := tokens[i].Text; {
	case slices.ContainsFunc(awayPhrases, func(p string) bool { return tokens[max(0, i-2) : i+1].EndsWith(p) }):
		return isAbsent
	case words.IsListed(text, awayWords):
		if text == "lunch" && tokens.TextAt(i+1) == "time" || words.IsListed(before, []string{"after", "before", "from", "until", "till", "without"}) || words.IsListed(tokens.TextAt(i-2), []string{"after", "before"}) {
			return unsaid // "after work"
		}
		return isAbsent
	case before == "only" && words.IsListed(text, []string{"evenings", "mornings", "afternoons", "nights"}), tokens[max(0, i-3):i+1].EndsWith("only in the evening", "only in the evenings"):
		return trades
	case words.IsListed(text, tradingWords):
		if words.IsListed(before, []string{"stop", "stops", "stopped", "quit", "avoid", "no"}) {
			return isAbsent
		}
		return trades
	}
	return unsaid
}

// isAway reports whether hours, or a session, are those at which the trader does not trade: "I stay out of the market
// from two to four". The nearest words before them decide, or what is said of the trader behind them: "from two to
// four I am flat".
func (st *statement) isAway(c words.ClockRange) bool {
	for i := c.First - 1; i >= 0; i-- {
		if p := presenceAt(st.tokens, i); p != unsaid {
			return p == isAbsent
		}
	}
	for i := c.Last + 1; i < min(len(st.tokens), c.Last+9); i++ {
		switch presenceAt(st.tokens, i) {
		case trades:
			return false
		case isAbsent:
			own := slices.ContainsFunc(st.tokens[c.Last+1:i], func(t words.Token) bool { return words.IsListed(t.Text, words.SelfPronouns) })
			return own || i == c.Last+1 || words.IsListed(st.tokens[i].Text, []string{"avoid", "closed"})
		case unsaid:
		}
	}
	return false
}

// isAbsence reports whether a clause says that the trader does something else at a time that the clause before it
// names by itself: "from two to four, I am at the gym".
func isAbsence(before, c words.Tokens) bool {
	if !words.IsListed(before[0].Text, []string{"from", "between", "at"}) || !clause.IsFragment(before[max(0, len(before)-4):]) || len(before) > 8 || len(c) < 2 ||
		!words.IsListed(c[0].Text, words.SelfPronouns) || len(c.FindClocks()) > 0 || c.HasPhrase("news") {
		return false
	}
	for i := range c {
		if p := presenceAt(c, i); p != unsaid {
			return p == isAbsent
		}
	}
	return false
}

// withoutAbsence drops hours at which the trader does something else, as the next clause says.
func withoutAbsence(found []claims.Claim, clauses []clause.Clause, i int) []claims.Claim {
	if i+1 == len(clauses) || !isAbsence(clauses[i].Tokens, clauses[i+1].Tokens) {
		return found
	}
	return slices.DeleteFunc(found, func(f claims.Claim) bool { return f.Topic == claims.Hours })
}

// partOfDay returns the part of the day that words name: "only evenings". It is empty if they name none.
func partOfDay(tokens words.Tokens) string {
	switch {
	case tokens.HasPhrase("evening", "evenings", "after work", "night", "nights"):
		return "evening"
	case tokens.HasPhrase("afternoon", "afternoons"):
		return "afternoon"
	}
	return ""
}

// placeInDay puts hours into the part of the day that a clause before them names: "evenings only. Seven to ten".
func (r *reader) placeInDay(s claims.Segment, c clause.Clause, found []claims.Claim) {
	hours := false
	for i := range found {
		f := &found[i]
		if f.Topic != claims.Hours {
			continue
		}
		if hours = true; f.EitherHalf && r.part != "" && f.Value >= 1+3*float64(toInt(r.part == "evening")) && f.Value < 12 {
			f.Value, f.High, f.EitherHalf = f.Value+12, f.High+12, false
			f.ID = hashClaim(*f)
		}
		_, explicit := readPart(s, c, c.Tokens).namedZone()
		r.implied = !explicit
	}
	if !hours && !c.Tokens.HasNegation() {
		r.part = cmp.Or(partOfDay(c.Tokens), r.part)
	}
}

// isSessionDenied reports whether the session from one token to another is denied. "Never" and "no" directly behind a
// session deny this alone: "New York never, London always".
func (st *statement) isSessionDenied(first, last int) bool {
	next := st.tokens.TextAt(last + 1)
	if next == "never" || words.IsListed(next, []string{"no", "not", "none"}) && last+2 == len(st.tokens) {
		return true
	}
	several := 0
	denied := st.Flipped
	for i, t := range st.tokens {
		for _, s := range sessions {
			if !st.tokens[i:].BeginsWithPhrase(s.phrase) {
				continue
			}
			several++
			end := i + len(strings.Fields(s.phrase))
			if strings.HasPrefix(st.tokens.TextAt(end), "session") {
				end++
			}
			if end < first && st.tokens.TextAt(end) == "never" && last+1 < len(st.tokens) {
				denied = !denied // what is denied is the session before; in "London never New York", it may be either
			}
		}
		if i >= max(0, first-negationReach) && i < first && words.IsNegation(t.Text) && st.tokens.TextAt(i+1) != "and" && !st.notAll(i, first) {
			denied = !denied
		}
	}
	if several == 1 {
		return st.isNegated(first)
	}
	return denied
}
