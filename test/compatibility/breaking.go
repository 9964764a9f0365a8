package main

import (
	"fmt"
	"regexp"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/checker"
	"github.com/oasdiff/oasdiff/diff"
	"github.com/oasdiff/oasdiff/load"
)

// breaking lists, in oasdiff's words, the changes from the old document to the
// new one that break a client of the old, or may.
func breaking(old, revised string) ([]string, error) {
	from, err := read("released.json", old)
	if err != nil {
		return nil, err
	}
	to, err := read("openapi.json", revised)
	if err != nil {
		return nil, err
	}
	report, sources, err := diff.GetWithOperationsSourcesMap(diff.NewConfig(), from, to)
	if err != nil {
		return nil, fmt.Errorf("compare documents: %w", err)
	}
	config := checker.NewConfig(checker.GetAllChecks(), checker.WithSeverityLevels(severities()))
	return describeChanges(checker.CheckBackwardCompatibility(config, report, sources)), nil
}

// describeChanges describes the changes, each kind of change once.
func describeChanges(changes checker.Changes) []string {
	words := checker.NewDefaultLocalizer()
	var list, kinds []string
	met := make(map[string]int)
	for _, change := range changes {
		kind := kindOf(change.GetOperation()+" "+change.GetPath(), change.GetId(), change.GetUncolorizedText(words))
		if met[kind]++; met[kind] == 1 {
			list, kinds = append(list, change.SingleLineError(words, checker.ColorNever)), append(kinds, kind)
		}
	}
	for i, kind := range kinds {
		if more := met[kind] - 1; more > 0 {
			list[i] += fmt.Sprintf("(and in %d more answers)", more)
		}
	}
	return list
}

// Where a change of an answer was met.
var (
	inAnswer  = regexp.MustCompile("status `[0-9]+`|`[0-9]+` status")
	inProblem = regexp.MustCompile("status `[45][0-9]+`|`[45][0-9]+` status")
)

// kindOf is the same for a change in several answers of an operation, and for
// one in the problem documents, which all operations share.
func kindOf(operation, id, text string) string {
	if inProblem.MatchString(text) {
		operation = ""
	}
	return operation + " " + id + " " + inAnswer.ReplaceAllString(text, "")
}

func read(name, text string) (*load.SpecInfo, error) {
	doc, err := openapi3.NewLoader().LoadFromData([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return &load.SpecInfo{Url: name, Spec: doc}, nil
}

// severities differ from oasdiff's. Changes to the names of generated clients, and to the meaning
// of an omitted value, are worse for us. A new kind of event in a response is harmless: the member
// type names it, and clients ignore kinds that they do not know.
func severities() map[string]checker.Level {
	return map[string]checker.Level{
		checker.APIOperationIdRemovedId:               checker.ERR,
		checker.RequestParameterDefaultValueChangedId: checker.ERR,
		checker.RequestPropertyDefaultValueChangedId:  checker.ERR,
		checker.ResponsePropertyOneOfAddedId:          checker.INFO,
	}
}
