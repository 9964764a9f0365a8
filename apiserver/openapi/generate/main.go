// Command generate writes the API's OpenAPI document.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/assayhq/assay/apiserver/route"
	v1 "github.com/assayhq/assay/apiserver/v1"
)

func main() {
	out := flag.String("o", "openapi.json", "the file to write")
	root := flag.String("root", "../..", "the folder of the module, whose comments describe the types")
	flag.Parse()
	if err := run(*out, *root); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(out, root string) error {
	text, err := generateText(root)
	if err != nil {
		return err
	}
	// Other tools may read the file meanwhile, as in make check.
	if err := os.WriteFile(out+".new", text, 0o644); err != nil { //nolint:gosec // a file of the repository, which everybody may read
		return err
	}
	return os.Rename(out+".new", out)
}

// generateText returns the text of the document.
func generateText(root string) ([]byte, error) {
	doc, err := buildDocument(v1.DescribedRoutes(), route.Tags(), root)
	if err != nil {
		return nil, err
	}
	return doc.Text()
}
