package main

import (
	"fmt"
	"strings"

	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/connectors"
)

const aboutErrors = `# Errors

<!-- Generated from apiserver/problem and connectors by go generate ./configs. -->

Errors of the API are problem documents ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)) with a stable ` + "`code`" + `. A running apiserver explains each code at ` + "`/problems/{code}`" + `, with causes, remedies
and whether to retry; the ` + "`type`" + ` of a problem document is that address. New codes may be added, so handle an unknown one by its status.
`

// errorCodes renders the codes of problem documents, of invalid values and of platform failures.
func errorCodes(string) (string, error) {
	var b strings.Builder
	b.WriteString(aboutErrors)
	b.WriteString("\n## Problem codes\n\n| code | status | what it means | retry |\n|---|---|---|---|\n")
	for _, c := range problem.Codes() {
		fmt.Fprintf(&b, "| `%s` | %d | %s | %s |\n", c, c.Status(), escapeCell(c.Guide().Meaning), c.Guide().Retry)
	}
	b.WriteString("\n## Codes of invalid values\n\nA 422 lists every invalid value in `errors`, with its place and one of these codes. A 409 about a value that another object already has lists it in `errors` as well.\n\n| code | meaning |\n|---|---|\n")
	for _, c := range problem.FaultCodes() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", c, escapeCell(c.Description()))
	}
	b.WriteString("\n## Failures of platforms\n\n`last_error` of an integration, `error` of a run and the steps of a live check have one of these codes, with this hint.\n\n| code | what to do |\n|---|---|\n")
	for _, c := range connectors.Codes() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", c, escapeCell(c.Hint()))
	}
	return b.String(), nil
}
