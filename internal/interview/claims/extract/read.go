package extract

import (
	"slices"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/clause"
	"github.com/assayhq/assay/internal/interview/claims/words"
)

// readClause reads the clause i.
func (r *reader) readClause(s claims.Segment, clauses []clause.Clause, i int, asked Asked) {
	clauses[i] = r.completeUnit(withPercent(clauses[i], asked.Topic), asked.Topic)
	c := clauses[i]
	c.AboutTrades = asked.Topic == claims.TradesPerDay || r.topic == claims.TradesPerDay || r.namesTrades
	r.namesTrades = r.namesTrades || c.Tokens.HasPhrase("trades", "entries", "setups")
	clauses[i] = c
	switch {
	case len(c.Tokens) == 1 && words.IsListed(c.Tokens[0].Text, words.Connectors, []string{"but"}):
		return
	case clause.IsQuestion(c.Tokens):
		if asked := readSupposed(s, c.Tokens); len(asked) > 0 {
			r.pending = asked
		}
		r.noteTopics(c)
		return
	case r.readAnswer(s, clauses, i, asked):
		return
	case isTopicAlone(c.Tokens) && !c.Tokens.HasNegation() && (asked.Topic == "" || i+1 < len(clauses) && isAnswerAlone(clauses[i+1].Tokens)):
		r.pending = readSupposed(s, c.Tokens)
		r.noteTopics(c)
		return
	case (asked.Topic == claims.OtherPeople || asked.Topic == claims.AccountSharing) && isByOthers(c) || asked.Topic == claims.AccountSharing && isWithSomebody(c.Tokens),
		asked.Topic == claims.OtherPeople && i == 0 && isPersonAlone(c.Tokens) && len(asked.statedByYes()) > 0:
		st := readPart(s, c, c.Tokens)
		st.addClaim(claims.Claim{Topic: asked.Topic, Op: claims.Is, Bool: true}, 0, len(c.Tokens)-1)
		r.claims = append(r.claims, st.claims...)
		return
	}
	r.pending = nil
	if r.closesList(c.Tokens) {
		return
	}
	people := readPeople(s, c, asked.Topic, r.person)
	r.claims = append(r.claims, people...)
	if found, ok := stopForTheDay(s, clauses, i, asked.Topic); ok {
		r.claims = append(r.claims, found)
		return
	}
	if asked.Topic == claims.MaxLossDay && isLevel(c) && i+1 < len(clauses) && goesOnTrading(&clauses[i+1]) {
		r.noteTopics(c)
		return
	}
	if found, ok := startedAgo(s, c, asked.Topic); ok {
		r.claims = append(r.claims, found)
		r.noteTopics(c)
		return
	}
	if c.IsVoid() || clause.ConditionOf(c.Tokens) != "" {
		if c.Link == clause.Inside && c.Unreal {
			r.pending = readSupposed(s, c.Tokens) // "they ask me if I use a bot, and no, I don't"
		}
		r.noteTopics(c)
		return
	}
	if !r.placeInZone(s, c) {
		r.readStatements(s, clauses, i, asked, people)
	}
}

// readStatements reads what clause i states. people are the statements about other people that were found in it.
func (r *reader) readStatements(s claims.Segment, clauses []clause.Clause, i int, asked Asked, people []claims.Claim) {
	c := clauses[i]
	r.claims = r.claims[:len(r.claims)-len(people)]
	r.dropOtherTrading(c)
	c.Unsure = c.Unsure || i+1 < len(clauses) && isAfterthought(clauses[i+1].Tokens) && (i+2 == len(clauses) || clauses[i+2].Link != clause.Inside)
	found := withoutAbsence(r.claimsOf(s, c, asked), clauses, i)
	people = slices.DeleteFunc(people, func(p claims.Claim) bool { // whose quote is the whole clause
		return slices.ContainsFunc(found, func(f claims.Claim) bool { return p.Topic == f.Topic && p.Bool == f.Bool })
	})
	found = slices.DeleteFunc(found, func(f claims.Claim) bool {
		return slices.ContainsFunc(people, func(p claims.Claim) bool { return p.Topic == f.Topic || p.Bool && f.Topic == claims.OtherPeople })
	})
	if len(found) == 0 && !c.Foreign {
		found = r.readPronoun(s, c)
		if c.Link == clause.Against {
			r.replacesEarlier(found)
		}
		found = slices.Concat(found, r.readExplanation(s, clauses, i), aroundNews(s, clauses, i), lossAtStop(s, clauses, i))
	}
	found = slices.Concat(found, withoutKnown(readAdding(s, clauses, i, asked), found), withoutKnown(readOpposite(s, clauses, i), found))
	found = slices.Concat(people, found)
	r.placeInDay(s, c, found)
	if c.Link == clause.Instead {
		found = r.takeBack(s, c, found)
	}
	r.claims = append(r.claims, found...)
	r.noteTopics(c)
}

// withoutKnown drops what is stated already.
func withoutKnown(next, found []claims.Claim) []claims.Claim {
	return slices.DeleteFunc(next, func(n claims.Claim) bool {
		return slices.ContainsFunc(found, func(f claims.Claim) bool { return f.Topic == n.Topic && f.About == n.About })
	})
}
