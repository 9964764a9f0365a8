// Reference writes the generated pages of docs/reference from what they describe:
// the configuration from configs/sample.yaml, the values of the Helm chart from its
// values.yaml, the events from their catalog, the errors from their definitions, and the
// limits from the constants of the source.
//
//	go generate ./configs
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// document is a generated page of docs/reference.
type document struct {
	name   string
	render func(root string) (string, error) // root is the repository
}

func listDocuments() []document {
	return []document{{"configuration.md", renderConfiguration}, {"errors.md", errorCodes}, {"events.md", renderEvents}, {"helm.md", renderChart}, {"limits.md", renderLimits}}
}

func main() {
	if err := run(".."); err != nil { // go generate runs in configs
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	for _, d := range listDocuments() {
		text, err := d.render(root)
		if err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
		if err := os.WriteFile(documentPath(root, d), []byte(text), 0o644); err != nil { //nolint:gosec // a file of the repository
			return err
		}
	}
	return nil
}

func documentPath(root string, d document) string {
	return filepath.Join(root, "docs", "reference", d.name)
}
