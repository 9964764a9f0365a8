package main

import (
	"os"
	"path/filepath"
)

const aboutChart = `# Values of the Helm chart

<!-- Generated from configs/kubernetes/assay/values.yaml by go generate ./configs: edit that file. -->

[Install assay in Kubernetes](../guides/kubernetes.md) explains how to use them. A value that the chart does not know, or that has a wrong form, is refused before anything is installed.
`

// renderChart renders the values of the chart, whose file has the layout of the sample.
func renderChart(root string) (string, error) {
	content, err := os.ReadFile(filepath.Join(root, "configs", "kubernetes", "assay", "values.yaml"))
	if err != nil {
		return "", err
	}
	return aboutChart + renderSections(parseSample(string(content))[1:]), nil
}
