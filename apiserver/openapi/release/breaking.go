package main

import (
	"fmt"

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
	words := checker.NewDefaultLocalizer()
	var list []string
	config := checker.NewConfig(checker.GetAllChecks(), checker.WithSeverityLevels(severer()))
	for _, change := range checker.CheckBackwardCompatibility(config, report, sources) {
		list = append(list, change.SingleLineError(words, checker.ColorNever))
	}
	return list, nil
}

func read(name, text string) (*load.SpecInfo, error) {
	doc, err := openapi3.NewLoader().LoadFromData([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return &load.SpecInfo{Url: name, Spec: doc}, nil
}

// severer is what oasdiff takes for harmless, and is not for us: the names of
// generated clients, and what a request means that leaves a value out.
func severer() map[string]checker.Level {
	return map[string]checker.Level{
		checker.APIOperationIdRemovedId:               checker.ERR,
		checker.RequestParameterDefaultValueChangedId: checker.ERR,
		checker.RequestPropertyDefaultValueChangedId:  checker.ERR,
	}
}
