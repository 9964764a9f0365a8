package contracttest

import "slices"

// Level says how serious it is to break a rule.
type Level string

// The levels.
const (
	// Must means that records are lost or refused, or that assay refuses the platform.
	Must Level = "MUST"
	// Should means that assay accepts it, although it will cause trouble. It does not fail the
	// verdict.
	Should Level = "SHOULD"
	// Info covers what the contract does not specify. It never fails.
	Info Level = "INFO"
)

// Case is one rule that can be observed.
type Case struct {
	ID      string  `json:"id"`
	Title   string  `json:"title"`   // the rule in a few words
	Clause  string  `json:"clause"`  // the section of the contract
	Rule    string  `json:"rule"`    // the sentence that states the rule
	Level   Level   `json:"level"`   // MUST, SHOULD or INFO
	Profile Profile `json:"profile"` // the smallest profile that includes the case
	Why     string  `json:"why"`     // why it matters
	Fix     string  `json:"fix"`     // how to fix it

	check  func(r *run) outcome
	always bool // judged even if nothing can be read
	rests  bool // depends on what the other cases have read
}

// Cases returns the catalog in the order in which cases are judged.
func Cases() []Case {
	return slices.Concat(
		liveCases(), transportCases(), authCases(), traderCases(),
		eachList(listCases), eachList(sinceCases), tradeCases(), referenceCases(),
		loadCases(), closingCases(), eachList(recordCases), infoCases(),
	)
}

// eachList returns the cases that apply to every list.
func eachList(casesOf func(l *list) []Case) []Case {
	var cases []Case
	for i := range lists() {
		cases = append(cases, casesOf(&lists()[i])...)
	}
	return cases
}

// outcome is the result of a case.
type outcome struct {
	status Status
	skip   Skip
	text   string
	on     string // the case that prevents judging; empty if none does
	fix    string // replaces the case's own text; empty to keep it
}

func pass(text string) outcome           { return outcome{status: Passed, text: text} }
func fail(text string) outcome           { return outcome{status: Failed, text: text} }
func warn(text, fix string) outcome      { return outcome{status: Warned, text: text, fix: fix} }
func note(text string) outcome           { return outcome{status: Noted, text: text} }
func skip(why Skip, text string) outcome { return outcome{status: Skipped, skip: why, text: text} }
func dependsOn(id, because string) outcome {
	return outcome{status: Skipped, skip: SkipDepends, text: because + " (see " + id + ")", on: id}
}
