// Package report puts together what a person reads before deciding on an
// interview: findings with their evidence, what was said held against the trades,
// and what is missing.
//
// It is a pure function: equal inputs give an equal report but for its version,
// the time at which it was made, and a language model's draft. It judges nobody:
// there is no score of suitability, and nothing here or elsewhere but a person
// decides.
//
// # Other traders' accounts
//
// The detectors of copied and opposite trades compare with other traders'
// accounts, so trades of these may be evidence. Each piece of evidence of type
// trade says in "own" whether the account is the interviewed trader's. If a report
// is shown to anybody outside of the firm, evidence of type trade has to be left
// out unless own is true. No text of a report names another trader's account.
package report
