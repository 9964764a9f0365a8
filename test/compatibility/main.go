// Command compatibility compares the OpenAPI document with that of the last release,
// apiserver/openapi/released.json, whose clients it must not break.
//
//	compatibility -check            fails when the document breaks what was promised
//	compatibility                   makes the document the released one, if it breaks nothing
//	compatibility -accept-breaking  makes it the released one all the same
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/assayhq/assay/apiserver/openapi"
)

func main() {
	var o options
	flag.StringVar(&o.folder, "folder", "apiserver/openapi", "where released.json lies")
	flag.BoolVar(&o.check, "check", false, "only report breaking changes")
	flag.BoolVar(&o.accept, "accept-breaking", false, "release in spite of breaking changes")
	flag.Parse()
	if err := run(o, openapi.Committed(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "compatibility:", err)
		os.Exit(1)
	}
}

// options are those of the command line.
type options struct {
	folder        string
	check, accept bool
}

// errBreaking says that clients of the released API would break.
var errBreaking = errors.New("the document breaks what the last release promised")

// run compares the document with the released one, and puts it in its place
// unless only a check is asked for.
func run(o options, document string, out io.Writer) error {
	path := filepath.Join(o.folder, "released.json")
	released, err := os.ReadFile(path)
	first := errors.Is(err, os.ErrNotExist) && !o.check
	if err != nil && !first {
		return err
	}
	if !first {
		changes, err := breaking(string(released), document)
		if err != nil {
			return err
		}
		for _, change := range changes {
			fmt.Fprintln(out, change)
		}
		if len(changes) > 0 && !o.accept {
			return errBreaking
		}
	}
	if o.check {
		return nil
	}
	return os.WriteFile(path, []byte(document), 0o644) //nolint:gosec // a file of the repository, which everybody may read
}
