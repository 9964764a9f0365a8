package claims

import (
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
	{"correction"},
	{"scratch", "that"},
	{"make", "that"},
	{",", "no", ","},
	{",", "actually"},
	{"no", "actually"},
}

// correctionAt returns where what follows a correction at token i begins; 0: there
// is none.
func correctionAt(tokens []token, i int) (next int) {
	for at := i; at < len(tokens); {
		found := slices.IndexFunc(corrections, func(c []string) bool { return startsWith(tokens[at:], c) })
		switch {
		case found >= 0:
			at += len(corrections[found])
			next = at
		case next > 0 && tokens[at].text == ",":
			at++
			next = at
		default:
			return next
		}
	}
	return next
}

// piece is a stretch of a sentence between corrections.
type piece struct {
	tokens   []token
	corrects bool // it takes the place of what was said before
}

// pieces cuts a part of a sentence at corrections, which are left out.
func pieces(part []token) (list []piece) {
	begin, corrects := 0, false
	for i := 0; i < len(part); i++ {
		next := correctionAt(part, i)
		if next == 0 {
			continue
		}
		if i > begin {
			list = append(list, piece{part[begin:i], corrects})
		}
		begin, corrects, i = next, true, next-1
	}
	if begin < len(part) {
		list = append(list, piece{part[begin:], corrects})
	}
	return list
}

// reader collects the claims of a transcript.
type reader struct {
	claims   []Claim
	question string
	before   int // the first claim of the sentence before
	sentence int // the first claim of this one
}

// segment reads a segment. What corrects may stand in the next one, as recognisers
// cut where somebody pauses.
func (r *reader) segment(s Segment, asked Topic) {
	if s.QuestionID != r.question {
		r.question, r.sentence = s.QuestionID, len(r.claims)
	}
	for _, sentence := range sentences(s) {
		r.before, r.sentence = r.sentence, len(r.claims)
		for _, part := range presentParts(sentence) {
			for _, p := range pieces(part) {
				r.piece(s, p, asked)
			}
		}
	}
}

// piece reads a piece. A correction takes back what was claimed of its topics, and
// a value in it that stands alone is of the topic that it corrects. A number that
// makes no claim takes all values back: one of them was wrong.
func (r *reader) piece(s Segment, p piece, asked Topic) {
	found := inPart(s, p.tokens, asked)
	if p.corrects {
		from := r.sentence
		if from == len(r.claims) {
			from = r.before
		}
		for i := len(r.claims) - 1; i >= from && len(found) == 0; i-- {
			found = inPart(s, p.tokens, r.claims[i].Topic)
		}
		taken := r.claims[from:]
		r.claims = append(r.claims[:from:from], slices.DeleteFunc(slices.Clone(taken), func(c Claim) bool {
			return slices.ContainsFunc(found, func(f Claim) bool { return f.Topic == c.Topic }) || len(found) == 0 && c.Unit != NoUnit && len(numbers(p.tokens)) > 0
		})...)
		r.sentence = min(r.sentence, len(r.claims))
	}
	r.claims = append(r.claims, found...)
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

// Words that make what is said in a clause less than firm.
var (
	unsure = []string{
		"maybe", "perhaps", "possibly", "probably", "i guess", "i think", "i suppose", "i believe", "not sure", "don't know", "dont know", "no idea", "don't remember", "can't remember",
		"hard to say", "might", "could", "may", "try to", "trying to", "try not",
	}
	// conditions limit to some cases, but for limits of a day, which are conditions
	// by themselves: "if I lose 2 % I stop".
	conditions = []string{"if", "unless", "except", "when it", "as long as", "depending"}
	// someTrades limit holding times to some of the trades.
	someTrades = []string{"winner", "winners", "winning", "loser", "losers", "losing", "longest", "shortest", "runner", "runners"}
)

// modalityOf is how firmly a claim is made.
func (st *statement) modalityOf(c Claim) Modality {
	if st.unsure || c.Topic != MaxLossDay && st.hasAny(conditions) || c.Topic == HoldingTime && st.hasAny(someTrades) {
		return Sometimes
	}
	for _, m := range modalities {
		at := slices.IndexFunc(st.tokens, func(t token) bool { return slices.Contains(m.words, t.text) })
		switch {
		case at < 0:
		case m.modality == Always && c.Op == Is && slices.ContainsFunc(st.tokens[:at], func(t token) bool { return t.text == "not" || strings.HasSuffix(t.text, "n't") }):
			return Sometimes // "not always"
		default:
			return m.modality
		}
	}
	return Plain
}

// notAll reports whether the negation at token j denies no more than that it is
// always so.
func (st *statement) notAll(j, before int) bool {
	return j+1 < before && slices.Contains([]string{"always", "every", "all", "necessarily"}, st.tokens[j+1].text)
}
