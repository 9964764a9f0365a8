package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestTexts looks for a text of each kind in the list, and for what is not a text.
func TestTexts(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := printTexts(&out, "../../.."); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	for _, want := range []struct{ kind, place, says string }{
		{"a problem", "apiserver/problem/", "Authentication required"},
		{"the remedy of a problem", "apiserver/problem/", "treat it as leaked: create a new one and revoke the old one."},
		{"a step of the live check", "connectors/livecheck/", "Make the endpoint faster"},
		{"a finding of a record", "connectors/alias/", "is not a decimal number"},
		{"a sentence of a report", "internal/interview/report/", "The interview was not finished"},
		{"a message at the exit", "configs/values.go", "is not a whole number from"},
		{"help", "apiserver/usage.go", "apiserver answers requests"},
		{"the help of a metric", "apiserver/middleware/", "Requests served; the code 499"},
		{"a template", "apiserver/docs/templates/", "What it means"},
		{"a text of several literals", "internal/dev/run.go", "… Ctrl-C stops everything"},
	} {
		found := false
		for _, line := range lines {
			found = found || strings.Contains(line, want.place) && strings.Contains(line, want.says)
		}
		if !found {
			t.Errorf("%s in %s is not listed: %q", want.kind, want.place, want.says)
		}
	}
}

func TestIsText(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"Page not found":                 true,
		"Unassigned":                     true,
		"read page: %w":                  true,
		"3 trades were held":             true,
		"application/json":               false,
		"Content-Type":                   false,
		"SELECT id FROM traders":         false,
		"t.id = ? AND t.deleted_at":      false,
		"UPDATE keys SET revoked = true": false,
	} {
		if got := isText(s); got != want {
			t.Errorf("isText(%q) = %v, want %v", s, got, want)
		}
	}
}
