package table_test

import (
	"testing"

	"github.com/assayhq/assay/internal/statement/table"
)

// A word that is not in the form in which texts are looked up is never found.
func TestDictionaryIsFolded(t *testing.T) {
	t.Parallel()
	if words := table.Unfolded(); len(words) > 0 {
		t.Errorf("never found: %q", words)
	}
}
