package release_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/mail"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

// workflow is the workflow of a release, as far as the tests run it.
type workflow struct {
	Jobs map[string]struct {
		If, Needs   string
		Permissions map[string]string
		Steps       []step
	}
}

type step struct {
	Name, Run, Uses string
	With            map[string]any
}

func readWorkflow(t *testing.T) workflow {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", ".github", "workflows", "release.yml"))
	check(t, err)
	var w workflow
	check(t, yaml.Unmarshal(text, &w))
	return w
}

// command returns the script of a step as GitHub runs it, with a folder in place of GitHub's
// release, and npm asking no registry.
func (w workflow) command(t *testing.T, job, name, tag, dir, release string) *exec.Cmd {
	t.Helper()
	stand, err := filepath.Abs("testdata")
	check(t, err)
	for _, s := range w.Jobs[job].Steps {
		if s.Name == name {
			cmd := exec.CommandContext(t.Context(), "bash", "-e", "-c", s.Run)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PATH="+stand+":"+os.Getenv("PATH"), "GITHUB_REF_NAME="+tag, "RELEASE="+release, "npm_config_dry_run=true", "npm_config_offline=true")
			return cmd
		}
	}
	t.Fatalf("the job %s has no step %s", job, name)
	return nil
}

// checkPublishing runs the workflow's own scripts over the files of a release: all of them are
// published, and the registries of packages get those that are theirs.
func checkPublishing(t *testing.T, dist string) {
	w, release, want := readWorkflow(t), t.TempDir(), sums(t, dist)
	root := t.TempDir()
	check(t, os.Symlink(dist, filepath.Join(root, "dist")))
	check(t, os.WriteFile(filepath.Join(root, "CHANGELOG.md"), []byte("## [0.1.1] - 2026-11-26\n\n- A line.\n"), 0o600))
	run(t, w.command(t, "files", "publish", "v0.1.1", root, release))
	if diff := cmp.Diff(want, sums(t, release)); diff != "" {
		t.Errorf("files of the release, with what it should not have (-built +published):\n%s", diff)
	}
	packages := map[string][]string{
		"npm":  {"assay-client-0.1.1.tgz"},
		"pypi": {"assay-0.1.1-py3-none-any.whl", "assay-0.1.1.tar.gz"},
	}
	for job, names := range packages {
		t.Run(job, func(t *testing.T) { w.publish(t, job, release, names) })
	}
}

// publish runs a job that publishes the named files of the release, and no others.
func (w workflow) publish(t *testing.T, job, release string, names []string) {
	variable := "vars.PUBLISH_" + strings.ToUpper(job) + " == 'true'"
	if j := w.Jobs[job]; j.If != variable || j.Needs != "files" || j.Permissions["id-token"] != "write" {
		t.Errorf("%s runs if %q after %q with %v", job, j.If, j.Needs, j.Permissions)
	}
	dir := t.TempDir()
	out := run(t, w.command(t, job, "download", "v0.1.1", dir, release))
	folder := dir
	if last := w.Jobs[job].Steps[len(w.Jobs[job].Steps)-1]; last.Uses != "" {
		folder = filepath.Join(dir, last.With["packages-dir"].(string)) // the action publishes all that is there
	}
	got, want := sums(t, folder), map[string]string{}
	released := sums(t, release)
	for _, name := range names {
		want[name] = released[name]
		if !strings.Contains(out, name+": OK\n") {
			t.Errorf("the checksum of %s is not checked:\n%s", name, out)
		}
	}
	if folder == dir {
		delete(got, "SHA256SUMS")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files that are published (-released +downloaded):\n%s", diff)
	}
	if job == "npm" {
		for tag, label := range map[string]string{"v0.1.1": "latest", "v0.2.0-rc.1": "next"} {
			out := run(t, w.command(t, job, "publish", tag, dir, release))
			if !strings.Contains(out, "with tag "+label+" and public access (dry-run)") || !strings.Contains(out, "+ @assay/client@0.1.1") {
				t.Errorf("%s: npm says\n%s", tag, out)
			}
		}
	}
	w.refuseAltered(t, job, release, names)
}

// refuseAltered alters each file of a release in turn, after which nothing may be published.
func (w workflow) refuseAltered(t *testing.T, job, release string, names []string) {
	t.Helper()
	for _, altered := range names {
		copied := t.TempDir()
		check(t, os.CopyFS(copied, os.DirFS(release)))
		file, err := os.OpenFile(filepath.Join(copied, altered), os.O_APPEND|os.O_WRONLY, 0)
		check(t, err)
		_, err = io.WriteString(file, "x")
		check(t, err)
		check(t, file.Close())
		out, err := w.command(t, job, "download", "v0.1.1", t.TempDir(), copied).CombinedOutput()
		if err == nil || !strings.Contains(string(out), altered+": FAILED") {
			t.Errorf("an altered %s is taken: %v\n%s", altered, err, out)
		}
	}
}

// checkDescriptions reads what the registries show and check about the packages.
func checkDescriptions(t *testing.T, dist string) {
	const repository = "https://github.com/assayhq/assay"
	// npm refuses provenance if the repository is another than the workflow's.
	text := run(t, exec.CommandContext(t.Context(), "tar", "-xzOf", filepath.Join(dist, "assay-client-0.1.1.tgz"), "package/package.json"))
	var npm struct {
		Name, Version, License string
		Private                bool
		Repository             struct{ Type, URL, Directory string }
	}
	check(t, json.Unmarshal([]byte(text), &npm))
	if npm.Name != "@assay/client" || npm.Version != version || npm.License != "Apache-2.0" || npm.Private || npm.Repository.URL != "git+"+repository+".git" || npm.Repository.Directory != "client/js" {
		t.Errorf("npm's description is %+v", npm)
	}
	read := map[string]*exec.Cmd{
		"wheel":  exec.CommandContext(t.Context(), "python3", "-c", "import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read('assay-0.1.1.dist-info/METADATA'))", filepath.Join(dist, "assay-0.1.1-py3-none-any.whl")),
		"source": exec.CommandContext(t.Context(), "tar", "-xzOf", filepath.Join(dist, "assay-0.1.1.tar.gz"), "assay-0.1.1/PKG-INFO"),
	}
	for name, cmd := range read {
		message, err := mail.ReadMessage(strings.NewReader(run(t, cmd)))
		check(t, err)
		got := maps.Clone(message.Header)
		delete(got, "Summary")
		want := mail.Header{
			"Metadata-Version": {"2.1"}, "Name": {"assay"}, "Version": {version}, "License": {"Apache-2.0"}, "Requires-Python": {">=3.11"},
			"Project-Url": {"Repository, " + repository}, "Description-Content-Type": {"text/markdown"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if body, err := io.ReadAll(message.Body); err != nil || !strings.HasPrefix(string(body), "# assay for Python\n") {
			t.Errorf("the description of the %s starts with %.40q (%v)", name, body, err)
		}
	}
}
