package statement_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/statement"
)

// exportFile is a file in testdata/exports and what is to be read from it.
type exportFile struct {
	name, zone string
	refused    string // words of the refusal; empty for files that are read
	want       string // trades and warnings
}

// loadExports reads testdata/exports.txt. "== name zone" begins a file. Below it are "refused: " and words of the refusal, or what
// users are told beside the trades, after "told: ", and the trades: symbol, side, volume, time and price of opening and closing,
// commission, swap and net result.
func loadExports(t *testing.T) (files []exportFile) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "exports.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq(strings.TrimPrefix(string(content), "== "), "\n== ") {
		head, rest, _ := strings.Cut(block, "\n")
		name, zone, _ := strings.Cut(head, " ")
		f := exportFile{name: name, zone: zone, want: strings.TrimRight(rest, "\n") + "\n"}
		f.refused, _ = strings.CutPrefix(strings.TrimSpace(rest), "refused: ")
		if f.refused == strings.TrimSpace(rest) {
			f.refused = ""
		}
		files = append(files, f)
	}
	return files
}

// Exports of many platforms with the columns, the numbers, the dates and the rows beside the trades that they write, and what was
// worked out by hand.
func TestExportFiles(t *testing.T) {
	t.Parallel()
	files := loadExports(t)
	for _, file := range files {
		t.Run(file.name, func(t *testing.T) {
			t.Parallel()
			content, err := os.ReadFile(filepath.Join("testdata", "exports", file.name))
			if err != nil {
				t.Fatal(err)
			}
			o := statement.Options{Timezone: file.zone}
			if file.refused != "" {
				if _, err := read(t, file.name, content, o); err == nil || !strings.Contains(err.Error(), file.refused) {
					t.Errorf("got %v, want a refusal with %q", err, file.refused)
				}
				return
			}
			f := mustRead(t, file.name, content, o)
			if diff := cmp.Diff(file.want, describeExport(f)); diff != "" || f.RejectedRows > 0 {
				t.Errorf("format %s, rejected %v, read (-want +got):\n%s", f.Format, f.Rejected, diff)
			}
		})
	}
	entries, err := os.ReadDir(filepath.Join("testdata", "exports"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.ContainsFunc(files, func(f exportFile) bool { return f.name == e.Name() }) {
			t.Errorf("%s is not in exports.txt", e.Name())
		}
	}
}
