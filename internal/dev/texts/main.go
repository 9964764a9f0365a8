// Texts lists the texts that people read in the sources of assay, so that somebody can
// read all of them at once: problem documents, errors, log messages, findings, sentences of
// reports, help, descriptions of metrics and templates. apiserver/web/texts.mjs lists those of
// the pages, and make texts writes both to .data/texts.txt.
package main

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// text is what people read at a place of the sources.
type text struct {
	line int
	says string
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	err := printTexts(out, ".")
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "texts:", err)
		os.Exit(1)
	}
}

// printTexts writes a line for each text below root.
func printTexts(out io.Writer, root string) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if path != root && leftOut(entry.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		texts, err := readTexts(path)
		if err != nil {
			return err
		}
		for _, t := range texts {
			if _, err := fmt.Fprintf(out, "%s:%d: %s\n", path, t.line, joinLines(t.says)); err != nil {
				return err
			}
		}
		return nil
	})
}

// joinLines writes a text in one line, without characters that terminals do not show.
func joinLines(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, strings.Join(strings.Fields(s), " "))
}

// leftOut reports whether a folder has no texts for users: generated files, tests and what only
// tests use. The pages in web have their own program.
func leftOut(folder string) bool {
	switch folder {
	case "web", "assets", "testdata", "test", "bin":
		return true
	}
	return strings.HasPrefix(folder, ".") || strings.HasSuffix(folder, "test") && folder != "contracttest"
}

func readTexts(path string) ([]text, error) {
	switch {
	case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
		return readGo(path)
	case strings.HasSuffix(path, ".html"):
		return readTemplate(path)
	}
	return nil, nil
}
