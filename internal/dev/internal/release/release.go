// Package release builds what is published of a version: archives, packages, the chart and the
// clients, lists of what they contain, and checksums. The same sources give the same bytes, wherever and
// whenever they are built.
package release

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Tools of releases, which are run as they are published, so that the product does not
// depend on them.
const (
	nfpm      = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.2"
	cyclonedx = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0"
)

// module is the path of the product's module.
const module = "github.com/assayhq/assay"

// Platform is an operating system and a processor as Go calls them.
type Platform struct{ OS, Arch string }

func (p Platform) String() string { return p.OS + "/" + p.Arch }

// Platforms returns all that a release is built for.
func Platforms() []Platform {
	return []Platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}}
}

// Command is a program that is run to its end.
type Command struct {
	Dir  string
	Env  []string // in addition to the launcher's
	Args []string // with the program
}

// Builder builds a release. All fields are required.
type Builder struct {
	Root      string // of the sources
	Out       string // where the files go; earlier ones are removed
	Platforms []Platform
	Version   Version
	// Run runs a program and returns its standard output.
	Run func(context.Context, Command) ([]byte, error)
	Say func(format string, args ...any)
}

// Build builds the release.
func (b *Builder) Build(ctx context.Context) error {
	if err := b.clearOutput(); err != nil {
		return err
	}
	b.Say("packing the chart and the clients of assay %s", b.Version.Name)
	if err := b.packForAll(ctx); err != nil {
		return err
	}
	completions, err := b.makeCompletions(ctx)
	if err != nil {
		return fmt.Errorf("completions: %w", err)
	}
	for _, p := range b.Platforms {
		b.Say("building assay %s for %s", b.Version.Name, p)
		if err := b.buildPlatform(ctx, p, completions); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	return writeChecksums(b.Out)
}

// clearOutput makes an empty folder of Out. It removes only files of a release.
func (b *Builder) clearOutput() error {
	entries, err := os.ReadDir(b.Out)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if !isReleaseFile(e.Name()) {
			return fmt.Errorf("%s holds %s, which is not of a release: give an empty folder by --out", b.Out, e.Name())
		}
		if err := os.Remove(filepath.Join(b.Out, e.Name())); err != nil {
			return err
		}
	}
	return os.MkdirAll(b.Out, 0o755) //nolint:gosec // for publication
}

func isReleaseFile(name string) bool {
	return name == checksums || strings.HasPrefix(name, "assay") || strings.HasSuffix(name, ".cdx.json")
}

func (b *Builder) buildPlatform(ctx context.Context, p Platform, completions map[string][]byte) error {
	dir, err := os.MkdirTemp("", "assay-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := stage{Builder: b, platform: p, dir: dir}
	for name, text := range completions {
		if err := writeFile(s.path(name), text, 0o644); err != nil {
			return err
		}
	}
	steps := []func(context.Context) error{s.buildPrograms, s.describePrograms, s.collectLicenses, s.copyDocuments, s.writeArchive}
	if p.OS == "linux" {
		steps = append(steps, s.writePackages)
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// makeCompletions returns the files from which shells complete the assay command, by their paths
// in an archive. They are the same on all platforms.
func (b *Builder) makeCompletions(ctx context.Context) (map[string][]byte, error) {
	files := map[string][]byte{}
	for shell, name := range map[string]string{"bash": "assay", "zsh": "_assay", "fish": "assay.fish"} {
		text, err := b.Run(ctx, Command{
			// As the programs are built, so that what they are made of is compiled once.
			Dir: filepath.Join(b.Root, "client", "assay"), Env: []string{"CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-mod=readonly -trimpath"}, Args: []string{"go", "run", ".", "completion", shell},
		})
		if err != nil {
			return nil, err
		}
		files["completions/"+shell+"/"+name] = text
	}
	return files, nil
}

// stage is a release of one platform while it is built.
type stage struct {
	*Builder
	platform Platform
	dir      string // what goes into the archive, and in units what only packages have
}

func (s stage) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

// environ returns the variables that decide what the compiler makes. go.work is left out,
// because it could choose other versions of modules than the product's go.mod.
func (s stage) environ() []string {
	return []string{
		"GOOS=" + s.platform.OS, "GOARCH=" + s.platform.Arch, "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-mod=readonly",
		"GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GODEBUG=",
	}
}

// program is a main package, in the folder of its module.
type program struct{ module, pkg string }

// name returns what the program is called, which is the last element of its path.
func (p program) name() string { return path.Base(path.Join(p.module, p.pkg)) }

// listPrograms returns the programs of a release.
func listPrograms() []program {
	return []program{{".", "apiserver"}, {".", "syncd"}, {".", "cmd/contracttest"}, {"client/assay", "."}}
}

// runGo runs a command of go on a program, in its module.
func (s stage) runGo(ctx context.Context, p program, args ...string) ([]byte, error) {
	dir := filepath.Join(s.Root, filepath.FromSlash(p.module))
	return s.Run(ctx, Command{Dir: dir, Env: s.environ(), Args: append(append([]string{"go"}, args...), "./"+p.pkg)})
}

func (s stage) buildPrograms(ctx context.Context) error {
	flags := "-s -w -buildid="
	// The product's programs have their version in a package, and the assay command in its own.
	for _, pkg := range []string{module + "/internal/version", "main"} {
		flags += " -X " + pkg + ".release=" + s.Version.Name + " -X " + pkg + ".revision=" + s.Version.Revision
	}
	for _, p := range listPrograms() {
		file := s.path("bin/" + p.name())
		if _, err := s.runGo(ctx, p, "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", file); err != nil {
			return err
		}
		if err := os.Chmod(file, 0o755); err != nil { //nolint:gosec // a program for everybody
			return err
		}
	}
	return nil
}

// describePrograms writes what each program is made of, in the form of CycloneDX.
func (s stage) describePrograms(ctx context.Context) error {
	for _, p := range listPrograms() {
		bom, err := s.Run(ctx, Command{Dir: s.Root, Args: []string{
			"go", "run", cyclonedx, "bin", "-json", "-std", "-noserial", "-notimestamp", "-version", "v" + s.Version.Name, s.path("bin/" + p.name()),
		}})
		if err != nil {
			return err
		}
		bom = s.nameReplaced(p, bom)
		published := fmt.Sprintf("%s_%s_%s_%s.cdx.json", p.name(), s.Version.Name, s.platform.OS, s.platform.Arch)
		for _, to := range []string{s.path("sbom/" + p.name() + ".cdx.json"), filepath.Join(s.Out, published)} {
			if err := writeFile(to, bom, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// replacedModule matches where a bill of materials names a module by its folder in these sources.
var replacedModule = regexp.MustCompile(`(pkg:golang/|"name": ")(\.\.?/[^"@]+)`)

// nameReplaced gives the modules of these sources their names and the version of the release.
func (s stage) nameReplaced(p program, bom []byte) []byte {
	bom = replacedModule.ReplaceAllFunc(bom, func(found []byte) []byte {
		m := replacedModule.FindSubmatch(found)
		return []byte(string(m[1]) + path.Join(module, p.module, string(m[2])))
	})
	return bytes.ReplaceAll(bom, []byte("(devel)"), []byte("v"+s.Version.Name))
}

// writePackages makes the packages of Debian and Red Hat.
func (s stage) writePackages(ctx context.Context) error {
	for _, name := range []string{"assay-apiserver.service", "assay-syncd.service"} {
		unit, err := os.ReadFile(s.path("configs/systemd/" + name))
		if err != nil {
			return err
		}
		// What a package installs must not be in /usr/local.
		unit = []byte(strings.ReplaceAll(string(unit), "/usr/local/bin/", "/usr/bin/"))
		if err := writeFile(s.path("units/"+name), unit, 0o644); err != nil {
			return err
		}
	}
	// It is the only document of a package.
	const guide = "docs/guides/install.md"
	text, err := os.ReadFile(s.path(guide))
	if err != nil {
		return err
	}
	text = s.Version.publishLinks(guide, text, func(string) bool { return false })
	if err := writeFile(s.path("units/install"), text, 0o644); err != nil {
		return err
	}
	if err := stampTree(s.dir, s.Version.Time); err != nil {
		return err
	}
	env := []string{
		"VERSION=" + s.Version.Name, "ARCH=" + s.platform.Arch, "SOURCE_DATE_EPOCH=" + strconv.FormatInt(s.Version.Time.Unix(), 10),
	}
	for _, kind := range []string{"deb", "rpm"} {
		args := []string{"go", "run", nfpm, "package", "--config", "configs/packages/nfpm.yaml", "--packager", kind, "--target", s.Out + string(filepath.Separator)}
		if _, err := s.Run(ctx, Command{Dir: s.dir, Env: env, Args: args}); err != nil {
			return err
		}
	}
	return nil
}

// stampTree gives all files of a folder the time of the sources, and all folders the same
// rights whatever the umask is.
func stampTree(dir string, to time.Time) error {
	return filepath.WalkDir(dir, func(file string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			err = os.Chmod(file, 0o755) //nolint:gosec // what everybody reads once it is installed
		}
		if err != nil {
			return err
		}
		return os.Chtimes(file, to, to) //nolint:gosec // a folder of its own
	})
}

// writeFile writes a file and makes its folders, with the same rights whatever the umask is.
func writeFile(file string, content []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // for publication
		return err
	}
	if err := os.WriteFile(file, content, mode); err != nil {
		return err
	}
	return os.Chmod(file, mode)
}
