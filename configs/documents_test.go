package configs_test

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/assayhq/assay/store/storetest"
)

// repository is the folder of all sources.
const repository = ".."

// published is the URL under which other sites link to the project's documents.
const published = "https://github.com/assayhq/assay/blob/main/"

// tracked lists the files of the repository whose names match one of git's patterns. It looks at
// them and into their folders, so that go test runs this package again when one has changed or a
// new one is there.
func tracked(t *testing.T, patterns ...string) []string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"}, patterns...)...)
	cmd.Dir = repository
	out, err := cmd.Output()
	if err != nil {
		storetest.LeaveOut(t, fmt.Sprintf("git cannot list the sources: %v", err))
	}
	var files []string
	seen := map[string]bool{repository: true} // that folder contains what builds write
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		path := filepath.Join(repository, name)
		if _, err := os.Stat(path); err == nil { // not deleted
			files = append(files, name)
		}
		for dir := filepath.Dir(path); !seen[dir]; dir = filepath.Dir(dir) {
			seen[dir] = true
			_, _ = os.ReadDir(dir) // a folder that is gone has no files
		}
	}
	if len(files) == 0 {
		t.Fatalf("no file matches %v", patterns)
	}
	return files
}

func content(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	fenced   = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```")
	inlined  = regexp.MustCompile("`[^`\n]*`")
	linked   = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)
	citation = regexp.MustCompile(`[A-Za-z0-9_./-]*[A-Za-z0-9_-]+\.md(#[a-z0-9-]+)?\b`)
)

// anchors returns the anchors of a document that links may point to.
func anchors(text string) map[string]bool {
	found := make(map[string]bool)
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		found[slug(linked.ReplaceAllString(m[1], "]"))] = true
	}
	return found
}

// slug returns the anchor that GitHub gives a heading.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, heading)
}

// TestLinks follows every link between the documents.
func TestLinks(t *testing.T) {
	t.Parallel()
	for _, name := range tracked(t, "*.md") {
		text := content(t, name)
		for _, m := range linked.FindAllStringSubmatch(inlined.ReplaceAllString(fenced.ReplaceAllString(text, ""), ""), -1) {
			target, own := strings.CutPrefix(m[1], published)
			if !own {
				if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
					continue
				}
				target = path.Join(path.Dir(name), target)
				if strings.HasPrefix(m[1], "#") {
					target = name + m[1]
				}
			}
			if fault := follow(t, target); fault != "" {
				t.Errorf("%s links to %s: %s", name, m[1], fault)
			}
		}
	}
}

// follow returns what is wrong with a link to a path of the repository, or an empty string.
func follow(t *testing.T, target string) string {
	t.Helper()
	file, anchor, anchored := strings.Cut(target, "#")
	info, err := os.Stat(filepath.Join(repository, file))
	if err != nil {
		return "there is no such file"
	}
	if anchored && !info.IsDir() && !anchors(content(t, file))[anchor] {
		return "there is no such heading"
	}
	return ""
}

// TestCitedDocuments checks that every document named in comments, scripts and settings exists: a
// reader cannot learn anything from a document that is not there.
func TestCitedDocuments(t *testing.T) {
	t.Parallel()
	for _, name := range tracked(t, "*.go", "*.ts", "*.mjs", "*.svelte", "*.sql", "*.yml", "*.yaml", "*.service", "Makefile") {
		if strings.Contains(name, "/dist/") || strings.Contains(name, "/assets/") || strings.HasPrefix(name, "configs/documents_test.go") ||
			strings.HasPrefix(name, ".github/workflows/") { // they name files that they write
			continue
		}
		text := content(t, name)
		for _, cited := range citation.FindAllString(text, -1) {
			cited, _ = strings.CutPrefix(cited, "//github.com/assayhq/assay/blob/main/")
			file, anchor, anchored := strings.Cut(cited, "#")
			if strings.HasPrefix(file, "//") || strings.HasPrefix(file, "/") {
				continue // another site
			}
			found := false
			for _, place := range []string{file, path.Join(path.Dir(name), file), path.Join("docs", file), path.Join("docs/reference", file), path.Join("docs/guides", file)} {
				_, err := os.Stat(filepath.Join(repository, place))
				found = found || err == nil && (!anchored || anchors(content(t, place))[anchor])
			}
			if !found {
				t.Errorf("%s names %s, which is not there", name, cited)
			}
		}
	}
}
