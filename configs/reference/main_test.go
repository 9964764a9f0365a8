package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDocumentsAreCurrent compares the committed pages with newly generated ones.
func TestDocumentsAreCurrent(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	for _, d := range listDocuments() {
		want, err := d.render(root)
		if err != nil {
			t.Errorf("%s: %v", d.name, err)
			continue
		}
		got, err := os.ReadFile(documentPath(root, d))
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("docs/reference/%s is not current: run go generate ./configs (-want +got):\n%s", d.name, diff)
		}
	}
}
