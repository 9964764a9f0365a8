package statement_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/statement"
)

var update = flag.Bool("update", false, "write the goldens")

// What is reported of each source's export in addition to its trades: rows left out
// and their lines, warnings, and how it was read.
func TestGolden(t *testing.T) {
	t.Parallel()
	got := map[string]statement.File{}
	for _, s := range sources() {
		got[s.name] = *mustRead(t, s.name, load(t, s.name), s.options).File
	}
	text, err := json.MarshalIndent(got, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	golden := filepath.Join("testdata", "files.golden.json")
	if *update {
		if err := os.WriteFile(golden, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(text)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
