package contracttest

import "slices"

// Level says what breaking a rule means.
type Level string

// The levels.
const (
	// Must: records are lost or refused, or assay refuses the platform.
	Must Level = "MUST"
	// Should: it is accepted, and will hurt some day. It does not fail the verdict.
	Should Level = "SHOULD"
	// Info: the contract does not say. It never fails.
	Info Level = "INFO"
)

// Case is one rule that can be observed.
type Case struct {
	ID      string  `json:"id"`
	Title   string  `json:"title"`   // the rule in a few words
	Clause  string  `json:"clause"`  // the section of the contract
	Rule    string  `json:"rule"`    // its sentence
	Level   Level   `json:"level"`   // MUST, SHOULD or INFO
	Profile Profile `json:"profile"` // the smallest profile that holds it
	Why     string  `json:"why"`     // why it matters
	Fix     string  `json:"fix"`     // how to fix it

	check  func(r *run) outcome
	always bool // also judged when nothing can be read
	rests  bool // stands on what the other cases have read
}

// Cases lists the catalogue in the order in which cases are judged.
func Cases() []Case {
	return slices.Concat(
		liveCases(), transportCases(), authCases(), traderCases(),
		eachList(listCases), eachList(sinceCases), tradeCases(), referenceCases(),
		loadCases(), closingCases(), eachList(recordCases), infoCases(),
	)
}

// eachList makes the cases of every list.
func eachList(casesOf func(l *list) []Case) []Case {
	var cases []Case
	for i := range lists() {
		cases = append(cases, casesOf(&lists()[i])...)
	}
	return cases
}

// outcome is how a case went.
type outcome struct {
	status Status
	skip   Skip
	text   string
	on     string // case that stands in the way; empty: none
	fix    string // instead of the case's own; empty: that
}

func pass(text string) outcome           { return outcome{status: Passed, text: text} }
func fail(text string) outcome           { return outcome{status: Failed, text: text} }
func warn(text, fix string) outcome      { return outcome{status: Warned, text: text, fix: fix} }
func note(text string) outcome           { return outcome{status: Told, text: text} }
func skip(why Skip, text string) outcome { return outcome{status: Skipped, skip: why, text: text} }
func dependsOn(id, because string) outcome {
	return outcome{status: Skipped, skip: SkipDepends, text: because + " (see " + id + ")", on: id}
}
