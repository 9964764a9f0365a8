package contracttest

import (
	"fmt"
	"slices"
	"strings"
)

// problems counts problems of records, by rule.
type problems map[string]*problem

// problem is a rule that some records break.
type problem struct {
	named    map[string]struct{} // ids of the first maxNamed records, which count once if they are read again
	nameless int                 // faults of later records and of those without an id
	ids      []string            // of the first few records
	detail   string              // of the first one
}

// maxNamed limits the ids that are remembered of a problem.
const maxNamed = 10_000

// countRecords returns the number of records.
func (p *problem) countRecords() int { return len(p.named) + p.nameless }

// addID counts a record, unless it was counted before.
func (p *problem) addID(id string) {
	if _, again := p.named[id]; again {
		return
	}
	if id == "" || len(p.named) == maxNamed {
		p.nameless++
		return
	}
	p.named[id] = struct{}{}
}

func (p *problem) addExample(id string) {
	if len(p.ids) < 3 && id != "" && !slices.Contains(p.ids, id) {
		p.ids = append(p.ids, id)
	}
}

func (p problems) add(rule, id, detail string) {
	found := p.findProblem(rule, detail)
	found.addID(id)
	found.addExample(truncateLine(id, 60))
}

// findProblem returns the problem with the rule, which is added if it is new.
func (p problems) findProblem(rule, detail string) *problem {
	found := p[rule]
	if found == nil {
		found = &problem{named: make(map[string]struct{}), detail: detail}
		p[rule] = found
	}
	return found
}

func (p problems) merge(other problems) {
	for rule, o := range other {
		found := p.findProblem(rule, o.detail)
		found.nameless += o.nameless
		for id := range o.named {
			found.addID(id)
		}
		for _, id := range o.ids {
			found.addExample(id)
		}
	}
}

func (p *problem) String() string {
	text := fmt.Sprintf("%d records: %s", p.countRecords(), p.detail)
	if p.countRecords() == 1 {
		text = "one record: " + p.detail
	}
	if len(p.ids) > 0 {
		text += "; first seen in " + strings.Join(p.ids, ", ")
	}
	return text
}
