package release_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assayhq/assay/internal/dev/internal/release"
)

// runHere runs a program with what the tests' own environment has.
func runHere(ctx context.Context, c release.Command) ([]byte, error) {
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	cmd.Dir, cmd.Env = c.Dir, append(os.Environ(), c.Env...)
	return cmd.Output()
}

// repository makes a repository with a changelog. Each step is a tag, or a file to change
// when it begins with "+".
func repository(t *testing.T, changelog string, steps ...string) string {
	t.Helper()
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b.test"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE=2026-11-26T10:00:00Z", "GIT_AUTHOR_DATE=2026-11-26T10:00:00Z", "GIT_CONFIG_GLOBAL=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	write("CHANGELOG.md", changelog)
	git("add", ".")
	git("commit", "-qm", "first")
	for _, step := range steps {
		switch {
		case step == "commit":
			git("commit", "-q", "--allow-empty", "-m", "next")
		case strings.HasPrefix(step, "+"):
			write(step[1:], "")
		default:
			git("tag", step)
		}
	}
	return dir
}

func TestReadVersion(t *testing.T) {
	t.Parallel()
	const first = "# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-11-26\n\nThe first version.\n"
	for _, tt := range []struct {
		name, changelog, asked string
		steps                  []string
		want, err              string
	}{
		{name: "before any tag", changelog: first, want: "0.1.0-dev.20261126100000"},
		{name: "a tag", changelog: first, steps: []string{"v0.1.0"}, want: "0.1.0"},
		{name: "after a tag", changelog: first, steps: []string{"v0.1.0", "commit"}, want: "0.1.1-dev.20261126100000"},
		{name: "after a candidate", changelog: first, steps: []string{"v0.1.0-rc.1", "commit"}, want: "0.1.0-dev.20261126100000"},
		{name: "a candidate without a date", changelog: "## [0.1.0] - Unreleased\n", steps: []string{"v0.1.0-rc.1"}, want: "0.1.0-rc.1"},
		{name: "a tag without a date", changelog: "## [0.1.0] - Unreleased\n", steps: []string{"v0.1.0"}, err: `no "## [0.1.0] - YYYY-MM-DD"`},
		{name: "a tag that the changelog lacks", changelog: first, steps: []string{"v0.2.0"}, err: `no "## [0.2.0] - YYYY-MM-DD"`},
		{name: "a tag with unreleased changes", changelog: strings.Replace(first, "[Unreleased]\n", "[Unreleased]\n\n### Fixed\n\n- A line.\n", 1), steps: []string{"v0.1.0"}, err: "entries under [Unreleased]"},
		{name: "a candidate with unreleased changes", changelog: "## [Unreleased]\n\n- A line.\n", steps: []string{"v0.1.0-rc.1"}, want: "0.1.0-rc.1"},
		{name: "a tag without an unreleased section", changelog: "## [0.1.0] - 2026-11-26\n\n- A line.\n", steps: []string{"v0.1.0"}, want: "0.1.0"},
		{name: "a tag of another form", changelog: first, steps: []string{"v1"}, err: "a release has one tag of the form v0.1.0"},
		{name: "two tags", changelog: first, steps: []string{"v0.1.0", "v0.1.1"}, err: "a release has one tag"},
		{name: "a tag and a change", changelog: first, steps: []string{"v0.1.0", "+x.go"}, err: "x.go"},
		{name: "no version at all", changelog: "# Changelog\n", err: "CHANGELOG.md has no heading of a version"},
		{name: "asked for", changelog: first, asked: "1.2.3-rc.4", want: "1.2.3-rc.4"},
		{name: "asked for with v", changelog: first, asked: "v1.2.3", err: "--version v1.2.3: want a version such as 0.1.0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v, err := release.ReadVersion(t.Context(), repository(t, tt.changelog, tt.steps...), tt.asked, runHere)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil || v.Name != tt.want || len(v.Revision) != 40 || v.Time.Unix() != 1795687200 {
				t.Errorf("version %+v, want %s: %v", v, tt.want, err)
			}
		})
	}
}

func TestReadVersionOutsideOfARepository(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	if _, err := release.ReadVersion(t.Context(), dir, "", runHere); err == nil || !strings.Contains(err.Error(), "give their version by --version") {
		t.Errorf("error %v", err)
	}
	if _, err := release.ReadVersion(t.Context(), dir, "0.1.0", runHere); err == nil || !strings.Contains(err.Error(), "set SOURCE_DATE_EPOCH") {
		t.Errorf("error %v", err)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "1795687200")
	v, err := release.ReadVersion(t.Context(), dir, "0.1.0", runHere)
	if err != nil || v.Name != "0.1.0" || v.Revision != "unknown" || v.Time.Unix() != 1795687200 {
		t.Errorf("version %+v, %v", v, err)
	}
}

// TestVersionsFollowTheChangelog: the chart and the clients that are taken from the sources are of
// the version that the changelog names first.
func TestVersionsFollowTheChangelog(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	m := regexp.MustCompile(`(?m)^## \[(\d.*?)\]`).FindStringSubmatch(read("CHANGELOG.md"))
	if m == nil {
		t.Fatal("the changelog names no version")
	}
	for name, want := range map[string]string{
		"configs/kubernetes/assay/Chart.yaml": "version: " + m[1] + "\nappVersion: \"" + m[1] + "\"\n",
		"client/js/package.json":              `"version": "` + m[1] + `",`,
		"client/js/package-lock.json":         `"version": "` + m[1] + `",`,
		"client/python/pyproject.toml":        "version = \"" + m[1] + "\"\n",
	} {
		if !strings.Contains(read(name), want) {
			t.Errorf("%s does not have the changelog's version: want %s", name, want)
		}
	}
}

// TestBuildKeepsOtherFiles: a release is never built into a folder of something else.
func TestBuildKeepsOtherFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	letter := filepath.Join(dir, "letter")
	if err := os.WriteFile(letter, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b := release.Builder{Out: dir}
	if err := b.Build(t.Context()); err == nil || !strings.Contains(err.Error(), "holds letter") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(letter); err != nil {
		t.Error(err)
	}
}
