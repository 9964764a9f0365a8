package main

import (
	"github.com/assayhq/assay/configs"
	"github.com/assayhq/assay/internal/boot"
	"github.com/assayhq/assay/internal/interview/prose"
	"github.com/assayhq/assay/syncd/interviews/reporting"
	"github.com/assayhq/assay/syncd/interviews/step"
)

// newReports creates the pipeline for questions and reports. Call release when all
// work has ended.
func newReports(p parts, config configs.Config, steps *step.Runner) (made *reporting.Pipeline, release func(), err error) {
	c := reporting.Config{Steps: steps, Store: p.Store, Log: p.Log, Connectors: p.Connectors, Slots: config.Workers.Report}
	release = func() {}
	if c.Slots > 0 && config.Prose.URL != "" {
		roots, err := boot.Roots(config.Egress.CAFile)
		if err != nil {
			return nil, nil, err
		}
		if c.Prose, err = prose.New(prose.Config{URL: config.Prose.URL, Model: config.Prose.Model, APIKey: config.Prose.APIKey, Roots: roots}); err != nil {
			return nil, nil, err
		}
		release = c.Prose.Close
	}
	return reporting.New(c), release, nil
}
