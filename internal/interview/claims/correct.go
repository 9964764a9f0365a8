package claims

import (
	"cmp"
	"slices"
	"strings"
)

// corrections begin what takes the place of what was said before: "two days,
// sorry, I mean twenty minutes".
var corrections = [][]string{
	{"sorry"},
	{"no", "wait"},
	{"wait", "no"},
	{"i", "mean"},
	{"i", "meant"},
	{"or", "rather"},
	{"or", "better"},
	{"correction"},
	{"scratch", "that"},
	{"strike", "that"},
	{"make", "that"},
	{"no", "actually"},
	{"actually", "no"},
	{"no", "sorry"},
	{"actually"}, // the tokens hold it before values alone
	{"more", "like"},
	{"that", "is", "wrong"},
	{"no", "that", "is", "wrong"},
	{"that", "is", "not", "right"},
	{"no", "that", "is", "not", "right"},
	{"let", "me", "correct", "that"},
	{"let", "me", "correct", "myself"},
}

// correctionAt returns where what follows a correction at token i begins; 0: there
// is none. "No" corrects between two values, and so does "rather".
func correctionAt(tokens []token, begin, i int) (next int) {
	for at := i; at < len(tokens); {
		found := slices.IndexFunc(corrections, func(c []string) bool { return startsWith(tokens[at:], c) && corrects(tokens, begin, at, c) })
		switch {
		case found >= 0:
			at += len(corrections[found])
			next = at
		case (tokens[at].text == "no" || tokens[at].text == "rather") && at > begin && at+1 < len(tokens) && isNumberAt(tokens, at+1) && len(numbers(tokens[begin:i])) > 0:
			at++
			next = at
		case next > 0 && tokens[at].text == "no" && (isSubject(textAt(tokens, at+1)) || isNumberAt(tokens, at+1)):
			at++
			next = at
		default:
			return next
		}
	}
	return next
}

// corrects reports whether the words of a correction are meant as one.
func corrects(tokens []token, begin, at int, phrase []string) bool {
	before := textAt(tokens, at-1)
	switch phrase[0] {
	case "more":
		return isNumberAt(tokens, at+2) || in(textAt(tokens, at+2), hedges)
	case "i":
		return !in(before, []string{"what", "do", "if", "that", "how"})
	case "sorry":
		return !in(before, []string{"am", "feel", "not", "be"})
	case "make":
		return isNumberAt(tokens, at+2)
	}
	return at > begin || phrase[0] != "actually"
}

// reader collects what a transcript states.
type reader struct {
	segments []Segment
	claims   []Claim
	question string
	starts   []int   // how many claims there were before each clause of the answer
	topic    Topic   // of the last clause that named one
	unit     Unit    // of the last value
	pending  []Claim // what the trader has just asked, as if it were so
	answers  []answered
	spoken   antecedent
}

// answered is a yes or a no to a question.
type answered struct {
	question string
	claims   []Claim
	at       int // how many claims there were before it
}

// takenBack is how many clauses a correction reaches back.
const takenBack = 3

// segment reads a segment. What corrects may stand in the next one, as recognizers
// cut where somebody pauses.
func (r *reader) segment(s Segment, asked Asked) {
	if s.QuestionID != r.question {
		*r = reader{segments: r.segments, claims: r.claims, answers: r.answers, question: s.QuestionID, spoken: antecedent{rule: -1}}
		r.rememberAntecedent(clause{tokens: tokenize(Segment{Text: asked.Prompt})})
	}
	clauses := cut(tokenize(s))
	readManners(clauses)
	for i := range clauses {
		r.starts = append(r.starts, len(r.claims))
		r.clause(s, clauses, i, asked)
	}
}

// clause reads the clause i.
func (r *reader) clause(s Segment, clauses []clause, i int, asked Asked) {
	c := clauses[i]
	switch {
	case len(c.tokens) == 1 && in(c.tokens[0].text, connectors, []string{"but"}):
		return
	case isQuestion(c.tokens):
		if asked := suppose(s, c.tokens); len(asked) > 0 {
			r.pending = asked
		}
		r.mention(c)
		return
	case r.answer(s, clauses, i, asked):
		return
	case isTopicAlone(c.tokens) && !deniedIn(c.tokens) && asked.Topic == "":
		r.pending = suppose(s, c.tokens)
		r.mention(c)
		return
	case asked.Topic == OtherPeople && c.foreign && len(c.tokens) <= 5 && in(c.tokens[len(c.tokens)-1].text, []string{"does", "do", "is"}) && !deniedIn(c.tokens):
		st := read(s, c, c.tokens)
		st.claim(Claim{Topic: OtherPeople, Op: Is, Bool: true}, 0, len(c.tokens)-1)
		r.claims = append(r.claims, st.claims...)
		return
	case asked.Topic == AccountSharing && isWithSomebody(c.tokens):
		st := read(s, c, c.tokens)
		st.claim(Claim{Topic: AccountSharing, Op: Is, Bool: true}, 0, len(c.tokens)-1)
		r.claims = append(r.claims, st.claims...)
		return
	}
	r.pending = nil
	if found, ok := stopForTheDay(s, clauses, i, asked.Topic); ok {
		r.claims = append(r.claims, found)
		return
	}
	if found, ok := startedAgo(s, c); ok {
		r.claims = append(r.claims, found)
		r.mention(c)
		return
	}
	if c.void() || conditionOf(c.tokens) != "" {
		if c.link == inside && c.unreal {
			r.pending = suppose(s, c.tokens) // "they ask me if I use a bot, and no, I don't"
		}
		r.mention(c)
		return
	}
	if r.placeInZone(s, c) {
		return
	}
	c.unsure = c.unsure || i+1 < len(clauses) && isAfterthought(clauses[i+1].tokens)
	found := r.stated(s, c, asked)
	if len(found) == 0 && !c.foreign {
		found = r.resolved(s, c)
		if c.link == against {
			r.replacesEarlier(found)
		}
		found = slices.Concat(found, r.explained(s, clauses, i), aroundNews(s, clauses, i))
	}
	if c.link == instead {
		found = r.takeBack(s, c, found)
	}
	r.claims = append(r.claims, found...)
	r.mention(c)
}

// isWithSomebody reports whether the words are no more than who else: "me and my
// partner".
func isWithSomebody(tokens []token) bool {
	if !has(tokens, "me and", "myself and", "and me", "and i") || len(tokens) > 6 || deniedIn(tokens) {
		return false
	}
	return slices.ContainsFunc(tokens, func(t token) bool { return in(t.text, people) }) && !slices.ContainsFunc(tokens, func(t token) bool { return in(t.text, auxiliaries, thirdVerbs) })
}

// stated is what a clause states: by its own words, as a bare answer to what was
// asked, or as a value of what was spoken of before.
func (r *reader) stated(s Segment, c clause, asked Asked) []Claim {
	if asked.Topic == "" && r.topic == Instruments && has(c.tokens, "also", "too") {
		asked.Topic = Instruments // "my main pair is euro dollar, and I also like gold"
	}
	found := inClause(s, c, asked.Topic, r.unit)
	if len(found) > 0 || c.foreign {
		return found
	}
	for _, topic := range []Topic{asked.Topic, r.topic} {
		if topic == "" || topic == r.topic && topic != asked.Topic && !isRemark(c.tokens) {
			continue
		}
		for _, part := range parts(c.tokens) {
			st := read(s, c, part)
			st.bare(topic)
			found = append(found, st.claims...)
		}
		if len(found) > 0 {
			break
		}
	}
	return found
}

// isRemark reports whether a clause is no more than a value, with "it is" at most.
func isRemark(tokens []token) bool {
	rest := tokens
	for len(rest) > 1 && (in(rest[0].text, adverbs) || in(rest[0].text, connectors)) {
		rest = rest[1:]
	}
	return in(rest[0].text, []string{"it", "that"}) || isDownTo(rest) || subjectOf(tokens) == nothing && !slices.ContainsFunc(tokens, func(t token) bool { return in(t.text, tradeVerbs, pastVerbs) })
}

// isDownTo reports whether a clause says where the trader is with what was spoken
// of: "I am down to two".
func isDownTo(tokens []token) bool {
	if len(tokens) < 3 || !startsWith(tokens, []string{"i", "am"}) {
		return false
	}
	at := 2
	for at < len(tokens) && in(tokens[at].text, []string{"down", "up", "back", "now", "at", "to", "on", "with", "left"}, adverbs) {
		at++
	}
	return at > 2 && isNumberAt(tokens, at) && len(tokens) <= at+2
}

// mention remembers what a clause speaks of, also where it states nothing.
func (r *reader) mention(c clause) {
	r.rememberAntecedent(c)
	if n := len(r.claims); n > 0 && n > r.starts[len(r.starts)-1] {
		r.topic, r.unit = r.claims[n-1].Topic, r.claims[n-1].Unit
		return
	}
	st := read(Segment{}, c, c.tokens)
	r.topic = cmp.Or(topicOf(st), r.topic)
	for _, n := range st.numbers {
		if n.unit != NoUnit {
			r.unit = n.unit
		}
	}
}

// topicOf is what the words speak of. It is empty when they speak of nothing that
// has a value.
func topicOf(st *statement) (topic Topic) {
	for _, rule := range valueRules {
		if !rule.follows && st.hasAny(rule.triggers) && !st.hasAny(rule.unless) && (len(rule.also) == 0 || st.hasAny(rule.also)) {
			topic = cmp.Or(topic, rule.topic)
		}
	}
	if topic == "" && st.lasts() >= 0 {
		return HoldingTime
	}
	return cmp.Or(topic, st.counted())
}

// counted is what the words give a number of.
func (st *statement) counted() (topic Topic) {
	for _, rule := range valueRules {
		named := func(n number) bool { return n.unit == NoUnit && st.trigger(rule, n) >= 0 }
		if rule.follows && !st.hasAny(rule.unless) && slices.ContainsFunc(st.numbers, named) {
			return rule.topic
		}
	}
	return ""
}

// takeBack drops what a correction takes the place of, and returns what it states.
// A value in it that stands alone is of the topic that it corrects. A number that
// states nothing takes all values back: one of them was wrong.
func (r *reader) takeBack(s Segment, c clause, found []Claim) []Claim {
	from := r.starts[max(0, len(r.starts)-1-takenBack)]
	for i := len(r.claims) - 1; i >= from && len(found) == 0; i-- {
		st := read(s, c, c.tokens)
		if r.claims[i].Topic == Instruments {
			st.instruments(Instruments)
		} else {
			st.bare(r.claims[i].Topic)
		}
		found = st.claims
	}
	taken := slices.DeleteFunc(slices.Clone(r.claims[from:]), func(old Claim) bool {
		return slices.ContainsFunc(found, func(f Claim) bool { return f.Topic == old.Topic && (f.Op != Is || f.About == old.About) }) || len(found) == 0 && old.Unit != NoUnit && len(numbers(c.tokens)) > 0
	})
	r.claims = append(r.claims[:from:from], taken...)
	for i := range r.starts {
		r.starts[i] = min(r.starts[i], len(r.claims))
	}
	return found
}

// stopForTheDay reads "if I lose two percent I stop for the day", which is a limit
// though it is a condition.
func stopForTheDay(s Segment, clauses []clause, i int, asked Topic) (c Claim, ok bool) {
	condition := clauses[i]
	if conditionOf(condition.tokens) == "" || condition.past && (asked != MaxLossDay || !has(condition.tokens, "have")) || condition.foreign || condition.unreal || !has(condition.tokens, "lose", "lost", "losing", "down", "loss", "hit", "drawdown", "losses") || has(condition.tokens, "up", "trade", "position") {
		return c, false
	}
	stops := asked == MaxLossDay || slices.ContainsFunc(mainsOf(clauses, i), func(m *clause) bool {
		return !m.foreign && !m.past && has(m.tokens, "stop", "done", "quit", "shut", "finish", "walk", "log", "call", "close", "off", "out", "over")
	})
	st := read(s, condition, condition.tokens)
	st.conditional = false
	for k, n := range st.numbers {
		if stops && !st.used[k] && (n.unit == Percent || n.unit == Money) {
			st.claim(st.valued(MaxLossDay, n), max(0, n.first-st.boundWords(n)), n.last)
			return st.claims[0], true
		}
	}
	return c, false
}

// mixed makes claims of several styles for one question claims of what is
// sometimes so: "I swing, and I scalp".
func mixed(claims []Claim, segments []Segment) {
	question := map[string]string{}
	for _, s := range segments {
		question[s.ID] = s.QuestionID
	}
	named := map[string][]*Claim{} // by question
	for i := range claims {
		if c := &claims[i]; c.isStyle() {
			named[question[c.SegmentID]] = append(named[question[c.SegmentID]], c)
		}
	}
	for _, all := range named {
		if !slices.ContainsFunc(all, func(c *Claim) bool { return c.Op != all[0].Op || c.Value != all[0].Value }) {
			continue
		}
		for _, c := range all {
			c.Modality = Sometimes
		}
	}
}

// isStyle reports whether the claim is made by a word such as "scalp".
func (c *Claim) isStyle() bool {
	return c.Topic == HoldingTime && slices.ContainsFunc(styles, func(s style) bool { return slices.Contains(s.words, strings.ToLower(c.Quote)) })
}
