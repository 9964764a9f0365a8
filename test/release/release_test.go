package release_test

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/store/storetest"
)

// What the tests release.
const (
	version = "0.1.1"
	debFile = "assay_0.1.1-1_amd64.deb"
	moment  = "1795687200" // 2026-11-26T10:00:00Z
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// run runs a program and returns what it printed.
func run(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return string(out)
}

// makeRelease makes a release of the sources in root, and returns the folder of its files.
func makeRelease(t *testing.T, launcher, root string, environ ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "dist")
	// The umask is the only part of a process that an environment cannot change.
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `umask "$UMASK"; exec "$@"`, "sh", launcher, "release", "--version", version, "--platform", "linux/amd64", "--out", out)
	cmd.Dir, cmd.Env = root, append(slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "MAKE") }), environ...)
	run(t, cmd)
	return out
}

// copySources copies the files that git would commit, so that a release of them knows no
// repository.
func copySources(t *testing.T, root string) string {
	t.Helper()
	list := exec.CommandContext(t.Context(), "git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	files, err := list.Output()
	if err != nil {
		storetest.LeaveOut(t, fmt.Sprintf("git cannot list the sources: %v", err))
	}
	to := t.TempDir()
	for name := range strings.SplitSeq(strings.TrimSuffix(string(files), "\x00"), "\x00") {
		info, err := os.Lstat(filepath.Join(root, name))
		if errors.Is(err, os.ErrNotExist) {
			continue // deleted
		}
		check(t, err)
		check(t, os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o755))
		if info.Mode().Type() == os.ModeSymlink {
			target, err := os.Readlink(filepath.Join(root, name))
			check(t, err)
			check(t, os.Symlink(target, filepath.Join(to, name)))
			continue
		}
		content, err := os.ReadFile(filepath.Join(root, name))
		check(t, err)
		check(t, os.WriteFile(filepath.Join(to, name), content, 0o600))
	}
	return to
}

// sums returns the SHA-256 of the files in a folder.
func sums(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	check(t, err)
	list := map[string]string{}
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		check(t, err)
		list[e.Name()] = fmt.Sprintf("%x", sha256.Sum256(content))
	}
	return list
}

// TestRelease makes a release twice, at different places and times, and installs it. It takes long
// because it builds every archive and package twice and installs them.
func TestRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	check(t, err)
	launcher := filepath.Join(t.TempDir(), "dev")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", launcher, "./internal/dev")
	build.Dir = root
	run(t, build)
	copied := copySources(t, root)
	first := makeRelease(t, launcher, copied, "SOURCE_DATE_EPOCH="+moment, "UMASK=022", "TZ=UTC", "GIT_CEILING_DIRECTORIES="+filepath.Dir(copied))
	t.Run("checksums", func(t *testing.T) { checkChecksums(t, first) })
	t.Run("archive", func(t *testing.T) { checkArchive(t, first) })
	t.Run("bill of materials", func(t *testing.T) {
		checkMaterials(t, first)
		checkPacked(t, first)
	})
	t.Run("chart", func(t *testing.T) { renderChart(t, first) })
	t.Run("clients", func(t *testing.T) { installClients(t, first) })
	t.Run("publishing", func(t *testing.T) { checkPublishing(t, first) })
	t.Run("descriptions", func(t *testing.T) { checkDescriptions(t, first) })
	t.Run("the same again", func(t *testing.T) {
		elsewhere := filepath.Join(t.TempDir(), "a longer name of a folder")
		check(t, os.Rename(copied, elsewhere))
		second := makeRelease(t, launcher, elsewhere, "SOURCE_DATE_EPOCH="+moment, "UMASK=077", "TZ=Asia/Tokyo", "LC_ALL=C", "GIT_CEILING_DIRECTORIES="+filepath.Dir(elsewhere))
		if diff := cmp.Diff(sums(t, first), sums(t, second)); diff != "" {
			t.Errorf("files by SHA-256 (-first +second):\n%s", diff)
		}
	})
	t.Run("package", func(t *testing.T) { installPackage(t, filepath.Join(first, debFile)) })
}

func checkChecksums(t *testing.T, dir string) {
	t.Helper()
	want := sums(t, dir)
	delete(want, "SHA256SUMS")
	text, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	check(t, err)
	got := map[string]string{}
	for line := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		got[name] = sum
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("checksums (-want +got):\n%s", diff)
	}
	for _, name := range []string{
		debFile, "assay-0.1.1-1.x86_64.rpm", "assay-0.1.1.tgz", "assay-client-0.1.1.tgz", "assay-0.1.1.tar.gz", "assay-0.1.1-py3-none-any.whl", "assay_0.1.1.cdx.json",
		"assay_0.1.1_linux_amd64.tar.gz", "syncd_0.1.1_linux_amd64.cdx.json",
	} {
		if want[name] == "" {
			t.Errorf("there is no %s", name)
		}
	}
}

// checkArchive unpacks the archive and asks each program for its version.
func checkArchive(t *testing.T, dir string) {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, "assay_0.1.1_linux_amd64.tar.gz"))
	check(t, err)
	defer file.Close()
	zip, err := gzip.NewReader(file)
	check(t, err)
	to := t.TempDir()
	var names []string
	documents := map[string]string{}
	for archive := tar.NewReader(zip); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		check(t, err)
		names = append(names, header.Name)
		if header.Typeflag != tar.TypeReg || header.Size == 0 {
			t.Errorf("%s has the type %c and %d bytes", header.Name, header.Typeflag, header.Size)
		}
		if filepath.Ext(header.Name) == ".md" {
			text, err := io.ReadAll(archive)
			check(t, err)
			documents[header.Name] = string(text)
		}
		if filepath.Base(filepath.Dir(header.Name)) != "bin" {
			continue
		}
		program, err := os.OpenFile(filepath.Join(to, filepath.Base(header.Name)), os.O_CREATE|os.O_WRONLY, os.FileMode(header.Mode))
		check(t, err)
		_, err = io.Copy(program, archive)
		check(t, errors.Join(err, program.Close()))
	}
	if !slices.IsSorted(names) {
		t.Errorf("files are not sorted: %q", names)
	}
	for _, name := range []string{"LICENSE", "THIRD-PARTY-LICENSES", "README.md", "CHANGELOG.md", "configs/sample.yaml", "configs/systemd/assay-syncd.service", "configs/kubernetes/assay/files/alerts.yml", "docs/guides/install.md", "sbom/apiserver.cdx.json", "sbom/assay.cdx.json", "completions/bash/assay", "completions/zsh/_assay", "completions/fish/assay.fish"} {
		if !slices.Contains(names, "assay-0.1.1/"+name) {
			t.Errorf("the archive lacks %s", name)
		}
	}
	for document, text := range documents {
		for _, m := range regexp.MustCompile(`\]\(([^()\s:#]+)[#)]`).FindAllStringSubmatch(text, -1) {
			target := path.Join(path.Dir(document), m[1])
			if !slices.ContainsFunc(names, func(n string) bool { return n == target || strings.HasPrefix(n, target+"/") }) {
				t.Errorf("%s links to %s, which is not in the archive", document, m[1])
			}
		}
	}
	for _, program := range []string{"apiserver", "syncd", "contracttest", "assay"} {
		out := run(t, exec.CommandContext(t.Context(), filepath.Join(to, program), "--version"))
		if !strings.HasPrefix(out, program+" 0.1.1, revision unknown, go1.") {
			t.Errorf("%s is of version %q", program, out)
		}
	}
}

// checkMaterials looks for modules that the programs have, and for one that they have not.
func checkMaterials(t *testing.T, dir string) {
	t.Helper()
	for program, want := range map[string][]string{
		"apiserver": {"std", "github.com/jackc/pgx/v5"},
		"assay":     {"std", "github.com/spf13/cobra", "github.com/assayhq/assay/client/go"},
	} {
		text, err := os.ReadFile(filepath.Join(dir, program+"_0.1.1_linux_amd64.cdx.json"))
		check(t, err)
		var bom struct {
			BOMFormat string `json:"bomFormat"`
			Metadata  struct {
				Component struct{ Name, Version string }
			}
			Components []struct{ Name, Version, PURL string }
		}
		check(t, json.Unmarshal(text, &bom))
		versions := map[string]string{}
		for _, c := range bom.Components {
			versions[c.Name] = c.Version
			if c.Version == "" || !strings.HasPrefix(c.PURL, "pkg:golang/"+c.Name+"@"+c.Version) {
				t.Errorf("%s has %+v, which no package manager finds", program, c)
			}
		}
		for _, name := range want {
			if versions[name] == "" {
				t.Errorf("%s lacks %s", program, name)
			}
		}
		if own := versions["github.com/assayhq/assay/client/go"]; own != "" && own != "v0.1.1" {
			t.Errorf("%s has the client of version %s", program, own)
		}
		if bom.BOMFormat != "CycloneDX" || bom.Metadata.Component.Version != "v0.1.1" || versions["github.com/chromedp/chromedp"] != "" {
			t.Errorf("%s: format %q, component %+v, modules %v", program, bom.BOMFormat, bom.Metadata.Component, versions)
		}
	}
}
