// Package migrations contains the database schema as numbered SQL files, and the resulting schema
// as schema.txt, which a test keeps up to date.
//
// A released file is never edited. Every change must be safe while an older binary still runs
// against the database: expand, move the data, and contract a release later.
package migrations

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

//go:embed *.sql
var files embed.FS

// Files returns the migrations, one file per version in the root.
func Files() fs.FS { return files }

// Newest returns the version of the newest migration.
func Newest() (int64, error) { return NewestOf(files) }

// NewestOf returns the version of the newest migration in a folder, which is the number at the start
// of its file name.
func NewestOf(folder fs.FS) (int64, error) {
	names, err := fs.Glob(folder, "*.sql")
	if err != nil {
		return 0, err
	}
	var newest int64
	for _, name := range names {
		number, _, _ := strings.Cut(path.Base(name), "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("migration %s: its name does not begin with a number", name)
		}
		newest = max(newest, version)
	}
	return newest, nil
}
