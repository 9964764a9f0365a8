package configs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// phrases must not be used again anywhere: docs/style.md lists replacements.
var phrases = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`password do not belong together`, `in nobody's hand`, `goes on (january|february|march|april|may|june|july|august|september|october|november|december)\b`,
	`hold it again`, `nothing lies at`, `low asr confidence`, `decide already now`, `that were too many`, `of which while`,
	`nothing: all`, `is read no more`,
}, "|"))

// words have a plain or an American equivalent.
var words = regexp.MustCompile(`(?i)\b(whoever|anew|of which|hopeless|(is|are) told|honour\w*|colour\w*|behaviour\w*|favour\w*|catalogues?|licence\w*|` +
	`recognis\w+|organis\w+|analys(e|ed|ing)|cancell(ed|ing))\b`)

// TestWords looks for the words that docs/style.md replaces: in documents, in the strings of
// pages, and in the texts of problems and failures.
func TestWords(t *testing.T) {
	t.Parallel()
	for _, name := range tracked(t, "*.md") {
		if name == "docs/style.md" { // lists the words itself
			continue
		}
		text := inlined.ReplaceAllString(fenced.ReplaceAllString(content(t, name), ""), "")
		report(t, name, text, phrases)
		if !strings.HasPrefix(name, "docs/reference/") && // generated from texts that are checked below, or part of the API's document
			name != "contracttest/CASES.md" && !strings.Contains(name, "/testdata/") && // made from the kit's cases
			name != "BENCHMARKS.md" && !strings.HasPrefix(name, "docs/benchmarks/") { // historical records
			report(t, name, text, words)
		}
	}
	for _, name := range tracked(t, "apiserver/problem/*.go", "connectors/error.go", "apiserver/docs/templates/*") {
		if !strings.HasSuffix(name, "_test.go") {
			report(t, name, withoutComments(content(t, name)), phrases, words)
		}
	}
	for _, name := range tracked(t, "apiserver/web/src/*.svelte", "apiserver/web/src/*.ts") {
		report(t, name, withoutComments(content(t, name)), phrases)
	}
}

// comments matches comments of Go, TypeScript and HTML. An address such as https://… is not a
// comment.
var comments = regexp.MustCompile(`(?s)/\*.*?\*/|<!--.*?-->|(?m:(^|[^:"'])//[^\n]*$)`)

func withoutComments(text string) string { return comments.ReplaceAllString(text, "$1") }

// report fails the test for each line with a match.
func report(t *testing.T, name, text string, forbidden ...*regexp.Regexp) {
	t.Helper()
	text = strings.ReplaceAll(text, "’", "'")
	for line := range strings.Lines(text) {
		for _, f := range forbidden {
			if found := f.FindString(line); found != "" {
				t.Errorf("%s says %q (see docs/style.md): %s", name, found, strings.TrimSpace(line))
			}
		}
	}
}

// identifierWords have a word of the field that identifiers use in their place, by docs/style.md.
var identifierWords = map[string]string{
	"desk": "handler", "forgive": "release", "heard": "received", "hopeless": "permanent", "hopelessf": "permanent", "mailing": "batch",
	"settlement": "commit", "stumbled": "internal error", "told": "emitted", "turner": "runner",
}

// identifierWord matches a word of an identifier.
var identifierWord = regexp.MustCompile(`[A-Z]?[a-z]+`)

// TestIdentifiers looks for the words that docs/style.md replaces in the names of the code.
func TestIdentifiers(t *testing.T) {
	t.Parallel()
	files := token.NewFileSet()
	for _, name := range tracked(t, "*.go") {
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".gen.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, content(t, name), parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for node := range ast.Preorder(file) {
			id, ok := node.(*ast.Ident)
			if !ok {
				continue
			}
			for _, word := range identifierWord.FindAllString(id.Name, -1) {
				if instead := identifierWords[strings.ToLower(word)]; instead != "" {
					t.Errorf("%s: %s says %q, and docs/style.md %q", files.Position(id.Pos()), id.Name, strings.ToLower(word), instead)
				}
			}
		}
	}
}
