package release

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// checksums is the file with the SHA-256 of all others, as sha256sum -c reads it.
const checksums = "SHA256SUMS"

// documents are the files and folders of the sources that are in the archive.
func documents() []string {
	return []string{
		"LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "docs/guides", "docs/reference", "docs/images", "docs/tutorial.md", "docs/runbooks.md", "docs/security.md",
		"configs/sample.yaml", "configs/systemd", "configs/packages", "configs/prometheus", "configs/grafana", "configs/kubernetes", "configs/pgbouncer",
	}
}

// copyDocuments copies the documents and the examples of configuration.
func (s stage) copyDocuments(context.Context) error {
	for _, name := range documents() {
		err := filepath.WalkDir(filepath.Join(s.Root, name), func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasSuffix(file, ".go") {
				return err
			}
			relative, err := filepath.Rel(s.Root, file)
			if err != nil {
				return err
			}
			content, err := os.ReadFile(file) //nolint:gosec // of the sources, which nobody else changes meanwhile
			if err != nil {
				return err
			}
			mode := os.FileMode(0o644)
			if strings.HasSuffix(file, ".sh") {
				mode = 0o755
			}
			return writeFile(s.path(relative), content, mode)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// licenseName matches the files of a module that its license asks to pass on.
var licenseName = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice|patents)([.-].*)?$`)

// collectLicenses writes the licenses of all modules that the programs contain. Modules that
// replace stands for are in these sources, under assay's own license.
func (s stage) collectLicenses(ctx context.Context) error {
	args := []string{"go", "list", "-deps", "-f", "{{with .Module}}{{if not (or .Main .Replace)}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}"}
	for _, p := range listPrograms() {
		args = append(args, "./"+p)
	}
	out, err := s.Run(ctx, Command{Dir: s.Root, Env: s.environ(), Args: args})
	if err != nil {
		return err
	}
	modules := slices.Compact(slices.Sorted(strings.Lines(string(out))))
	var text bytes.Buffer
	text.WriteString("Licenses of the modules that the programs contain. assay's own is in LICENSE.\n")
	for _, m := range modules {
		name, dir, found := strings.Cut(strings.TrimSpace(m), "\t")
		if !found {
			continue
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		passed := 0
		for _, e := range entries {
			if e.IsDir() || !licenseName.MatchString(e.Name()) {
				continue
			}
			content, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return err
			}
			fmt.Fprintf(&text, "\n==== %s: %s\n\n%s\n", name, e.Name(), bytes.TrimSpace(content))
			passed++
		}
		if passed == 0 {
			return fmt.Errorf("%s has no license file in %s: see whether it may be passed on", name, dir)
		}
	}
	return writeFile(s.path("THIRD-PARTY-LICENSES"), text.Bytes(), 0o644)
}

// writeArchive packs everything that is staged, under a folder of the version.
func (s stage) writeArchive(context.Context) (err error) {
	name := fmt.Sprintf("assay_%s_%s_%s.tar.gz", s.Version.Name, s.platform.OS, s.platform.Arch)
	file, err := os.Create(filepath.Join(s.Out, name))
	if err != nil {
		return err
	}
	zip, err := gzip.NewWriterLevel(file, gzip.DefaultCompression)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	pack := tar.NewWriter(zip)
	err = filepath.WalkDir(s.dir, func(file string, entry fs.DirEntry, err error) error { // in lexical order
		if err != nil || entry.IsDir() {
			return err
		}
		relative, err := filepath.Rel(s.dir, file)
		if err != nil {
			return err
		}
		return s.packFile(pack, file, path.Join("assay-"+s.Version.Name, filepath.ToSlash(relative)))
	})
	return errors.Join(err, pack.Close(), zip.Close(), file.Close())
}

// packFile adds a file with nothing that differs from machine to machine.
func (s stage) packFile(pack *tar.Writer, file, name string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	mode := int64(0o644)
	if strings.HasSuffix(name, ".sh") || path.Base(path.Dir(name)) == "bin" {
		mode = 0o755
	}
	header := tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)), Mode: mode, ModTime: s.Version.Time, Uname: "root", Gname: "root", Format: tar.FormatPAX}
	if err := pack.WriteHeader(&header); err != nil {
		return err
	}
	_, err = pack.Write(content)
	return err
}

// writeChecksums writes the checksums of all files in the folder.
func writeChecksums(dir string) error {
	entries, err := os.ReadDir(dir) // sorted
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%x  %s\n", sha256.Sum256(content), e.Name())
	}
	return writeFile(filepath.Join(dir, checksums), []byte(text.String()), 0o644)
}
