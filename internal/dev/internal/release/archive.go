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
		"configs/sample.yaml", "configs/systemd", "configs/packages", "configs/prometheus", "configs/grafana", "configs/mixin.libsonnet", "configs/kubernetes", "configs/pgbouncer",
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
			switch relative := filepath.ToSlash(relative); {
			case relative == chart+"/Chart.yaml":
				content = s.stampChart("Chart.yaml", content)
			case path.Ext(relative) == ".md":
				content = s.Version.publishLinks(relative, content, isPacked)
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

// isPacked reports whether a file or folder of the sources is in the archive.
func isPacked(name string) bool {
	return slices.ContainsFunc(documents(), func(d string) bool {
		return name == d || strings.HasPrefix(name, d+"/") || strings.HasPrefix(d, name+"/")
	})
}

// relativeLink matches a link to a file of the sources, up to its heading or end.
var relativeLink = regexp.MustCompile(`\]\(([^()\s:#]+)([#)])`)

// publishLinks changes the links of a document that lead to files which readers do not have: they
// lead to the repository, as it was for this version.
func (v Version) publishLinks(name string, document []byte, isThere func(file string) bool) []byte {
	commit := v.Revision
	if commit == unknownRevision {
		commit = "v" + v.Name
	}
	return relativeLink.ReplaceAllFunc(document, func(link []byte) []byte {
		m := relativeLink.FindSubmatch(link)
		file := path.Join(path.Dir(name), string(m[1]))
		if isThere(file) {
			return link
		}
		return append([]byte("](https://"+path.Join(module, "blob", commit, file)), m[2]...)
	})
}

// licenseName matches the files of a module that its license asks to pass on.
var licenseName = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice|patents)([.-].*)?$`)

// collectLicenses writes the licenses of all modules that the programs contain. Modules that
// replace stands for are in these sources, under assay's own license.
func (s stage) collectLicenses(ctx context.Context) error {
	const format = "{{with .Module}}{{if not (or .Main .Replace)}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}"
	var modules []string
	for _, p := range listPrograms() {
		out, err := s.runGo(ctx, p, "list", "-deps", "-f", format)
		if err != nil {
			return err
		}
		modules = slices.AppendSeq(modules, strings.Lines(string(out)))
	}
	slices.Sort(modules)
	modules = slices.Compact(modules)
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
func (s stage) writeArchive(context.Context) error {
	name := fmt.Sprintf("assay_%s_%s_%s.tar.gz", s.Version.Name, s.platform.OS, s.platform.Arch)
	return s.packFolder(name, s.dir, "assay-"+s.Version.Name, nil)
}

// packFolder packs the files of a folder, which prefix replaces in their names. change, if there
// is one, returns what stands for the content of a file.
func (b *Builder) packFolder(name, dir, prefix string, change func(name string, content []byte) []byte) (err error) {
	file, err := os.Create(filepath.Join(b.Out, name))
	if err != nil {
		return err
	}
	zip, err := gzip.NewWriterLevel(file, gzip.DefaultCompression)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	pack := tar.NewWriter(zip)
	err = filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error { // in lexical order
		if err != nil || entry.IsDir() {
			return err
		}
		relative, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(file) //nolint:gosec // of the sources or staged, which nobody else changes meanwhile
		if err != nil {
			return err
		}
		if change != nil {
			content = change(filepath.ToSlash(relative), content)
		}
		return b.packFile(pack, path.Join(prefix, filepath.ToSlash(relative)), content)
	})
	return errors.Join(err, pack.Close(), zip.Close(), file.Close(), os.Chmod(file.Name(), 0o644)) //nolint:gosec // for publication
}

// packFile adds a file with nothing that differs from machine to machine.
func (b *Builder) packFile(pack *tar.Writer, name string, content []byte) error {
	mode := int64(0o644)
	if strings.HasSuffix(name, ".sh") || path.Base(path.Dir(name)) == "bin" {
		mode = 0o755
	}
	header := tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)), Mode: mode, ModTime: b.Version.Time, Uname: "root", Gname: "root", Format: tar.FormatPAX}
	if err := pack.WriteHeader(&header); err != nil {
		return err
	}
	_, err := pack.Write(content)
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
